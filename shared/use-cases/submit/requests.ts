import type * as z from 'zod';
import { cursorBehind, startOf } from '../../api/page-cursor.ts';
import type { RequestBody, RequestList, RequestsQuery } from '../../api/request-schemas.ts';
import { requestView } from '../../api/request-view.ts';
import type { WorkRequest } from '../../contract/intake/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { isTerminal } from '../../contract/task/status.ts';
import {
  mayHaveTask,
  newRequest,
  refuseRequest,
  taskCreated,
  taskOf,
} from '../../control/intake/commands.ts';
import { createTask } from '../../control/task-commands/create.ts';
import { cancel } from '../../control/task-commands/operate.ts';
import { canonicalHash } from '../../lib/canonical.ts';
import type { RequestStore } from '../../store/requests.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { made, nameAll, type SubmitContext } from './submit.ts';

/** Somebody asks for work. It is checked as the task that it will be; nothing is made yet. */
export async function enterRequest(
  { strategy, ...requirement }: z.infer<typeof RequestBody>,
  context: SubmitContext & { readonly requests: RequestStore },
): Promise<{ readonly entered: boolean; readonly request: WorkRequest }> {
  const [named] = nameAll([requirement], () => '', context);
  if (!named) throw new Error('one request has one name');
  made(named, new Map(), context);
  const request = newRequest(requirement, { id: named.id, by: context.by, strategy, now: context.now });
  const result = await context.requests.enter(request);
  if (!result.entered && result.request.request_sha256 !== request.request_sha256)
    throw new Refusal(
      'idempotency_mismatch',
      `the idempotency key has made request ${request.id} from a different body`,
    );
  return result;
}

export interface FollowRequestContext {
  readonly requests: RequestStore;
  readonly tasks: TaskStore;
  readonly now: () => Date;
}

/** The task of a request as it is made, whenever that is. */
async function make(request: WorkRequest, { tasks }: FollowRequestContext): Promise<string | null> {
  const asked = taskOf(request);
  const dependencies = await tasks.getMany(asked.depends_on);
  const missing = asked.depends_on.filter((id) => !dependencies.has(id));
  if (missing.length > 0) return `there is no task ${missing.join(', ')} that it depends on`;
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
  return task.request_sha256 === requestSha256 ? null : `the id ${request.id} belongs to a different task`;
}

/** A no that came while the task was being made: it is withdrawn, if it is this request's and not over. */
async function withdraw(request: WorkRequest, { tasks, now }: FollowRequestContext): Promise<void> {
  const task = await tasks.get(request.id);
  if (!task || isTerminal(task.status) || task.request_sha256 !== canonicalHash(taskOf(request))) return;
  const why = `its request was rejected: ${request.reason ?? 'no reason given'}`;
  await tasks.change(task, (each) =>
    isTerminal(each.status) ? null : cancel(each, why, request.requested_by, now()),
  );
}

/**
 * Makes follow what must follow from a request: a yes makes its task, a no that came meanwhile takes it away. Each step can be done again,
 * by the stream and by whoever looks at what is due.
 */
export async function followRequest(id: string, context: FollowRequestContext): Promise<void> {
  const { requests, now } = context;
  let request = await requests.find(id);
  if (!request || !mayHaveTask(request)) return;
  if (request.status === 'approved') {
    const refused = await make(request, context).catch((error: unknown) => {
      if (error instanceof Refusal && error.code !== 'busy') return error.message;
      throw error;
    });
    request = await requests.advance(id, (present) =>
      refused === null ? taskCreated(present, now()) : refuseRequest(present, refused, now()),
    );
  }
  // A no that has come between is read here, or by its own record of the stream.
  if (request.status !== 'cancelled') return;
  await withdraw(request, context);
  await requests.settleOn(request);
}

const LISTING = 'requests';

/** Requests of one status, the oldest first. */
export async function listRequests(
  query: z.infer<typeof RequestsQuery>,
  requests: RequestStore,
  shows: (request: WorkRequest) => boolean,
): Promise<z.infer<typeof RequestList>> {
  const { status, limit } = query;
  const page = await requests.listed(status, limit, startOf(LISTING, query));
  const found = await Promise.all(page.ids.map((id) => requests.find(id)));
  return {
    requests: found.flatMap((each) =>
      each && each.status === status && shows(each) ? [requestView(each)] : [],
    ),
    next_cursor: cursorBehind(LISTING, query, page.next),
  };
}
