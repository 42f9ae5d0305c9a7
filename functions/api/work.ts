import type * as z from 'zod';
import { approvalView } from '../../shared/api/approval-view.ts';
import type { Claim, Lease } from '../../shared/api/report-schemas.ts';
import type { TaskView } from '../../shared/api/schemas.ts';
import { taskView } from '../../shared/api/views.ts';
import { BEATS_OF_A_LEASE } from '../../shared/contract/names.ts';
import { currentAttempt, type Task } from '../../shared/contract/task/task.ts';
import { atVersion } from '../../shared/control/task-commands/change.ts';
import { failByOperator } from '../../shared/control/task-commands/operate.ts';
import { handBack } from '../../shared/control/task-commands/recover.ts';
import { recordReverts } from '../../shared/use-cases/deliver/reverts.ts';
import { park } from '../../shared/use-cases/work/approvals.ts';
import { type ClaimContext, type Claimed, claimNext, claimTask } from '../../shared/use-cases/work/claim.ts';
import { claimKey } from '../../shared/use-cases/work/claim-once.ts';
import { recordDeliveryStep } from '../../shared/use-cases/work/evidence.ts';
import { type HeartbeatContext, heartbeat } from '../../shared/use-cases/work/heartbeat.ts';
import { completeWork, failWork } from '../../shared/use-cases/work/report.ts';
import { approvalRules, leaseSeconds, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import type { Answer } from './answer.ts';
import type { Asked } from './request.ts';
import { serve } from './serve.ts';
import { visibleTo } from './visible.ts';

const { tasks, locks, claims, beats, landed } = stores();
const objects = objectStore();
const models = tierModels();
const lease = leaseSeconds();
const rules = approvalRules();

const shown = (task: Task, of: Asked): Answer<TaskView> => ({
  body: taskView(visibleTo(of, task), models),
  version: task.version,
});
const leaseOf = (task: Task): Answer<z.infer<typeof Lease>> => ({
  body: { lease_until: currentAttempt(task)?.lease_until ?? 0, status: task.status },
  version: task.version,
});
const claimed = ({ task, attempt, token }: Claimed): Answer<z.infer<typeof Claim>> => ({
  body: {
    task: taskView(task, models),
    attempt,
    token,
    lease_until: currentAttempt(task)?.lease_until ?? 0,
    heartbeat_s: lease / BEATS_OF_A_LEASE,
  },
  version: task.version,
});
/** `asked` is what the claim is for: the same key for something else is refused. */
function claimContext(request: Asked, asked: unknown): ClaimContext {
  const context = {
    tasks: tasks.guarded(request.guard),
    locks,
    now: new Date(),
    by: request.principal,
    leaseSeconds: lease,
  };
  if (request.idempotencyKey === null || request.bearer === null) return context;
  const key = claimKey(request.principal, request.idempotencyKey, request.bearer, asked);
  return { ...context, once: { key, store: claims } };
}
const beating = (request: Asked): HeartbeatContext => ({
  tasks: tasks.guarded(request.guard),
  beats,
  leaseSeconds: lease,
  now: new Date(),
});
const next = async (request: Asked, role: string, model: string | null = null) =>
  claimed(await claimNext(role, claimContext(request, { role, model }), model));

export const handler = serve('api-work', {
  nextTask: (request) => next(request, request.params.role),
  claimNext: (request) => next(request, request.params.role, request.body.model),
  claimTask: async (request) => {
    const { id } = request.params;
    const model = request.body.model ?? null;
    const context = claimContext(request, { id, model, version: request.ifMatch });
    return claimed(await claimTask(id, model, context, request.ifMatch));
  },
  heartbeat: async (request) =>
    leaseOf(await heartbeat(request.params.id, request.attempt, null, beating(request))),
  progress: async (request) => {
    const { message, percent } = request.body;
    const context = beating(request);
    const progress = { message, percent: percent ?? null, at: context.now.toISOString() };
    return leaseOf(await heartbeat(request.params.id, request.attempt, progress, context));
  },
  park: async (request) => {
    const { task, approval } = await park(request.params.id, request.attempt, request.body, {
      tasks: tasks.guarded(request.guard),
      rules,
      now: new Date(),
    });
    return { body: { approval: approvalView(approval), status: task.status }, version: task.version };
  },
  complete: async (request) =>
    shown(
      await completeWork(request.params.id, request.attempt, request.body, {
        tasks: tasks.guarded(request.guard),
        objects,
        models,
        now: new Date(),
      }),
      request,
    ),
  fail: async (request) => {
    const body = request.body;
    if (request.caller === 'operator')
      return shown(
        await tasks.guarded(request.guard).change(
          request.params.id,
          atVersion(request.ifMatch, (task) =>
            failByOperator(task, body.reason, request.principal, new Date()),
          ),
        ),
        request,
      );
    return shown(
      await failWork(request.params.id, request.attempt, body, {
        tasks: tasks.guarded(request.guard),
        objects,
        models,
        now: new Date(),
      }),
      request,
    );
  },
  release: async (request) => {
    const { reason } = request.body;
    return shown(
      await tasks
        .guarded(request.guard)
        .change(request.params.id, (task) => handBack(task, request.attempt, reason, new Date())),
      request,
    );
  },
  delivery: async (request) => {
    const { body } = request;
    const deps = { tasks: tasks.guarded(request.guard), now: new Date() };
    return shown(
      body.step === 'reverts'
        ? await recordReverts(await deps.tasks.require(request.params.id), body.reverts, {
            ...deps,
            tasks,
            landed,
          })
        : await recordDeliveryStep(request.params.id, request.attempt, body, deps),
      request,
    );
  },
});
