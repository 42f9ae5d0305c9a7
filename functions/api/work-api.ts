import type * as z from 'zod';
import { approvalView } from '../../shared/api/approval-view.ts';
import type { ClaimResponse, LeaseResponse, ReportDeliveryBody } from '../../shared/api/report-schemas.ts';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import { taskView } from '../../shared/api/task-views.ts';
import type { DetectedRevert } from '../../shared/contract/repository/detect-reverts.ts';
import { HEARTBEATS_PER_LEASE } from '../../shared/contract/resource-names.ts';
import { currentAttempt, type Task } from '../../shared/contract/task/task.ts';
import { failTaskByOperator } from '../../shared/control/task-commands/operator-commands.ts';
import { releaseClaimedTask } from '../../shared/control/task-commands/recover.ts';
import { withVersionCheck } from '../../shared/control/task-commands/task-change.ts';
import { ClaimIntentStore } from '../../shared/store/claim-intents.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { HeartbeatStore } from '../../shared/store/heartbeats.ts';
import { MergedWorkStore } from '../../shared/store/merged-work.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { recordReverts } from '../../shared/use-cases/deliver/record-reverts.ts';
import { reportCompletedWork, reportFailedWork } from '../../shared/use-cases/work/agent-report.ts';
import { requestApproval } from '../../shared/use-cases/work/approvals.ts';
import {
  type ClaimContext,
  type ClaimedAttempt,
  claimNextOpenTask,
  claimTask,
} from '../../shared/use-cases/work/claim-task.ts';
import { createClaimKey } from '../../shared/use-cases/work/idempotent-claim.ts';
import { recordDeliveryReport } from '../../shared/use-cases/work/record-evidence.ts';
import { type HeartbeatContext, recordHeartbeat } from '../../shared/use-cases/work/record-heartbeat.ts';
import { readApprovalSettings, readLeaseSeconds, readTierModels } from '../runtime/config.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { createApiHandler } from './api-handler.ts';
import type { ApiRouteResponse } from './response.ts';
import type { ApiRequestContext } from './route-request.ts';
import { restrictTaskToCaller } from './visible-task.ts';

const items = openTable();
const tasks = new TaskStore(items);
const locks = new FileLockStore(items, tasks);
const claims = new ClaimIntentStore(items);
const beats = new HeartbeatStore(items);
const landed = new MergedWorkStore(items);
const objects = createObjectStore();
const models = readTierModels();
const lease = readLeaseSeconds();
const rules = readApprovalSettings();

const shown = (task: Task, of: ApiRequestContext): ApiRouteResponse<TaskView> => ({
  body: taskView(restrictTaskToCaller(of, task), models),
  version: task.version,
});
const leaseOf = (task: Task): ApiRouteResponse<z.infer<typeof LeaseResponse>> => ({
  body: { lease_until: currentAttempt(task)?.lease_until ?? 0, status: task.status },
  version: task.version,
});
const claimed = ({
  task,
  attempt,
  token,
}: ClaimedAttempt): ApiRouteResponse<z.infer<typeof ClaimResponse>> => ({
  body: {
    task: taskView(task, models),
    attempt,
    token,
    lease_until: currentAttempt(task)?.lease_until ?? 0,
    heartbeat_s: lease / HEARTBEATS_PER_LEASE,
  },
  version: task.version,
});
/** `asked` is what the claim is for: the same key for something else is refused. */
function claimContext(request: ApiRequestContext, asked: unknown): ClaimContext {
  const context = {
    tasks: tasks.withGuard(request.guardTask),
    locks,
    now: new Date(),
    claimant: request.principal,
    leaseSeconds: lease,
  };
  if (request.idempotencyKey === null || request.bearerToken === null) return context;
  const key = createClaimKey(request.principal, request.idempotencyKey, request.bearerToken, asked);
  return { ...context, idempotency: { key, store: claims } };
}
const beating = (request: ApiRequestContext): HeartbeatContext => ({
  tasks: tasks.withGuard(request.guardTask),
  heartbeats: beats,
  leaseSeconds: lease,
  now: new Date(),
});
type ReportedRevert = Extract<z.output<typeof ReportDeliveryBody>, { step: 'reverts' }>['reverts'][number];
/** A revert, as a box reports it. */
const detectedRevert = ({
  task_id,
  reverted_commit: reverted,
  request,
  commit,
  at,
}: ReportedRevert): DetectedRevert => ({
  task_id,
  reverted_commit: reverted,
  reverted_request: request,
  reverting_commit: commit,
  at,
});
const next = async (request: ApiRequestContext, role: string, model: string | null = null) =>
  claimed(await claimNextOpenTask(role, claimContext(request, { role, model }), model));

export const handler = createApiHandler('api-work', {
  nextTask: (request) => next(request, request.params.role),
  claimNext: (request) => next(request, request.params.role, request.body.model),
  claimTask: async (request) => {
    const { id } = request.params;
    const model = request.body.model ?? null;
    const context = claimContext(request, { id, model, version: request.ifMatch });
    return claimed(await claimTask(id, model, context, request.ifMatch));
  },
  heartbeat: async (request) =>
    leaseOf(await recordHeartbeat(request.params.id, request.attempt, null, beating(request))),
  progress: async (request) => {
    const { message, percent } = request.body;
    const context = beating(request);
    const progress = { message, percent: percent ?? null, at: context.now.toISOString() };
    return leaseOf(await recordHeartbeat(request.params.id, request.attempt, progress, context));
  },
  requestApproval: async (request) => {
    const { task, approval } = await requestApproval(request.params.id, request.attempt, request.body, {
      tasks: tasks.withGuard(request.guardTask),
      rules,
      now: new Date(),
    });
    return { body: { approval: approvalView(approval), status: task.status }, version: task.version };
  },
  complete: async (request) =>
    shown(
      await reportCompletedWork(request.params.id, request.attempt, request.body, {
        tasks: tasks.withGuard(request.guardTask),
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
        await tasks.withGuard(request.guardTask).applyCommand(
          request.params.id,
          withVersionCheck(request.ifMatch, (task) =>
            failTaskByOperator(task, body.reason, request.principal, new Date()),
          ),
        ),
        request,
      );
    return shown(
      await reportFailedWork(request.params.id, request.attempt, body, {
        tasks: tasks.withGuard(request.guardTask),
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
        .withGuard(request.guardTask)
        .applyCommand(request.params.id, (task) =>
          releaseClaimedTask(task, request.attempt, reason, new Date()),
        ),
      request,
    );
  },
  delivery: async (request) => {
    const { body } = request;
    const deps = { tasks: tasks.withGuard(request.guardTask), now: new Date() };
    return shown(
      body.step === 'reverts'
        ? await recordReverts(await deps.tasks.require(request.params.id), body.reverts.map(detectedRevert), {
            ...deps,
            tasks,
            mergedWork: landed,
          })
        : await recordDeliveryReport(request.params.id, request.attempt, body, deps),
      request,
    );
  },
});
