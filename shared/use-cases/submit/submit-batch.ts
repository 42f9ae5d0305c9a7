import { createInvalidFieldsRefusal } from '../../api/problem.ts';
import { Refusal } from '../../contract/refusal.ts';
import { sortDependenciesFirst } from '../../contract/submission/dependency-graph.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import type { TaskDependency } from '../../control/task-commands/create.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';
import {
  assignTaskIds,
  buildTask,
  checkDependencies,
  createIdempotencyMismatchRefusal,
  type SubmissionWithId,
  type SubmitContext,
  storeTask,
} from './submit-task.ts';

/** Enough that a batch of 100 takes a few round trips, few enough for one table. */
const MAX_CONCURRENT_WRITES = 16;

/** What became of one task of a batch. */
export type BatchTaskResult =
  | { readonly id: string; readonly outcome: 'created' | 'existed'; readonly task: Task }
  | { readonly id: string; readonly outcome: 'refused'; readonly refusal: Refusal };

/** Refuses what can be known before anything is written, so that a batch with a mistake changes nothing. */
function checkSizes(batch: readonly SubmissionWithId[], context: SubmitContext): void {
  for (const named of batch) {
    try {
      buildTask(named, new Map(), context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw createInvalidFieldsRefusal(
        error.errors.map((each) => ({ ...each, pointer: `${named.pointer}${each.pointer}` })),
      );
    }
  }
}

function byUniqueId(batch: readonly SubmissionWithId[]): Map<string, SubmissionWithId> {
  const byId = new Map<string, SubmissionWithId>();
  for (const each of batch) {
    if (byId.has(each.id))
      throw createInvalidFieldsRefusal([
        { pointer: `${each.pointer}/id`, message: `${each.id} is used twice in this batch` },
      ]);
    byId.set(each.id, each);
  }
  return byId;
}

/** The tasks in steps: each depends on none of its own step or of a later one. */
function steps(byId: ReadonlyMap<string, SubmissionWithId>): SubmissionWithId[][] {
  const depth = new Map<string, number>();
  const all: SubmissionWithId[][] = [];
  const edges = new Map([...byId].map(([id, { request }]) => [id, request.depends_on]));
  for (const id of sortDependenciesFirst(edges)) {
    const named = byId.get(id);
    if (!named) continue;
    const at = Math.max(0, ...named.request.depends_on.map((each) => (depth.get(each) ?? -1) + 1));
    depth.set(id, at);
    all[at] = [...(all[at] ?? []), named];
  }
  return all;
}

/**
 * Makes several tasks that may depend on each other, dependencies first, each by one conditional write. All that can be known to be
 * wrong is refused before anything is written; only what another caller does meanwhile is refused for one task and those that depend
 * on it. Cut off in the middle, the same request with the same key goes on where it stopped.
 */
export async function submitBatch(
  requests: readonly TaskSubmission[],
  context: SubmitContext,
): Promise<BatchTaskResult[]> {
  const batch = assignTaskIds(requests, (index) => `/tasks/${index}`, context);
  const byId = byUniqueId(batch);
  checkSizes(batch, context);
  const known = new Map<string, TaskDependency>(await checkDependencies(batch, context.tasks));
  const present = await context.tasks.getMany([...byId.keys()]);
  const results = new Map<string, BatchTaskResult>();
  for (const [id, task] of present) {
    const named = byId.get(id);
    if (named && task.request_sha256 !== named.requestSha256)
      throw createIdempotencyMismatchRefusal(named, context);
    known.set(id, task);
    results.set(id, { id, outcome: 'existed', task });
  }
  const submit = async (named: SubmissionWithId): Promise<void> => {
    const { id, request } = named;
    const missing = request.depends_on.find((each) => !known.has(each));
    try {
      if (missing !== undefined)
        throw new Refusal('dependency_unknown', `task ${missing} of this batch was refused`);
      const { task, created } = await storeTask(named, known, context);
      known.set(id, task);
      results.set(id, { id, outcome: created ? 'created' : 'existed', task });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      results.set(id, { id, outcome: 'refused', refusal: error });
    }
  };
  for (const step of steps(byId))
    await mapConcurrently(
      MAX_CONCURRENT_WRITES,
      step.filter(({ id }) => !results.has(id)),
      submit,
    );
  return batch.flatMap(({ id }) => results.get(id) ?? []);
}
