import { canonicalHash } from '../canonical.ts';
import { Refusal } from '../refusal.ts';
import type { TaskStore } from '../store/tasks.ts';
import { createTask, type Dependency } from '../task/commands/create.ts';
import { dependenciesFirst, findCycle } from '../task/graph.ts';
import { idForKey, newTaskId } from '../task/ids.ts';
import { regexErrors } from '../task/regex.ts';
import type { SubmitTask } from '../task/schema.ts';
import type { Task } from '../task/task.ts';

export interface SubmitContext {
  readonly tasks: TaskStore;
  readonly now: Date;
  readonly by: string;
  readonly idempotencyKey: string | null;
  /** file:// repositories exist only in the embedded default. */
  readonly allowFileRepositories: boolean;
}

export interface Submitted {
  readonly task: Task;
  /** False when the same request had made this task before. */
  readonly created: boolean;
}

interface Named {
  readonly request: SubmitTask;
  readonly id: string;
  readonly sha: string;
  /** JSON Pointer of the request in the body. */
  readonly at: string;
}

function name(request: SubmitTask, index: number, at: string, context: SubmitContext): Named {
  const errors = regexErrors(request.completion_signals).map((error) => ({
    ...error,
    pointer: `${at}${error.pointer}`,
  }));
  if (errors.length > 0)
    throw new Refusal(
      'invalid',
      errors.map((error) => `${error.pointer} ${error.message}`).join('; '),
      errors,
    );
  if (request.repository.startsWith('file:') && !context.allowFileRepositories)
    throw new Refusal('invalid', `${at}/repository file:// repositories exist only in the embedded default`, [
      { pointer: `${at}/repository`, message: 'file:// repositories exist only in the embedded default' },
    ]);
  const id =
    request.id ??
    (context.idempotencyKey === null
      ? newTaskId(context.now)
      : idForKey(context.by, context.idempotencyKey, index));
  return { request, id, sha: canonicalHash(request), at };
}

/** Refuses unknown and cyclic dependencies, naming them; answers with the existing tasks among them. */
async function checkDependencies(
  batch: readonly Named[],
  tasks: TaskStore,
): Promise<Map<string, Dependency>> {
  const own = new Map(batch.map((each) => [each.id, each.request.depends_on]));
  const cycle = findCycle(own);
  if (cycle) {
    const culprit = batch.find((each) => each.id === cycle[0]);
    throw new Refusal('dependency_cycle', `the dependencies form a cycle: ${cycle.join(' -> ')}`, [
      { pointer: `${culprit?.at ?? ''}/depends_on`, message: `cycle ${cycle.join(' -> ')}` },
    ]);
  }
  const outside = [...new Set(batch.flatMap((each) => each.request.depends_on).filter((id) => !own.has(id)))];
  const found =
    outside.length === 0
      ? new Map<string, Dependency>()
      : new Map<string, Dependency>(await tasks.getMany(outside));
  const unknown = batch.flatMap((each) =>
    each.request.depends_on.flatMap((id, index) =>
      own.has(id) || found.has(id)
        ? []
        : [{ pointer: `${each.at}/depends_on/${index}`, message: `there is no task ${id}` }],
    ),
  );
  if (unknown.length > 0)
    throw new Refusal(
      'dependency_unknown',
      unknown.map((each) => `${each.pointer} ${each.message}`).join('; '),
      unknown,
    );
  return found;
}

function mismatch(named: Named, context: SubmitContext): Refusal {
  return context.idempotencyKey !== null && named.request.id === undefined
    ? new Refusal(
        'idempotency_mismatch',
        `the idempotency key has made task ${named.id} from a different request`,
      )
    : new Refusal('id_taken', `the id ${named.id} belongs to a different task`, [
        { pointer: `${named.at}/id`, message: 'belongs to a different task' },
      ]);
}

async function write(
  named: Named,
  dependencies: ReadonlyMap<string, Dependency>,
  context: SubmitContext,
): Promise<Submitted> {
  const task = createTask(named.request, {
    id: named.id,
    now: context.now,
    by: context.by,
    requestSha256: named.sha,
    dependencies,
  });
  const result = await context.tasks.create(task);
  if (!result.created && result.task.request_sha256 !== named.sha) throw mismatch(named, context);
  return result;
}

/** Makes one task: one conditional write. A repeat with the same id or idempotency key answers with the task that is there. */
export async function submitTask(request: SubmitTask, context: SubmitContext): Promise<Submitted> {
  const named = name(request, 0, '', context);
  return write(named, await checkDependencies([named], context.tasks), context);
}

/** Makes several tasks that may depend on each other, dependencies first. Everything is checked before anything is written. */
export async function submitBatch(
  requests: readonly SubmitTask[],
  context: SubmitContext,
): Promise<Submitted[]> {
  const batch = requests.map((request, index) => name(request, index, `/tasks/${index}`, context));
  const byId = new Map<string, Named>();
  for (const each of batch) {
    if (byId.has(each.id))
      throw new Refusal('invalid', `${each.at}/id ${each.id} is used twice`, [
        { pointer: `${each.at}/id`, message: 'is used twice in this batch' },
      ]);
    byId.set(each.id, each);
  }
  const outside = await checkDependencies(batch, context.tasks);
  const present = await context.tasks.getMany([...byId.keys()]);
  for (const [id, task] of present) {
    const named = byId.get(id);
    if (named && task.request_sha256 !== named.sha) throw mismatch(named, context);
  }
  const known = new Map<string, Dependency>(outside);
  const done = new Map<string, Submitted>();
  for (const id of dependenciesFirst(new Map(batch.map((each) => [each.id, each.request.depends_on])))) {
    const named = byId.get(id);
    if (!named) continue;
    const result = await write(named, known, context);
    known.set(id, result.task);
    done.set(id, result);
  }
  return batch.flatMap((each) => done.get(each.id) ?? []);
}
