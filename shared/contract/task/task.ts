import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { AutonomyLevel } from '../approval/autonomy.ts';
import { Approval } from '../approval/schema.ts';
import { FAILURE_MODES } from '../failure/failure-record.ts';
import { PlanRequestFields } from '../plan/schema.ts';
import { GitObjectId, GitRef } from '../repository/git-ref.ts';
import { ResolvedRole } from '../roles/resolved-role.ts';
import { HiddenTestsLocation } from '../submission/hidden-tests.ts';
import { DeliveryMode, RunnerKind, TaskId, TaskSubmission } from '../submission/schema.ts';
import { AuthorSignal, CheckoutPath, MAX_AUTHOR_SIGNALS } from '../submission/signals.ts';
import { ResolvedWorkflow } from '../workflow/resolved-workflow.ts';
import { Attempt } from './attempt.ts';
import { DeliveryOutcome } from './delivery-outcome.ts';
import { REVIEW_HOLD_EXPIRY_OUTCOMES } from './hold-limit.ts';
import { TaskStatus } from './status.ts';

/** A person's hold on an `in_review` task: the verdict was `refer`. */
export const ReviewHold = z.object({
  reasons: z.array(z.string()),
  since: z.iso.datetime(),
  /** Until when a person may decide, and what happens then. Absent: no limit. */
  expires_at: z.iso.datetime().optional(),
  expiry_outcome: z.enum(REVIEW_HOLD_EXPIRY_OUTCOMES).optional(),
});
/** A person's word on a held task. */
export const ReviewDecision = z.object({
  decision: z.enum(['approve', 'reject']),
  reason: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  base_commit: z.string(),
  tree: z.string(),
  /** Files that steer checks, were judged as the base has them, and are delivered as the patch has them on this word. */
  accepted_protected_files: z.array(z.string()).optional(),
  accepted_protected_files_omitted: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'How many more such files there are than `accepted_protected_files` lists; the evidence names them.',
    ),
});

export const DELIVERY_STATES = ['pushing', 'delivered', 'withheld', 'refused'] as const;
export const TaskDelivery = z.object({
  state: z.enum(DELIVERY_STATES),
  /** Base and tree that were, or are being, delivered; a verdict on any other pair does not count. */
  base_commit: z.string(),
  tree: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  reason: z.string().nullable(),
  at: z.iso.datetime(),
});
export type TaskDelivery = z.infer<typeof TaskDelivery>;

/** The pull request (or merge request, or merge group) whose head commit a task verifies. */
export const PullRequestFields = z.object({
  kind: z.enum(['pull_request', 'merge_group']),
  number: z.number().int().positive(),
  /** The ref of the target repository that has the head commit, e.g. `refs/pull/7/head`; forks have one, too. */
  head_ref: GitRef,
  head_commit: GitObjectId,
  /** The branch that it asks to be merged into, without `refs/heads/`; the check is named after it. */
  base_branch: z.string().min(1).max(1_000),
  /** The head commit before the push that the event is about; null where the event names none. */
  previous_head: GitObjectId.nullable(),
  /** Login at the forge. */
  author: z.string().max(200),
  author_kind: z.enum(['bot', 'person']),
  from_fork: z.boolean(),
  /** Issues that the text closes and that were read. */
  issues: z.array(z.number().int().positive()).max(10),
  /** What the author asks to be checked, where the text names any. */
  author_signals: z.array(AuthorSignal).max(MAX_AUTHOR_SIGNALS).optional(),
  /** When the event happened, by the forge's clock. */
  at: z.iso.datetime({ offset: true }),
});
export type PullRequestFields = z.infer<typeof PullRequestFields>;

/** The pull request that a task revises: its work is one more commit on that branch. */
export const RevisionFields = z.object({
  /** The task that the pull request was opened for. */
  task_id: TaskId,
  number: z.number().int().positive(),
  branch: z.string().min(1).max(1_000),
  generation: z.number().int().positive(),
  /** The comment or review that asks for it, e.g. `comment-12`: told of twice, it makes one task. */
  request: z.string().max(100),
  /** Login at the forge. */
  requested_by: z.string().max(200),
});
export type RevisionFields = z.infer<typeof RevisionFields>;

/** One verification of a pull request, as far as its order among others needs it. */
export type PullRequestVerification = Pick<PullRequestFields, 'head_commit' | 'previous_head' | 'at'> & {
  readonly task_id: string;
};

/**
 * Decides whether a verification is newer than the recorded one. Forges tell times in whole seconds: of two events of the same second, the
 * one that names the head of the other as its previous head is newer, and an event without a previous head (opened) comes first.
 */
export function isNewerVerification(
  made: PullRequestVerification,
  recorded: PullRequestVerification,
): boolean {
  const difference = Date.parse(made.at) - Date.parse(recorded.at);
  if (difference !== 0) return difference > 0;
  if (recorded.previous_head === made.head_commit) return false;
  if (made.previous_head === recorded.head_commit) return true;
  return made.previous_head !== null || recorded.previous_head === null;
}

export const BlockedReason = z.object({
  code: z.enum(['dependency_pending', 'dependency_failed', 'dependency_cancelled', 'files_locked']),
  task_id: TaskId,
  message: z.string(),
});

/** Strict where a request is read; what is stored or answered may have fields of a newer version. */
export const StoredSubmission = TaskSubmission.omit({
  id: true,
  hidden_tests: true,
  exam: true,
  delivery: true,
}).strip();

/** The whole state of a task: one item of the table, written as a whole under a condition on `version` and `status`. */
export const Task = StoredSubmission.extend({
  id: TaskId,
  files: z.array(CheckoutPath).default([]),
  status: TaskStatus,
  /** Why this role, where the request left the choice to the platform. */
  role_reason: z.string().optional(),
  runner: RunnerKind.default('managed'),
  /** Set when the task verifies a pull request: no agent works in it, and nothing is delivered. */
  pull_request: PullRequestFields.optional(),
  /** Set when the task is a plan: its work is a proposal, which is never delivered. */
  plan: PlanRequestFields.optional(),
  /** +1 with every write; the ETag. */
  version: z.number().int().positive(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  created_by: z.string(),
  /** SHA-256 of the normalised request: tells a replay from a different request with the same id or idempotency key. */
  request_sha256: z.string(),
  /** Where the hidden tests lie; null: there are none. Nobody is shown it, and the gates box alone is told to read there. */
  hidden_tests: HiddenTestsLocation.nullable(),
  /** Where the submitted exam is stored, for the gates container alone. Absent: none was submitted. */
  exam: HiddenTestsLocation.optional(),
  /** Every +1 makes the stream start a cascade execution; one with an older number changes nothing any more. */
  run: z.number().int().nonnegative(),
  /** The one task that this one waits for just now: an unmet dependency, or a live task that holds its files. */
  waits_for: TaskId.nullable(),
  blocked_reason: BlockedReason.nullable(),
  /**
   * What the platform resolved `base_ref` to, before anybody was given the task; null until then. All work of a round starts from it.
   * An operator's retry begins a new round, which resolves anew.
   */
  base_commit: GitObjectId.nullable(),
  /** What the base says of the task's role, read with it; null until then, and for tasks that the platform does not route. */
  resolved_role: ResolvedRole.nullable(),
  /** The autonomy that `assay.yaml` of the base names, read with it; null: it names none. Absent: nobody has read it. */
  base_autonomy: AutonomyLevel.nullable().optional(),
  /** What the named workflow means for this task, read with the base; absent until then, and for tasks that name none. */
  resolved_workflow: ResolvedWorkflow.optional(),
  /** The toolchain image that the base asks for; absent: the usual one. */
  image: z.string().optional(),
  /** How often a lost lease or box has reopened it; bounded by `max_retries`. */
  retries: z.number().int().nonnegative(),
  /** Set when the platform made it from another task: from which, and what the first of them asked for, as a hash. */
  origin: z.object({ task_id: TaskId, root_task_id: TaskId, root_content_sha256: z.string() }).optional(),
  /** Set when this is a fix-up: of which task, of which piece of work, the how manieth, and how many attempts that has had before. */
  fix_up_of: z
    .object({
      task_id: TaskId,
      root_task_id: TaskId,
      generation: z.int().positive(),
      earlier_attempts: z.int().nonnegative(),
    })
    .optional(),
  /** Set when the task revises a pull request that Assay opened. */
  revision_of: RevisionFields.optional(),
  /** Set with the end of a task whose fix-up takes its place. */
  superseded_by: TaskId.optional(),
  /** Dependencies that failed, and the fix-ups that this task waits for instead. */
  rewired_dependencies: z.array(z.object({ from: TaskId, to: TaskId })).optional(),
  /** Set when it was let go although dependencies had failed. */
  partial_start: z
    .object({
      missing_dependencies: z.array(TaskId),
      completed_share: StorableNumber,
      threshold: StorableNumber,
    })
    .optional(),
  /** So many tasks waited for it when an attempt began: its quality gate asks for one point less, and it has one attempt more. */
  foundation: z.object({ dependents: z.int().positive(), since: z.iso.datetime() }).optional(),
  attempts: z.array(Attempt),
  /** What its agents have asked leave for in mid-run, the oldest first. Absent: nothing. */
  approvals: z.array(Approval).optional(),
  /** Attempts before this one belong to earlier rounds (operator retries) and do not count against the budget. */
  first_budgeted_attempt: z.number().int().positive(),
  hold: ReviewHold.nullable(),
  review: ReviewDecision.nullable(),
  delivery: TaskDelivery.nullable(),
  /** What the request calls `delivery`; absent: `branch`. */
  delivery_mode: DeliveryMode.optional(),
  /** What became of it there, as the forge says. Absent: nothing is known. */
  delivery_outcomes: z.array(DeliveryOutcome).optional(),
  /** Set at the end of life. */
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      /** How it counts for tasks that depend on this one; absent: as an error. */
      mode: z.enum(FAILURE_MODES).optional(),
    })
    .nullable(),
  ended_at: z.iso.datetime().nullable(),
  /** True only when the accepted tree has evidence of ours; null until the task is done. */
  verified: z.boolean().nullable(),
  /** Number of true evidence flags, 0 to 3; null until the task is done. */
  verification_count: z.number().int().min(0).max(3).nullable(),
  flagged_unverified: z.boolean(),
  /** Epoch seconds after which DynamoDB removes the item; null while it lives. */
  expires_at: z.number().int().nullable(),
});
export type Task = z.infer<typeof Task>;
/** Where the tests of a task are stored that its agent never sees. */
export type StoredTests = Pick<Task, 'hidden_tests' | 'exam'>;

/** What evidence, reviews, verdicts and deliveries are about: nothing of them counts for another pair. */
export interface BaseCommitAndTree {
  readonly base_commit: string;
  readonly tree: string;
}

/** The attempt that counts now, or null before the first. */
export const currentAttempt = (task: Pick<Task, 'attempts'>): Attempt | null => task.attempts.at(-1) ?? null;

/** Returns the attempt whose evidence and verdict count for an attempt: an earlier one where that is only delivered again. */
export const findJudgedAttempt = (task: Pick<Task, 'attempts'>, attempt: Attempt): Attempt =>
  task.attempts.find(({ number }) => number === attempt.redelivery?.source_attempt) ?? attempt;

/** The branch that a task is delivered to, unless it revises a pull request. */
export const deliveryBranchName = (taskId: string): string => `assay/${taskId}`;

/** Returns the branch that the work of a task is pushed to. */
export const findDeliveryBranch = ({ id, revision_of }: Pick<Task, 'id' | 'revision_of'>): string =>
  revision_of?.branch ?? deliveryBranchName(id);

/** What the cascade executions of a run are named after, for logs. */
export const cascadeExecutionName = (taskId: string, run: number): string => `${taskId}-r${run}`;

/** Names one container of one attempt: `clientToken` of RunTask (at most 64 characters) is made from it. */
export const containerLaunchName = (taskId: string, attempt: number, kind: string, number: number): string =>
  `${taskId}/${attempt}/${kind}/${number}`;
