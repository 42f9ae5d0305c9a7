import type * as z from 'zod';
import {
  type ClaimBody,
  type CompleteBody,
  type DeliveryBody,
  type EvidenceBody,
  type FailBody,
  type MemoryBody,
  type ProgressBody,
  UPLOADS,
  type UploadBody,
} from '../../shared/api/schemas.ts';
import { taskView } from '../../shared/api/views.ts';
import { objectKey } from '../../shared/names.ts';
import { Refusal } from '../../shared/refusal.ts';
import { PRESIGN_SECONDS } from '../../shared/store/objects.ts';
import { runningAttempt } from '../../shared/task/commands/change.ts';
import { failByOperator } from '../../shared/task/commands/operate.ts';
import { keepAlive } from '../../shared/task/commands/work.ts';
import { currentAttempt, type Task } from '../../shared/task/task.ts';
import { sha256 } from '../../shared/tokens.ts';
import { type Claimed, claimNext, claimTask } from '../../shared/use-cases/claim.ts';
import { recordDeliveryStep, recordEvidenceBody } from '../../shared/use-cases/evidence.ts';
import { completeWork, failWork } from '../../shared/use-cases/report.ts';
import { leaseSeconds, tierModels } from '../kit/config.ts';
import { stores } from '../kit/dynamodb.ts';
import { objects as objectStore } from '../kit/objects.ts';
import type { Answer } from './answer.ts';
import { serve } from './serve.ts';

const { tasks, locks } = stores();
const objects = objectStore();
const models = tierModels();
const lease = leaseSeconds();

const shown = (task: Task): Answer => ({ body: taskView(task, models), version: task.version });
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
      await tasks.change(request.params.id, (task) => keepAlive(task, request.attempt, lease, new Date())),
    ),
  progress: async (request) => {
    const { message, percent } = request.body as z.infer<typeof ProgressBody>;
    const now = new Date();
    return leaseOf(
      await tasks.change(request.params.id, (task) =>
        keepAlive(task, request.attempt, lease, now, {
          message,
          percent: percent ?? null,
          at: now.toISOString(),
        }),
      ),
    );
  },
  upload: async (request) => {
    const { kind } = request.body as z.infer<typeof UploadBody>;
    if (UPLOADS[kind] !== request.caller)
      throw new Refusal(
        'forbidden',
        `${kind} is uploaded by ${UPLOADS[kind]}; the token is for ${request.caller}`,
        [{ pointer: '/kind', message: `is not for ${request.caller}` }],
      );
    const attempt = runningAttempt(await tasks.require(request.params.id), request.attempt);
    const launch = attempt.gates?.number ?? 1;
    const keys = {
      patch: objectKey.patch,
      transcript: objectKey.transcript,
      findings: (id: string, number: number) => objectKey.findings(id, number, launch),
      tests: (id: string, number: number) => objectKey.tests(id, number, launch),
    };
    return {
      body: {
        url: await objects.presignPut(keys[kind](request.params.id, request.attempt)),
        method: 'PUT',
        expires_s: PRESIGN_SECONDS,
      },
    };
  },
  memory: async (request) => {
    const { kind, hash } = request.body as z.infer<typeof MemoryBody>;
    const task = await tasks.require(request.params.id);
    runningAttempt(task, request.attempt);
    const key = objectKey.memory(sha256(task.repository), kind, hash);
    const [get, put] = await Promise.all([objects.presignGet(key), objects.presignPut(key)]);
    return { body: { get, put, expires_s: PRESIGN_SECONDS } };
  },
  complete: async (request) =>
    shown(
      await completeWork(request.params.id, request.attempt, request.body as z.infer<typeof CompleteBody>, {
        tasks,
        objects,
        models,
        now: new Date(),
      }),
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
      );
    return shown(
      await failWork(request.params.id, request.attempt, body, { tasks, objects, models, now: new Date() }),
    );
  },
  evidence: async (request) =>
    shown(
      await recordEvidenceBody(
        request.params.id,
        request.attempt,
        request.body as z.infer<typeof EvidenceBody>,
        { tasks, objects, now: new Date() },
      ),
    ),
  delivery: async (request) =>
    shown(
      await recordDeliveryStep(
        request.params.id,
        request.attempt,
        request.body as z.infer<typeof DeliveryBody>,
        { tasks, now: new Date() },
      ),
    ),
});
