import * as z from 'zod';
import { LoggedRun } from '../evidence/logs/logged.ts';
import { Evidence } from '../evidence/schema.ts';
import { MEMORY_KINDS } from '../messages/memory.ts';
import { MAX_PATCH_BYTES } from '../names.ts';
import { StoredNumber } from '../number.ts';
import { RepositoryUrl } from '../repository/schema.ts';
import { MAX_URL_CHARACTERS } from '../repository/url.ts';
import { AgentEnd, Attempt, FailureClass, Usage } from '../task/attempt.ts';
import { HOLD_OUTCOMES } from '../task/hold-limit.ts';
import { ObjectId, Role, SubmitTask, TaskId } from '../task/schema.ts';
import { Status } from '../task/status.ts';
import { Task } from '../task/task.ts';
import { VerdictInput } from '../verdict/inputs.ts';
import { QualityScore } from '../verdict/quality-score.ts';
import { VerificationGate } from '../verification-gate/record.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');

const BaseCommit = ObjectId.describe(
  "The task's `base_commit`, which the platform resolved; any other is refused as `wrong_base`.",
);

/** Hides what only the platform may know: token hashes, task tokens, assignment keys. */
const hidden = { agent: true, gates: true, deliver: true } as const;
export const AttemptView = Attempt.omit(hidden)
  .extend({
    judging_cost_usd: z
      .number()
      .nullable()
      .describe('What models took to judge the work, beside `cost_usd`; 0: none was asked.'),
    inputs: z.array(VerdictInput).describe('All that the verdict was made of, bound to base and tree.'),
    quality_score: QualityScore.nullable().describe(
      'Of the gates, with its formula; it decides nothing. Null: none ran.',
    ),
  })
  .meta({ id: 'Attempt' });
export type AttemptView = z.infer<typeof AttemptView>;

/** A task as the API shows it: the item less its internals, plus what is derived from it. */
export const TaskView = Task.omit({
  request_sha256: true,
  hidden_tests: true,
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
      .describe('Of all attempts and of judging them; null when any part of it is unknown.'),
    judging_cost_usd: z.number().nullable().describe('Of it: what models took to judge the work.'),
    saved_vs_direct_opus_usd: z.number().nullable().describe('May be negative; null when a cost is unknown.'),
    verdict: z.enum(['pass', 'fail', 'refer']).nullable(),
    reasons: z.array(z.string()),
    branch: z.string().nullable(),
    lease_until: z.number().int().nullable(),
    progress: z
      .string()
      .nullable()
      .describe(
        'How far the agent is, in its own numbers: turns, tool calls, files, tokens, cost. Null when none runs.',
      ),
  })
  .meta({ id: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

export const TaskSummary = TaskView.pick({
  id: true,
  title: true,
  role: true,
  priority: true,
  status: true,
  repository: true,
  runner: true,
  version: true,
  created_at: true,
  updated_at: true,
  ended_at: true,
  waits_for: true,
  blocked_reason: true,
  hold: true,
  failure: true,
  verified: true,
  flagged_unverified: true,
}).meta({ id: 'TaskSummary' });
export type TaskSummary = z.infer<typeof TaskSummary>;

export const SubmitBatch = z
  .strictObject({ tasks: z.array(SubmitTask).min(1).max(100) })
  .meta({ id: 'SubmitBatch' });
/** What became of one task of a batch, in the order in which they were sent. */
export const BatchEntry = z
  .object({
    id: TaskId,
    outcome: z.enum(['created', 'existed', 'refused']),
    code: z.string().optional().describe('Why it was refused: the code of a problem document.'),
    detail: z.string().optional(),
  })
  .meta({ id: 'BatchEntry' });
export const BatchView = z
  .object({ tasks: z.array(TaskView).describe('All but the refused ones.'), results: z.array(BatchEntry) })
  .meta({ id: 'Batch' });

export const ListQuery = z.strictObject({
  status: Status.optional(),
  role: Role.optional(),
  // ASCII only, so that the longest query there is fits into what API Gateway takes of a request line.
  repository: z
    .string()
    .max(MAX_URL_CHARACTERS)
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
  order: z
    .enum(['oldest', 'newest'])
    .optional()
    .describe('By when they were submitted; default: the oldest first.'),
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

export const ReviewsQuery = ListQuery.pick({ role: true, repository: true, limit: true, cursor: true });
/** A task that waits for a person. */
export const ReviewItem = TaskSummary.pick({
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
    until: z.iso.datetime().nullable().describe('When it is decided without a person; null: never.'),
    outcome: z
      .enum(HOLD_OUTCOMES)
      .nullable()
      .describe(
        'How: the task fails, or the work is refused and a stronger model tries. It is never let out.',
      ),
  })
  .meta({ id: 'ReviewItem' });
export type ReviewItem = z.infer<typeof ReviewItem>;
export const ReviewList = z
  .object({ reviews: z.array(ReviewItem), next_cursor: z.string().nullable() })
  .meta({ id: 'ReviewList' });

/** Answer to a claim: the task, the lease, and the token that this attempt reports with. Shown once, stored as a hash. */
export const Claim = z
  .object({
    task: TaskView,
    attempt: z.number().int(),
    token: z.string(),
    lease_until: z.number().int(),
    heartbeat_s: z.number(),
  })
  .meta({ id: 'Claim' });
export const ClaimBody = z
  .strictObject({
    model: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Which model the agent runs on, for the chain record.'),
  })
  .meta({ id: 'ClaimBody' });

export const HeartbeatBody = z.strictObject({}).meta({ id: 'HeartbeatBody' });
export const Lease = z.object({ lease_until: z.number().int(), status: Status }).meta({ id: 'Lease' });
export const ProgressBody = z
  .strictObject({
    message: z.string().trim().min(1, 'must not be empty').max(2_000),
    percent: StoredNumber.min(0).max(100).optional(),
  })
  .meta({ id: 'ProgressBody' });

const Reported = {
  summary: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(20_000)
    .describe("The agent's own words; kept as a claim, never as evidence."),
  output_tail: z.string().max(2_000).default('').describe("Last 2,000 characters of the agent's output."),
  usage: Usage.optional(),
  end: AgentEnd.optional(),
  logged: z
    .array(LoggedRun)
    .max(5)
    .optional()
    .describe('What runners of tests have printed into the log of the agent; kept as claims.'),
  /** The model that really ran, when it differs from the one assigned. */
  model: z.string().trim().min(1).max(200).optional(),
};
/** Work arrives as an uploaded patch (see `POST /tasks/{id}/artifact`) or, up to the body limit, inline. */
export const CompleteBody = z
  .strictObject({
    ...Reported,
    base_commit: BaseCommit.optional(),
    tree: ObjectId.describe('Tree hash of base commit plus patch (git write-tree).'),
    patch: z
      .string()
      .optional()
      .describe('The patch itself (git diff --binary --full-index), when it was not uploaded.'),
    patch_sha256: Sha256.optional(),
    patch_bytes: z.number().int().nonnegative().optional(),
    transcript_sha256: Sha256.optional().describe('Of the transcript that was uploaded, when there is one.'),
    verification_gate: VerificationGate.optional().describe(
      'How the agent was let go, where the base asks for something before; it proves nothing.',
    ),
  })
  .superRefine((body, context) => {
    if (body.patch === undefined && (body.patch_sha256 === undefined || body.patch_bytes === undefined))
      context.addIssue({
        code: 'custom',
        path: ['patch'],
        message: 'give the patch inline, or patch_sha256 and patch_bytes of the uploaded one',
      });
  })
  .meta({ id: 'CompleteBody' });
export const FailBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(20_000),
    failure_class: FailureClass.default('agent_failed'),
    retry_after_s: z
      .number()
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('Seconds until the provider takes requests again, where it said so.'),
    output_tail: Reported.output_tail,
    usage: Usage.optional(),
    end: AgentEnd.optional(),
    base_commit: BaseCommit.optional(),
  })
  .meta({ id: 'FailBody' });
export const ReasonBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(2_000).default('no reason given'),
  })
  .meta({ id: 'ReasonBody' });
export const ReviewBody = z
  .strictObject({
    decision: z.enum(['approve', 'reject']),
    reason: z.string().trim().min(1, 'must not be empty').max(2_000),
    base_commit: BaseCommit.optional(),
    tree: ObjectId.describe('The tree that was looked at; a different one is refused.'),
  })
  .meta({ id: 'ReviewBody' });

/**
 * What a box may upload, and which one. The evidence is not among it: the API itself writes that, so that nobody can put another in
 * its place.
 */
export const UPLOADS = {
  patch: { by: 'agent', maxBytes: MAX_PATCH_BYTES },
  transcript: { by: 'agent', maxBytes: 16 * 1_048_576 },
  /** Work on top of what its target branch has become. */
  merged: { by: 'deliver', maxBytes: MAX_PATCH_BYTES },
  /** Findings of all gates as SARIF. */
  findings: { by: 'gates', maxBytes: 32 * 1_048_576 },
  /** Results of all tests as JUnit XML. */
  tests: { by: 'gates', maxBytes: 32 * 1_048_576 },
} as const;
export type UploadKind = keyof typeof UPLOADS;

/** Asks for a presigned PUT URL, which takes exactly these bytes, once. */
export const UploadBody = z
  .strictObject({
    kind: z.enum(Object.keys(UPLOADS) as [UploadKind, ...UploadKind[]]),
    sha256: Sha256,
    bytes: z.number().int().nonnegative(),
  })
  .superRefine(({ kind, bytes }, context) => {
    const most = UPLOADS[kind].maxBytes;
    if (bytes > most)
      context.addIssue({ code: 'custom', path: ['bytes'], message: `a ${kind} has at most ${most} bytes` });
  })
  .meta({ id: 'UploadBody' });
export const Upload = z
  .object({
    url: z.string(),
    method: z.literal('PUT'),
    headers: z
      .record(z.string(), z.string())
      .describe('To be sent as they are: length, digest and condition are part of the signature.'),
    expires_s: z.number().int(),
  })
  .meta({ id: 'Upload' });

/** The place of something that outlives the task; see gates/engine/memory/memory.ts. */
export const MemoryBody = z
  .strictObject({
    kind: z.enum(MEMORY_KINDS),
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
  })
  .meta({ id: 'MemoryBody' });
/** Presigned URLs of one object. A PUT needs `If-None-Match: *` or `If-Match` with the ETag that was read. */
export const MemoryPlace = z
  .object({ get: z.string(), put: z.string(), expires_s: z.number().int() })
  .meta({ id: 'MemoryPlace' });

/** What the gates box reports: the evidence, or why there is none. */
export const EvidenceBody = z
  .union([
    z.strictObject({ evidence: Evidence }),
    z.strictObject({ failure_class: FailureClass, message: z.string().max(4_000) }),
  ])
  .meta({ id: 'EvidenceBody' });
const Delivered = { base_commit: BaseCommit, tree: ObjectId };
/** What the deliver box reports; `authorize` must come first, and is refused unless the verdict covers exactly that tree on that base. */
export const DeliveryBody = z
  .discriminatedUnion('step', [
    z.strictObject({ step: z.literal('authorize'), ...Delivered }),
    z.strictObject({
      step: z.literal('delivered'),
      ...Delivered,
      commit: ObjectId,
    }),
    z.strictObject({
      step: z.literal('merged'),
      ...Delivered,
      onto: ObjectId.describe('What the target branch has become.'),
      merged_tree: ObjectId.describe('That with the work on top.'),
      patch_sha256: Sha256.describe('Of the patch from one to the other, which was uploaded.'),
      patch_bytes: z.number().int().nonnegative(),
    }),
    z.strictObject({
      step: z.literal('conflict'),
      ...Delivered,
      onto: ObjectId,
      files: z.array(z.string().max(1_000)).max(50).describe('Where the two do not go together.'),
    }),
    z.strictObject({ step: z.literal('refused'), ...Delivered, reason: z.string().max(4_000) }),
  ])
  .meta({ id: 'DeliveryBody' });

export const AttemptList = z
  .object({
    task_id: TaskId,
    attempts: z.array(AttemptView),
    total_cost_usd: z.number().nullable(),
    judging_cost_usd: z.number().nullable().describe('Of the total: what models took to judge the work.'),
    saved_vs_direct_opus_usd: z.number().nullable(),
    break_even_pass_rate: z.number().nullable(),
  })
  .meta({ id: 'AttemptList' });

/** The seed's object, always present. `unverified_ratio` is null when nothing has completed: no data is not 0 %. */
export const VerificationNudge = z
  .object({
    total_completions: z.number().int(),
    verified_count: z.number().int(),
    unverified_count: z.number().int(),
    unverified_ratio: z.number().nullable(),
    threshold_exceeded: z.boolean(),
    nudge_threshold: z.number(),
    min_completions: z.number().int(),
    recent_unverified: z.array(z.string()),
  })
  .meta({ id: 'VerificationNudge' });
export type VerificationNudge = z.infer<typeof VerificationNudge>;

export const StatusView = z
  .object({
    total: z.number().int(),
    by_status: z.record(Status, z.number().int()),
    per_role: z.array(z.object({ role: z.string(), by_status: z.partialRecord(Status, z.number().int()) })),
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
    cooling: z
      .array(
        z.object({
          provider: z.string(),
          until: z.iso.datetime(),
          because: z.string(),
          times: z.int().describe('In a row.'),
        }),
      )
      .default([]),
    revision: z
      .number()
      .int()
      .default(0)
      .describe('Grows with every change of a task that is counted: while it is the same, a listing is too.'),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'Status' });
export const Health = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });
