import type * as z from 'zod';
import type {
  ClaimBody,
  CompleteBody,
  DeliveryBody,
  FailBody,
  ProgressBody,
} from '../../shared/api/schemas.ts';
import { taskView } from '../../shared/api/views.ts';
import { failByOperator } from '../../shared/task/commands/operate.ts';
import { keepAlive } from '../../shared/task/commands/work.ts';
import { currentAttempt, type Task } from '../../shared/task/task.ts';
import { type Claimed, claimNext, claimTask } from '../../shared/use-cases/claim.ts';
import { recordDeliveryStep } from '../../shared/use-cases/evidence.ts';
import { completeWork, failWork } from '../../shared/use-cases/report.ts';
import { leaseSeconds, tierModels } from '../kit/config.ts';
import { stores } from '../kit/dynamodb.ts';
import { objects as objectStore } from '../kit/objects.ts';
import type { Answer } from './answer.ts';
import type { ApiRequest } from './request.ts';
import { serve } from './serve.ts';
import { visibleTo } from './visible.ts';

const { tasks, locks } = stores();
const objects = objectStore();
const models = tierModels();
const lease = leaseSeconds();

const shown = (task: Task, of: ApiRequest): Answer => ({
  body: taskView(visibleTo(of, task), models),
  version: task.version,
});
const leaseOf = (task: Task): Answer => ({
  body: { lease_until: currentAttempt(task)?.lease_until ?? 0, status: task.status },
  version: task.version,
});
const claimed = ({ task, attempt, token }: Claimed): Answer => ({
  body: {
    task: taskView(task, models),
    attempt,
    token,
    lease_until: currentAttempt(task)?.lease_until ?? 0,
    heartbeat_s: lease / 4,
  },
  version: task.version,
});
const claimContext = (by: string) => ({ tasks, locks, now: new Date(), by, leaseSeconds: lease });

export const handler = serve({
  nextTask: async (request) => claimed(await claimNext(request.params.role, claimContext(request.principal))),
  claimTask: async (request) =>
    claimed(
      await claimTask(
        request.params.id,
        (request.body as z.infer<typeof ClaimBody>).model ?? null,
        claimContext(request.principal),
        request.ifMatch,
      ),
    ),
  heartbeat: async (request) =>
    leaseOf(
      await tasks
        .guarded(request.guard)
        .change(request.params.id, (task) => keepAlive(task, request.attempt, lease, new Date())),
    ),
  progress: async (request) => {
    const { message, percent } = request.body as z.infer<typeof ProgressBody>;
    const now = new Date();
    return leaseOf(
      await tasks.guarded(request.guard).change(request.params.id, (task) =>
        keepAlive(task, request.attempt, lease, now, {
          message,
          percent: percent ?? null,
          at: now.toISOString(),
        }),
      ),
    );
  },
  complete: async (request) =>
    shown(
      await completeWork(request.params.id, request.attempt, request.body as z.infer<typeof CompleteBody>, {
        tasks: tasks.guarded(request.guard),
        objects,
        models,
        now: new Date(),
      }),
      request,
    ),
  fail: async (request) => {
    const body = request.body as z.infer<typeof FailBody>;
    if (request.caller === 'operator')
      return shown(
        await tasks.change(
          request.params.id,
          (task) => failByOperator(task, body.reason, request.principal, new Date()),
          request.ifMatch,
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
  delivery: async (request) =>
    shown(
      await recordDeliveryStep(
        request.params.id,
        request.attempt,
        request.body as z.infer<typeof DeliveryBody>,
        { tasks: tasks.guarded(request.guard), now: new Date() },
      ),
      request,
    ),
});
