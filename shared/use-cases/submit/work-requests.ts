import type * as z from 'zod';
import { createCursor, parseCursor } from '../../api/page-cursor.ts';
import type { WorkRequestBody, WorkRequestList, WorkRequestsQuery } from '../../api/work-request-schemas.ts';
import { workRequestView } from '../../api/work-request-view.ts';
import type { WorkRequest } from '../../contract/intake/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import {
  buildTaskSubmission,
  createWorkRequest,
  hasBeenApproved,
  recordWorkRequestTaskCreated,
  refuseApprovedWorkRequest,
} from '../../control/intake/commands.ts';
import { createTask } from '../../control/task-commands/create.ts';
import { cancelTask } from '../../control/task-commands/operator-commands.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import type { TaskStore } from '../../store/task-store.ts';
import type { WorkRequestStore } from '../../store/work-requests.ts';
import { assignTaskIds, buildTask, type SubmitContext } from './submit-task.ts';

/** Somebody asks for work. It is checked as the task that it will be; nothing is made yet. */
export async function submitWorkRequest(
  { strategy, ...requirement }: z.infer<typeof WorkRequestBody>,
  context: SubmitContext & { readonly requests: WorkRequestStore },
): Promise<{ readonly entered: boolean; readonly request: WorkRequest }> {
  const [named] = assignTaskIds([requirement], () => '', context);
  if (!named) throw new Error('one request has one name');
  buildTask(named, new Map(), context);
  const request = createWorkRequest(requirement, {
    id: named.id,
    by: context.submitter,
    strategy,
    now: context.now,
  });
  const result = await context.requests.create(request);
  if (!result.entered && result.request.request_sha256 !== request.request_sha256)
    throw new Refusal(
      'idempotency_mismatch',
      `the idempotency key has made request ${request.id} from a different body`,
    );
  return result;
}

export interface WorkRequestEffectsContext {
  readonly workRequests: WorkRequestStore;
  readonly tasks: TaskStore;
  readonly now: () => Date;
}

type CreationRefusal =
  | { readonly code: 'missing_dependencies'; readonly ids: readonly string[] }
  | { readonly code: 'id_taken'; readonly id: string };

const describeCreationRefusal = (refusal: CreationRefusal): string =>
  refusal.code === 'id_taken'
    ? `the id ${refusal.id} belongs to a different task`
    : `there is no task ${refusal.ids.join(', ')} that it depends on`;

/** Creates the task of a request, and returns null, or why it cannot be created. */
async function createRequestedTask(
  request: WorkRequest,
  { tasks }: WorkRequestEffectsContext,
): Promise<CreationRefusal | null> {
  const asked = buildTaskSubmission(request);
  const dependencies = await tasks.getMany(asked.depends_on);
  const missing = asked.depends_on.filter((id) => !dependencies.has(id));
  if (missing.length > 0) return { code: 'missing_dependencies', ids: missing };
  const requestSha256 = canonicalHash(asked);
  const { task } = await tasks.create(
    createTask(asked, {
      id: request.id,
      // The time of the yes: however often this is done, it is the same task.
      now: new Date(request.updated_at),
      by: request.requested_by,
      requestSha256,
      dependencies,
    }),
  );
  return task.request_sha256 === requestSha256 ? null : { code: 'id_taken', id: request.id };
}

/** A no that came while the task was being made: it is withdrawn, if it is this request's and not over. */
async function cancelRequestedTask(
  request: WorkRequest,
  { tasks, now }: WorkRequestEffectsContext,
): Promise<void> {
  const task = await tasks.get(request.id);
  if (
    !task ||
    isTerminalStatus(task.status) ||
    task.request_sha256 !== canonicalHash(buildTaskSubmission(request))
  )
    return;
  const why = `its request was rejected: ${request.reason ?? 'no reason given'}`;
  await tasks.applyCommand(task, (each) =>
    isTerminalStatus(each.status) ? null : cancelTask(each, why, request.requested_by, now()),
  );
}

/**
 * Makes follow what must follow from a request: a yes makes its task, a no that came meanwhile takes it away. Each step can be done again,
 * by the stream and by whoever looks at what is due.
 */
export async function applyWorkRequestEffects(id: string, context: WorkRequestEffectsContext): Promise<void> {
  const { workRequests, now } = context;
  let request = await workRequests.find(id);
  if (!request || !hasBeenApproved(request)) return;
  if (request.status === 'approved') {
    const refused = await createRequestedTask(request, context).catch((error: unknown) => {
      if (error instanceof Refusal && error.code !== 'busy') return error;
      throw error;
    });
    request = await workRequests.applyCommand(id, (present) =>
      refused === null
        ? recordWorkRequestTaskCreated(present, now())
        : refuseApprovedWorkRequest(
            present,
            refused instanceof Refusal ? refused.message : describeCreationRefusal(refused),
            now(),
          ),
    );
  }
  // A no that has come between is read here, or by its own record of the stream.
  if (request.status !== 'cancelled') return;
  await cancelRequestedTask(request, context);
  await workRequests.clearDeadline(request);
}

const LISTING = 'requests';

/** Requests of one status, the oldest first. */
export async function listWorkRequests(
  query: z.infer<typeof WorkRequestsQuery>,
  requests: WorkRequestStore,
  shows: (request: WorkRequest) => boolean,
): Promise<z.infer<typeof WorkRequestList>> {
  const { status, limit } = query;
  const page = await requests.listByStatus(status, limit, parseCursor(LISTING, query));
  const found = await Promise.all(page.ids.map((id) => requests.find(id)));
  return {
    requests: found.flatMap((each) =>
      each && each.status === status && shows(each) ? [workRequestView(each)] : [],
    ),
    next_cursor: createCursor(LISTING, query, page.next),
  };
}
