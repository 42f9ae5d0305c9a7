import * as z from 'zod';
import { VerdictInput } from '../contract/check-outcome.ts';
import { GitObjectId } from '../contract/repository/git-ref.ts';
import { MAX_REPOSITORY_URL_LENGTH } from '../contract/repository/repository-url.ts';
import { RepositoryUrl } from '../contract/repository/schema.ts';
import { TASK_SUMMARY_FIELDS } from '../contract/resource-names.ts';
import { RoleName, TaskId, TaskSubmission } from '../contract/submission/schema.ts';
import { Attempt } from '../contract/task/attempt.ts';
import { REVIEW_HOLD_EXPIRY_OUTCOMES } from '../contract/task/hold-limit.ts';
import { TaskStatus } from '../contract/task/status.ts';
import { Task } from '../contract/task/task.ts';
import { VerificationNudge } from '../control/ledger/verification-nudge-schema.ts';
import { VerificationSummary } from '../control/verdict/janitor-result.ts';
import { QualityScore } from '../control/verdict/quality-score.ts';

export const BaseCommit = GitObjectId.describe(
  "The task's `base_commit`, which the platform resolved; any other is refused as `wrong_base`.",
);

/** Hides what only the platform may know: token hashes, assignment keys. */
const hidden = { agent: true, gates: true, challenger: true, deliver: true } as const;
export const AttemptView = Attempt.omit(hidden)
  .extend({
    judging_cost_usd: z
      .number()
      .nullable()
      .describe(
        'Cost in dollars of the models that judged the work, in addition to `cost_usd`; 0: none was asked.',
      ),
    inputs: z
      .array(VerdictInput)
      .describe('All evidence that the verdict follows from, bound to base and tree.'),
    quality_score: QualityScore.nullable().describe(
      'Quality score of the gates, with its formula; it decides nothing. Null: no gate ran, or the verdict is not pass.',
    ),
    janitor_result: VerificationSummary.nullable().describe(
      'The verdict in terms of `run_janitor`: signals, gates, judge and fix-ups. Null: there is none yet.',
    ),
  })
  .meta({ id: 'Attempt' });
export type AttemptView = z.infer<typeof AttemptView>;

/** A task as the API shows it: the item less its internals, plus what is derived from it. */
export const TaskView = Task.omit({
  request_sha256: true,
  hidden_tests: true,
  exam: true,
  expires_at: true,
  attempts: true,
  run: true,
})
  .extend({
    attempt_count: z.number().int(),
    model: z.string().nullable(),
    cost_usd: z
      .number()
      .nullable()
      .describe('Cost in dollars of all attempts and of judging them; null: a part of it is unknown.'),
    judging_cost_usd: z.number().nullable().describe('Part of it that models cost that judged the work.'),
    saved_vs_direct_opus_usd: z.number().nullable().describe('May be negative; null: a cost is unknown.'),
    verdict: z.enum(['pass', 'fail', 'refer']).nullable(),
    reasons: z.array(z.string()),
    branch: z.string().nullable(),
    lease_until: z.number().int().nullable(),
    blocks: z
      .array(TaskId)
      .optional()
      .describe(
        'At most 20 tasks that wait for its files or its result. Only `GET /tasks/{id}` returns it, for a task that waits for a decision.',
      ),
    progress: z
      .string()
      .nullable()
      .describe(
        'Progress as the agent reports it: turns, tool calls, files, tokens, cost. Null: no agent runs.',
      ),
  })
  .meta({ id: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

const shown = <K extends string>(names: readonly K[]): Record<K, true> =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<K, true>;

export const TaskSummary = TaskView.pick(shown(TASK_SUMMARY_FIELDS)).meta({ id: 'TaskSummary' });
export type TaskSummary = z.infer<typeof TaskSummary>;

export const SubmitTaskBatchBody = z
  .strictObject({ tasks: z.array(TaskSubmission).min(1).max(100) })
  .meta({ id: 'SubmitBatch' });
/** What became of one task of a batch, in the order in which they were sent. */
export const SubmittedTaskResult = z
  .object({
    id: TaskId,
    outcome: z.enum(['created', 'existed', 'refused']),
    code: z.string().optional().describe('Why it was refused: the code of a problem document.'),
    detail: z.string().optional(),
  })
  .meta({ id: 'BatchResultEntry' });
export const TaskBatchView = z
  .object({
    tasks: z.array(TaskView).describe('The tasks that were not refused.'),
    results: z.array(SubmittedTaskResult),
  })
  .meta({ id: 'Batch' });

export const ListTasksQuery = z.strictObject({
  status: TaskStatus.optional(),
  role: RoleName.optional(),
  // ASCII only, so that the longest query there is fits into what API Gateway takes of a request line.
  repository: z
    .string()
    .max(MAX_REPOSITORY_URL_LENGTH)
    .regex(/^[!-~]*$/, 'must be a URL without blanks, in ASCII')
    .pipe(RepositoryUrl)
    .optional(),
  unverified: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only tasks that completed unverified (or only those that did not).'),
  live: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only tasks that have not ended (or only those that have).'),
  order: z.enum(['oldest', 'newest']).optional().describe('Order by submission; default: oldest first.'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z
    .string()
    .max(2_000)
    .regex(/^[A-Za-z0-9_-]*$/, 'is not one that a listing gave out')
    .optional(),
});
export const TaskList = z
  .object({ tasks: z.array(TaskSummary), next_cursor: z.string().nullable() })
  .meta({ id: 'TaskList' });

export const ReviewsQuery = ListTasksQuery.pick({ role: true, repository: true, limit: true, cursor: true });
/** A task that waits for a person. */
export const PendingReviewItem = TaskSummary.pick({
  id: true,
  title: true,
  role: true,
  priority: true,
  repository: true,
  version: true,
})
  .extend({
    reasons: z.array(z.string()),
    since: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe('When it expires without a decision; null: never.'),
    expiry_outcome: z
      .enum(REVIEW_HOLD_EXPIRY_OUTCOMES)
      .nullable()
      .describe(
        'What happens then: the task fails, or the work is rejected and a stronger model tries. It is never approved.',
      ),
  })
  .meta({ id: 'ReviewItem' });
export type PendingReviewItem = z.infer<typeof PendingReviewItem>;
export const ReviewList = z
  .object({ reviews: z.array(PendingReviewItem), next_cursor: z.string().nullable() })
  .meta({ id: 'ReviewList' });

/** Characters that nobody sees. */
const INVISIBLE = /[\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu;
/** A reason that says something: a text of invisible characters is none. */
const GivenReason = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(2_000)
  .refine((text) => text.replace(INVISIBLE, '') !== '', 'must not be empty');

/** The reason of an approval, cancellation or retry that has none. A rejection must have one. */
export const DEFAULT_DECISION_REASON = 'no reason given';
export const OptionalReasonBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(2_000).default(DEFAULT_DECISION_REASON),
  })
  .meta({ id: 'ReasonBody' });
export const RejectTaskBody = z.strictObject({ reason: GivenReason }).meta({ id: 'RejectionBody' });
export const ReviewTaskBody = z
  .strictObject({
    decision: z.enum(['approve', 'reject']),
    reason: GivenReason,
    base_commit: BaseCommit.optional(),
    tree: GitObjectId.describe('Tree that the decision is about; a different one is refused.'),
  })
  .meta({ id: 'ReviewBody' });

export const AttemptList = z
  .object({
    task_id: TaskId,
    attempts: z.array(AttemptView),
    total_cost_usd: z.number().nullable(),
    judging_cost_usd: z
      .number()
      .nullable()
      .describe('Part of the total that models cost that judged the work.'),
    saved_vs_direct_opus_usd: z.number().nullable(),
    break_even_pass_rate: z.number().nullable(),
  })
  .meta({ id: 'AttemptList' });

/** The nudge, and the completions that it is made of. */
export const VerificationWindowView = z
  .object({
    verification_nudge: VerificationNudge,
    completions: z
      .array(z.object({ task_id: z.string(), at: z.iso.datetime(), verified: z.boolean() }))
      .describe('Completions in the window, newest first.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'VerificationWindow' });
export const ResetVerificationWindowBody = z
  .strictObject({ reason: z.string().trim().min(1).max(2_000) })
  .meta({ id: 'WindowResetBody' });
export const VerificationWindowReset = z
  .object({ at: z.iso.datetime(), by: z.string(), reason: z.string() })
  .meta({ id: 'WindowReset' });

export const DeploymentStatusView = z
  .object({
    total: z.number().int(),
    by_status: z.record(TaskStatus, z.number().int()),
    per_role: z.array(
      z.object({ role: z.string(), by_status: z.partialRecord(TaskStatus, z.number().int()) }),
    ),
    verification_nudge: VerificationNudge,
    /** Models whose last works the quality gate has rejected; `open`: none of theirs is marked until then. */
    breakers: z
      .array(
        z.object({
          model: z.string(),
          rejections: z.number().int(),
          state: z.enum(['closed', 'open', 'half_open']),
          until: z.iso.datetime().nullable(),
        }),
      )
      .default([]),
    /** Providers of models that nothing is begun with for a while, because tasks have met trouble with them. */
    cooldowns: z
      .array(
        z.object({
          provider: z.string(),
          until: z.iso.datetime(),
          reason: z.string(),
          consecutive_failures: z.int().describe('Consecutive failures.'),
        }),
      )
      .default([]),
    revision: z
      .number()
      .int()
      .default(0)
      .describe('Version of the counts: as long as it is the same, a listing is the same.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'Status' });
export const HealthView = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });
