import { createHash } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import { createInvalidFieldsRefusal } from '../../api/problem.ts';
import type { PlanRequestFields } from '../../contract/plan/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { findMostSpecificScope, isSameRepository } from '../../contract/repository/repository-url.ts';
import { findCycle } from '../../contract/submission/dependency-graph.ts';
import { type HiddenTestsLocation, serializeHiddenTests } from '../../contract/submission/hidden-tests.ts';
import { findRegexErrors } from '../../contract/submission/regex.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import type { PullRequestFields, StoredTests, Task } from '../../contract/task/task.ts';
import {
  type AvailableAgentClis,
  findAdapterProblems,
} from '../../control/task-commands/adapter-problems.ts';
import { createTask, type TaskDependency } from '../../control/task-commands/create.ts';
import { findDeliveryProblems } from '../../control/task-commands/delivery-problems.ts';
import { canonicalHash } from '../../lib/canonical-json.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';

const nextUlid = monotonicFactory();

/** A new task id: a ULID, so ids made later sort later. */
const newTaskId = (now: Date): string => nextUlid(now.getTime());

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The id of the task that an idempotency key makes: the same key of the same principal always names the same task, so that a
 * repeated request finds the first one's item instead of a table of keys. `index` tells the tasks of a batch apart.
 */
function deriveTaskId(principal: string, key: string, index = 0): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([principal, key, index]))
    .digest();
  return Array.from({ length: 26 }, (_, position) => CROCKFORD[(digest[position] ?? 0) % 32]).join('');
}

export interface SubmitContext {
  readonly tasks: TaskStore;
  readonly objects: Pick<ObjectStore, 'putIfAbsent'>;
  readonly now: Date;
  readonly submitter: string;
  readonly idempotencyKey: string | null;
  /** Is the caller's token good for a repository? Absent: for all. */
  readonly canAccess?: (repository: string) => boolean;
  /** file:// and ssh:// repositories exist only in the embedded default. */
  readonly allowFileRepositories: boolean;
  /** What the deployment has credentials to push to; empty: none, and pushes are made without. */
  readonly pushScopes: readonly string[];
  /** What it has credentials to read from, beside what everybody may read; absent: nothing. */
  readonly readScopes?: readonly string[];
  /** URL prefixes of repositories that pull requests are opened for; absent: none. */
  readonly pullRequestScopes?: readonly string[];
  /** Set when what is made is a plan. */
  readonly plan?: PlanRequestFields;
  /** Set when what is made verifies a pull request. */
  readonly pullRequest?: PullRequestFields;
  /** Set when what is made is judged by the stored tests of another task. */
  readonly storedTests?: StoredTests;
  /** What can run tasks here. */
  readonly agents: AvailableAgentClis;
}

export interface SubmitResult {
  readonly task: Task;
  /** False when the same request had made this task before. */
  readonly created: boolean;
}

export interface SubmissionWithId {
  readonly request: TaskSubmission;
  readonly id: string;
  readonly requestSha256: string;
  /** JSON Pointer of the request in the body. */
  readonly pointer: string;
}

type RepositoryRefusal =
  | { readonly code: 'outside_token' | 'no_file_repositories' | 'no_ssh' | 'own_repository' }
  | { readonly code: 'outside_scopes'; readonly what: string; readonly scopes: readonly string[] };

function describeRepositoryRefusal(refusal: RepositoryRefusal): string {
  switch (refusal.code) {
    case 'outside_token':
      return 'is none that your token is good for';
    case 'no_file_repositories':
      return 'file:// repositories exist only in the embedded default';
    case 'no_ssh':
      return 'is over ssh://, which no box can reach: name it by https://, and give the deployment a read credential for it where it is private (assay:gitSecretArn)';
    case 'own_repository':
      return "is the task's own repository, which the agent can read";
    case 'outside_scopes':
      return `${refusal.what}: this deployment pushes to ${refusal.scopes.join(', ')}`;
  }
}

/** Returns why the repository of a request is not accepted, or null. */
function repositoryRefusal(
  repository: string,
  { allowFileRepositories, pushScopes, canAccess }: SubmitContext,
  what: string,
): RepositoryRefusal | null {
  if (canAccess?.(repository) === false) return { code: 'outside_token' };
  if (repository.startsWith('file:')) return allowFileRepositories ? null : { code: 'no_file_repositories' };
  if (repository.startsWith('ssh:') && !allowFileRepositories) return { code: 'no_ssh' };
  const scopes = pushScopes.map((url) => ({ url }));
  return scopes.length === 0 || findMostSpecificScope(scopes, repository)
    ? null
    : { code: 'outside_scopes', what, scopes: pushScopes };
}

/** Returns why hidden tests do not stay hidden in this repository, or are not taken from it; null: they may be. */
function hiddenTestsRefusal(
  { repository, hidden_tests: hidden }: TaskSubmission,
  context: SubmitContext,
): RepositoryRefusal | null {
  if (hidden?.kind !== 'git') return null;
  if (isSameRepository(hidden.repository, repository)) return { code: 'own_repository' };
  return repositoryRefusal(
    hidden.repository,
    {
      ...context,
      pushScopes:
        context.pushScopes.length === 0 ? [] : [...context.pushScopes, ...(context.readScopes ?? [])],
    },
    'is none that this deployment knows',
  );
}

/** What needs more than the schema to be refused, of all tasks before anything of them is looked up. */
function checkRequests(
  requests: readonly { request: TaskSubmission; at: string }[],
  context: SubmitContext,
): void {
  const errors = [
    ...requests.flatMap(({ request, at }) => {
      const served = repositoryRefusal(request.repository, context, 'cannot be delivered to');
      const hidden = hiddenTestsRefusal(request, context);
      return [
        ...(served === null
          ? []
          : [{ pointer: `${at}/repository`, message: describeRepositoryRefusal(served) }]),
        ...(hidden === null
          ? []
          : [{ pointer: `${at}/hidden_tests/repository`, message: describeRepositoryRefusal(hidden) }]),
        ...(request.exam && request.acceptance_tests === 'off'
          ? [{ pointer: `${at}/acceptance_tests`, message: 'is off, and the task has an exam' }]
          : []),
        ...[
          // No agent works on a pull request.
          ...(context.pullRequest ? [] : findAdapterProblems(request, context.agents)),
          ...findDeliveryProblems(request, context.pullRequestScopes ?? []),
        ].map((each) => ({
          ...each,
          pointer: `${at}${each.pointer}`,
        })),
      ];
    }),
    ...findRegexErrors(requests.map(({ request, at }) => ({ at, signals: request.completion_signals }))),
  ];
  if (errors.length > 0) throw createInvalidFieldsRefusal(errors);
}

/** Gives each request of a body its id, and refuses what the schema alone cannot. `place`: the JSON Pointer of each in the body. */
export function assignTaskIds(
  requests: readonly TaskSubmission[],
  place: (index: number) => string,
  context: SubmitContext,
): SubmissionWithId[] {
  checkRequests(
    requests.map((request, index) => ({ request, at: place(index) })),
    context,
  );
  return requests.map((request, index) => {
    const made = (): string =>
      context.idempotencyKey === null
        ? newTaskId(context.now)
        : deriveTaskId(context.submitter, context.idempotencyKey, index);
    return {
      request,
      id: request.id ?? made(),
      requestSha256: canonicalHash({
        ...request,
        ...(context.plan && { plan: context.plan }),
        ...(context.pullRequest && { pull_request: context.pullRequest }),
      }),
      pointer: place(index),
    };
  });
}

/** Most tasks outside of it that one batch may depend on: each is read. */
const MAX_OUTSIDE = 1_000;

/** Refuses unknown and cyclic dependencies, naming them; answers with the existing tasks among them. */
export async function checkDependencies(
  batch: readonly SubmissionWithId[],
  tasks: TaskStore,
): Promise<Map<string, TaskDependency>> {
  const own = new Map(batch.map((each) => [each.id, each.request.depends_on]));
  const cycle = findCycle(own);
  if (cycle) {
    const culprit = batch.find((each) => each.id === cycle[0]);
    throw new Refusal('dependency_cycle', `the dependencies form a cycle: ${cycle.join(' -> ')}`, [
      { pointer: `${culprit?.pointer ?? ''}/depends_on`, message: `cycle ${cycle.join(' -> ')}` },
    ]);
  }
  const outside = [...new Set(batch.flatMap((each) => each.request.depends_on).filter((id) => !own.has(id)))];
  if (outside.length > MAX_OUTSIDE)
    throw createInvalidFieldsRefusal([
      { pointer: '/tasks', message: `depends on more than ${MAX_OUTSIDE} tasks outside of the batch` },
    ]);
  const found =
    outside.length === 0
      ? new Map<string, TaskDependency>()
      : new Map<string, TaskDependency>(await tasks.getMany(outside));
  const unknown = batch.flatMap((each) =>
    each.request.depends_on.flatMap((id, index) =>
      own.has(id) || found.has(id)
        ? []
        : [{ pointer: `${each.pointer}/depends_on/${index}`, message: `there is no task ${id}` }],
    ),
  );
  if (unknown.length > 0) throw createInvalidFieldsRefusal(unknown, 'dependency_unknown');
  return found;
}

export function createIdempotencyMismatchRefusal(named: SubmissionWithId, context: SubmitContext): Refusal {
  return context.idempotencyKey !== null && named.request.id === undefined
    ? new Refusal(
        'idempotency_mismatch',
        `the idempotency key has made task ${named.id} from a different request`,
      )
    : new Refusal('id_taken', `the id ${named.id} belongs to a different task`, [
        { pointer: `${named.pointer}/id`, message: 'belongs to a different task' },
      ]);
}

/** The task that a request makes. @throws Refusal when it is too large to be stored. */
export function buildTask(
  named: SubmissionWithId,
  dependencies: ReadonlyMap<string, TaskDependency>,
  { now, submitter, plan, pullRequest, storedTests }: SubmitContext,
): Task {
  return createTask(named.request, {
    id: named.id,
    now,
    by: submitter,
    requestSha256: named.requestSha256,
    dependencies,
    plan,
    pullRequest,
    storedTests,
  });
}

/**
 * The one conditional write that makes a task. Its hidden tests and its exam are stored before: no task exists without them. The
 * bucket removes with age what a request leaves that ends before the write. @throws Refusal when the id belongs to a different one. */
export async function storeTask(
  named: SubmissionWithId,
  dependencies: ReadonlyMap<string, TaskDependency>,
  context: SubmitContext,
): Promise<SubmitResult> {
  const task = buildTask(named, dependencies, context);
  const { hidden_tests: hidden, exam } = named.request;
  const store = (place: HiddenTestsLocation | null | undefined, tests: object | undefined) =>
    place && tests
      ? context.objects.putIfAbsent(place.key, serializeHiddenTests(tests), 'application/json')
      : null;
  await Promise.all([store(task.hidden_tests, hidden), store(task.exam, exam)]);
  const result = await context.tasks.create(task);
  if (!result.created && result.task.request_sha256 !== named.requestSha256)
    throw createIdempotencyMismatchRefusal(named, context);
  return result;
}

/** Makes one task: one conditional write. A repeat with the same id or idempotency key answers with the task that is there. */
export async function submitTask(request: TaskSubmission, context: SubmitContext): Promise<SubmitResult> {
  const [named] = assignTaskIds([request], () => '', context);
  if (!named) throw new Error('one request has one name');
  return storeTask(named, await checkDependencies([named], context.tasks), context);
}
