import type { PlanRequestFields } from '../../contract/plan/schema.ts';
import { Refusal } from '../../contract/refusal.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import { hiddenTestsLocation } from '../../contract/submission/hidden-tests.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import { evaluatePartialDependencyStart, type TaskDependency } from '../../contract/task/partial-start.ts';
import { MAX_NEW_TASK_BYTES } from '../../contract/task/shrink-task.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import type { PullRequestFields, StoredTests, Task } from '../../contract/task/task.ts';
import { measureItemBytes, measureValueBytes } from '../../lib/item-size.ts';
import { chooseRole } from '../routing/choose-role.ts';
import { parseFullCommitId, shouldStartCascade } from './base-commit.ts';
import { toIsoTime } from './task-change.ts';

export type { TaskDependency } from '../../contract/task/partial-start.ts';

export interface TaskCreationContext {
  readonly id: string;
  readonly now: Date;
  readonly by: string;
  readonly requestSha256: string;
  /** Set when the platform makes it from another task. */
  readonly origin?: Task['origin'];
  /** Set when the task is a plan. */
  readonly plan?: PlanRequestFields | undefined;
  /** Set when the task verifies a pull request. */
  readonly pullRequest?: PullRequestFields | undefined;
  /** Tests of the task whose work this one continues; absent: those of the request. */
  readonly storedTests?: StoredTests | undefined;
  /** The dependencies that exist, by id. */
  readonly dependencies: ReadonlyMap<string, TaskDependency>;
}

/** Which dependency a task waits for, with the reason people read; null when all are done. A failed dependency is named first: it needs a person. */
export function findBlockingDependency(
  dependsOn: readonly string[],
  dependencies: ReadonlyMap<string, TaskDependency>,
): Pick<Task, 'waits_for' | 'blocked_reason'> | null {
  const unmet = dependsOn.flatMap((id) => {
    const dependency = dependencies.get(id);
    return dependency && dependency.status !== 'done' ? [dependency] : [];
  });
  const worst = unmet.find((each) => isTerminalStatus(each.status)) ?? unmet[0];
  if (!worst) return null;
  if (worst.status === 'failed')
    return {
      waits_for: worst.id,
      blocked_reason: {
        code: 'dependency_failed',
        task_id: worst.id,
        message: `waits for ${worst.id}, which failed; retry or cancel it`,
      },
    };
  if (worst.status === 'cancelled')
    return {
      waits_for: worst.id,
      blocked_reason: {
        code: 'dependency_cancelled',
        task_id: worst.id,
        message: `waits for ${worst.id}, which was cancelled`,
      },
    };
  return {
    waits_for: worst.id,
    blocked_reason: { code: 'dependency_pending', task_id: worst.id, message: `waits for ${worst.id}` },
  };
}

/** Does the same as `evaluatePartialDependencyStart`, where all that it depends on is known. */
export function findPartialDependencyStart(
  { depends_on, partial_dependencies }: Pick<Task, 'depends_on' | 'partial_dependencies'>,
  dependencies: ReadonlyMap<string, TaskDependency>,
): Task['partial_start'] | null {
  const known = depends_on.flatMap((id) => dependencies.get(id) ?? []);
  // One with a fix-up has not failed for good.
  if (known.length < depends_on.length || known.some(({ superseded_by }) => superseded_by)) return null;
  return evaluatePartialDependencyStart(partial_dependencies, known);
}

/** A new task: `blocked` while a dependency is not done, else `open`. An open task starts its cascade at once (run 1), an outside agent's only to learn its base. */
export function createTask(request: TaskSubmission, context: TaskCreationContext): Task {
  const partial = findPartialDependencyStart(request, context.dependencies);
  const waiting = partial ? null : findBlockingDependency(request.depends_on, context.dependencies);
  const at = toIsoTime(context.now);
  const { id: _ignored, hidden_tests: hidden, exam, delivery, ...fields } = request;
  const base_commit = parseFullCommitId(request.base_ref);
  const { role, reason: role_reason } = chooseRole(request);
  const task: Task = {
    ...fields,
    role,
    ...(role_reason === null ? {} : { role_reason }),
    ...(context.pullRequest && { runner: 'pull_request', pull_request: context.pullRequest }),
    ...(context.plan === undefined ? {} : { plan: context.plan }),
    ...(context.origin && { origin: context.origin }),
    id: context.id,
    status: waiting ? 'blocked' : 'open',
    version: 1,
    created_at: at,
    updated_at: at,
    created_by: context.by,
    request_sha256: context.requestSha256,
    hidden_tests: hidden
      ? hiddenTestsLocation(context.id, hidden)
      : (context.storedTests?.hidden_tests ?? null),
    ...(exam
      ? { exam: hiddenTestsLocation(context.id, exam, s3ObjectKeys.exam) }
      : context.storedTests?.exam && { exam: context.storedTests.exam }),
    run: !waiting && shouldStartCascade({ ...request, base_commit }) ? 1 : 0,
    base_commit,
    resolved_role: null,
    waits_for: waiting?.waits_for ?? null,
    blocked_reason: waiting?.blocked_reason ?? null,
    retries: 0,
    ...(partial && { partial_start: partial }),
    attempts: [],
    first_budgeted_attempt: 1,
    hold: null,
    review: null,
    delivery: null,
    ...(delivery === undefined ? {} : { delivery_mode: delivery }),
    failure: null,
    ended_at: null,
    verified: null,
    verification_count: null,
    flagged_unverified: false,
    expires_at: null,
  };
  const bytes = measureItemBytes(task);
  if (bytes > MAX_NEW_TASK_BYTES) {
    const [largest = 'description'] = Object.entries(fields)
      .sort(([, a], [, b]) => measureValueBytes(b) - measureValueBytes(a))
      .map(([name]) => name);
    throw new Refusal('invalid', `the task takes ${bytes} bytes; ${MAX_NEW_TASK_BYTES} is the most`, [
      {
        pointer: `/${largest}`,
        message: `is the largest part of a task of ${bytes} bytes; ${MAX_NEW_TASK_BYTES} is the most`,
      },
    ]);
  }
  return task;
}
