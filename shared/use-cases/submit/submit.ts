import { invalid } from '../../api/problem.ts';
import type { PlanOf } from '../../contract/plan/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { isSameRepository, longestScope } from '../../contract/repository/url.ts';
import { findCycle } from '../../contract/submission/graph.ts';
import { hiddenText } from '../../contract/submission/hidden-tests.ts';
import { idForKey, newTaskId } from '../../contract/submission/ids.ts';
import { regexErrors } from '../../contract/submission/regex.ts';
import type { SubmitTask } from '../../contract/submission/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import { type Agents, adapterProblems } from '../../control/task-commands/adapter-choice.ts';
import { createTask, type Dependency } from '../../control/task-commands/create.ts';
import { deliveryProblems } from '../../control/task-commands/delivery-choice.ts';
import { canonicalHash } from '../../lib/canonical.ts';
import type { ObjectStore } from '../../store/objects.ts';
import type { TaskStore } from '../../store/tasks.ts';

export interface SubmitContext {
  readonly tasks: TaskStore;
  readonly objects: Pick<ObjectStore, 'putOnce'>;
  readonly now: Date;
  readonly by: string;
  readonly idempotencyKey: string | null;
  /** Is the caller's token good for a repository? Absent: for all. */
  readonly serves?: (repository: string) => boolean;
  /** file:// and ssh:// repositories exist only in the embedded default. */
  readonly allowFileRepositories: boolean;
  /** What the deployment has credentials to push to; empty: none, and pushes are made without. */
  readonly deliverTo: readonly string[];
  /** What it has credentials to read from, beside what everybody may read; absent: nothing. */
  readonly readFrom?: readonly string[];
  /** URL prefixes of repositories that pull requests are opened for; absent: none. */
  readonly forges?: readonly string[];
  /** Set when what is made is a plan. */
  readonly plan?: PlanOf;
  /** What can run tasks here. */
  readonly agents: Agents;
}

export interface Submitted {
  readonly task: Task;
  /** False when the same request had made this task before. */
  readonly created: boolean;
}

export interface Named {
  readonly request: SubmitTask;
  readonly id: string;
  readonly sha: string;
  /** JSON Pointer of the request in the body. */
  readonly at: string;
}

/** Why the repository of a request is not taken here; null when it is. */
function notServed(
  repository: string,
  { allowFileRepositories, deliverTo, serves }: SubmitContext,
  what: string,
): string | null {
  if (serves?.(repository) === false) return 'is none that your token is good for';
  if (repository.startsWith('file:'))
    return allowFileRepositories ? null : 'file:// repositories exist only in the embedded default';
  if (repository.startsWith('ssh:') && !allowFileRepositories)
    return `is over ssh://, which no box can reach: name it by https://, and give the deployment a read credential for it where it is private (assay:gitSecretArn)`;
  const scopes = deliverTo.map((url) => ({ url }));
  return scopes.length === 0 || longestScope(scopes, repository)
    ? null
    : `${what}: this deployment pushes to ${deliverTo.join(', ')}`;
}

/** Why hidden tests do not stay hidden in this repository, or are not taken from it; null when they are. */
function notHidden({ repository, hidden_tests: hidden }: SubmitTask, context: SubmitContext): string | null {
  if (hidden?.kind !== 'git') return null;
  if (isSameRepository(hidden.repository, repository))
    return "is the task's own repository, which the agent can read";
  return notServed(
    hidden.repository,
    {
      ...context,
      deliverTo: context.deliverTo.length === 0 ? [] : [...context.deliverTo, ...(context.readFrom ?? [])],
    },
    'is none that this deployment knows',
  );
}

/** What needs more than the schema to be refused, of all tasks before anything of them is looked up. */
function checkRequests(
  requests: readonly { request: SubmitTask; at: string }[],
  context: SubmitContext,
): void {
  const errors = [
    ...requests.flatMap(({ request, at }) => {
      const served = notServed(request.repository, context, 'cannot be delivered to');
      const hidden = notHidden(request, context);
      return [
        ...(served === null ? [] : [{ pointer: `${at}/repository`, message: served }]),
        ...(hidden === null ? [] : [{ pointer: `${at}/hidden_tests/repository`, message: hidden }]),
        ...[
          ...adapterProblems(request, context.agents),
          ...deliveryProblems(request, context.forges ?? []),
        ].map((each) => ({
          ...each,
          pointer: `${at}${each.pointer}`,
        })),
      ];
    }),
    ...regexErrors(requests.map(({ request, at }) => ({ at, signals: request.completion_signals }))),
  ];
  if (errors.length > 0) throw invalid(errors);
}

/** Gives each request of a body its id, and refuses what the schema alone cannot. `place`: the JSON Pointer of each in the body. */
export function nameAll(
  requests: readonly SubmitTask[],
  place: (index: number) => string,
  context: SubmitContext,
): Named[] {
  checkRequests(
    requests.map((request, index) => ({ request, at: place(index) })),
    context,
  );
  return requests.map((request, index) => {
    const made = (): string =>
      context.idempotencyKey === null
        ? newTaskId(context.now)
        : idForKey(context.by, context.idempotencyKey, index);
    return {
      request,
      id: request.id ?? made(),
      sha: canonicalHash(context.plan ? { ...request, plan: context.plan } : request),
      at: place(index),
    };
  });
}

/** Most tasks outside of it that one batch may depend on: each is read. */
const MAX_OUTSIDE = 1_000;

/** Refuses unknown and cyclic dependencies, naming them; answers with the existing tasks among them. */
export async function checkDependencies(
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
  if (outside.length > MAX_OUTSIDE)
    throw invalid([
      { pointer: '/tasks', message: `depends on more than ${MAX_OUTSIDE} tasks outside of the batch` },
    ]);
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
  if (unknown.length > 0) throw invalid(unknown, 'dependency_unknown');
  return found;
}

export function mismatch(named: Named, context: SubmitContext): Refusal {
  return context.idempotencyKey !== null && named.request.id === undefined
    ? new Refusal(
        'idempotency_mismatch',
        `the idempotency key has made task ${named.id} from a different request`,
      )
    : new Refusal('id_taken', `the id ${named.id} belongs to a different task`, [
        { pointer: `${named.at}/id`, message: 'belongs to a different task' },
      ]);
}

/** The task that a request makes. @throws Refusal when it is too large to be stored. */
export function made(
  named: Named,
  dependencies: ReadonlyMap<string, Dependency>,
  { now, by, plan }: SubmitContext,
): Task {
  return createTask(named.request, { id: named.id, now, by, requestSha256: named.sha, dependencies, plan });
}

/**
 * The one conditional write that makes a task. Its hidden tests are stored before: no task is there without them, and what
 * is left of a request that came no further nobody is ever told of; the bucket removes it with age. @throws Refusal when the id belongs to a different one. */
export async function write(
  named: Named,
  dependencies: ReadonlyMap<string, Dependency>,
  context: SubmitContext,
): Promise<Submitted> {
  const task = made(named, dependencies, context);
  const { hidden_tests: hidden } = named.request;
  if (hidden && task.hidden_tests)
    await context.objects.putOnce(task.hidden_tests.key, hiddenText(hidden), 'application/json');
  const result = await context.tasks.create(task);
  if (!result.created && result.task.request_sha256 !== named.sha) throw mismatch(named, context);
  return result;
}

/** Makes one task: one conditional write. A repeat with the same id or idempotency key answers with the task that is there. */
export async function submitTask(request: SubmitTask, context: SubmitContext): Promise<Submitted> {
  const [named] = nameAll([request], () => '', context);
  if (!named) throw new Error('one request has one name');
  return write(named, await checkDependencies([named], context.tasks), context);
}
