import * as z from 'zod';
import { LoggedTestRun } from '../contract/evidence/logs/logged-test-run.ts';
import { Evidence, GateEvidence } from '../contract/evidence/schema.ts';
import { FailureCode, LONGEST_LIMIT_SECONDS } from '../contract/failure/failure-class.ts';
import { GATES_CACHE_KINDS } from '../contract/messages/gates-memory.ts';
import { TokenUsage } from '../contract/models/usage.ts';
import { MAX_REPORTED_REVERTS } from '../contract/repository/detect-reverts.ts';
import { GitObjectId } from '../contract/repository/git-ref.ts';
import { MAX_PATCH_BYTES } from '../contract/resource-names.ts';
import { MiddlewareRecord } from '../contract/run-record/middleware-record.ts';
import { VerificationGateRecord } from '../contract/run-record/verification-gate-record.ts';
import { MAX_SCREENSHOT_BYTES } from '../contract/screenshot.ts';
import { TaskId } from '../contract/submission/schema.ts';
import { AgentExit, AgentReport, MAX_OUTPUT_TAIL_CHARS } from '../contract/task/attempt.ts';
import { TaskStatus } from '../contract/task/status.ts';
import { MAX_CLI_SESSION_BYTES } from '../control/approvals/cli-session.ts';
import { StorableNumber } from '../lib/stored-number.ts';
import { BaseCommit, TaskView } from './task-schemas.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');

// What agents, boxes and workers send of a task, and what they get for it.

/** Answer to a claim: the task, the lease, and the token that this attempt reports with. Shown once, stored as a hash. */
export const ClaimResponse = z
  .object({
    task: TaskView,
    attempt: z.number().int(),
    token: z.string(),
    lease_until: z.number().int(),
    heartbeat_s: z.number(),
  })
  .meta({ id: 'ClaimResponse' });
export const ClaimBody = z
  .strictObject({
    model: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('The model that the agent uses, for the chain record.'),
  })
  .meta({ id: 'ClaimBody' });

export const HeartbeatBody = z.strictObject({}).meta({ id: 'HeartbeatBody' });
export const LeaseResponse = z
  .object({ lease_until: z.number().int(), status: TaskStatus })
  .meta({ id: 'LeaseResponse' });
export const ReportProgressBody = z
  .strictObject({
    message: z.string().trim().min(1, 'must not be empty').max(2_000),
    percent: StorableNumber.min(0).max(100).optional(),
  })
  .meta({ id: 'ProgressBody' });

const Middleware = MiddlewareRecord.optional().describe(
  'Middleware around the run and its findings: statements of the agent (claimed), and observations of the container (observed). They do not decide the verdict.',
);
const Reported = {
  summary: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(20_000)
    .describe('Summary by the agent; a claim, never evidence.'),
  output_tail: z
    .string()
    .max(MAX_OUTPUT_TAIL_CHARS)
    .default('')
    .describe("Last lines of the agent's output, at most 50 lines and 4,000 characters."),
  transcript_sha256: Sha256.optional().describe('Digest of the uploaded transcript; absent: there is none.'),
  usage: TokenUsage.optional(),
  unreported_calls: AgentReport.shape.unreported_calls.describe(
    'Calls of models that the CLI is known to make and to leave out of its usage.',
  ),
  exit: AgentExit.optional(),
  logged_test_runs: z
    .array(LoggedTestRun)
    .max(5)
    .optional()
    .describe("Results that test runners printed into the agent's log; claims."),
  middleware: Middleware,
  /** The model that really ran, when it differs from the one assigned. */
  model: z.string().trim().min(1).max(200).optional(),
};
/** Work arrives as an uploaded patch (see `POST /tasks/{id}/artifact`) or, up to the body limit, inline. */
export const CompleteAttemptBody = z
  .strictObject({
    ...Reported,
    base_commit: BaseCommit.optional(),
    tree: GitObjectId.describe('Tree hash of base commit plus patch (git write-tree).'),
    patch: z
      .string()
      .optional()
      .describe('The patch (git diff --binary --full-index), where it was not uploaded.'),
    patch_sha256: Sha256.optional(),
    patch_bytes: z.number().int().nonnegative().optional(),
    verification_gate: VerificationGateRecord.optional().describe(
      "Result of the verification gate in the agent's container; it proves nothing.",
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
export const FailAttemptBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(20_000),
    failure_code: FailureCode.default('agent_failed'),
    retry_after_s: z
      .number()
      .int()
      .min(1)
      .max(LONGEST_LIMIT_SECONDS)
      .optional()
      .describe('Seconds until the provider accepts requests again, where it said so.'),
    output_tail: Reported.output_tail,
    transcript_sha256: Reported.transcript_sha256,
    usage: TokenUsage.optional(),
    unreported_calls: Reported.unreported_calls,
    exit: AgentExit.optional(),
    middleware: Middleware,
    base_commit: BaseCommit.optional(),
  })
  .meta({ id: 'FailBody' });
/**
 * What a box may upload, and which one. The evidence is not among it: the API itself writes that, so that nobody can put another in
 * its place.
 */
export const UPLOAD_RULES = {
  patch: { uploader: 'agent', maxBytes: MAX_PATCH_BYTES },
  transcript: { uploader: 'agent', maxBytes: 16 * 1_048_576 },
  /** What the agent's CLI knows of its session, while the task waits for leave. */
  session: { uploader: 'agent', maxBytes: MAX_CLI_SESSION_BYTES },
  /** Work on top of what its target branch has become. */
  merged: { uploader: 'deliver', maxBytes: MAX_PATCH_BYTES },
  /** Findings of all gates as SARIF. */
  findings: { uploader: 'gates', maxBytes: 32 * 1_048_576 },
  /** Results of all tests as JUnit XML. */
  tests: { uploader: 'gates', maxBytes: 32 * 1_048_576 },
  /** A picture of the application, as PNG; each one by itself. */
  screenshot: { uploader: 'gates', maxBytes: MAX_SCREENSHOT_BYTES },
} as const;
export type UploadKind = keyof typeof UPLOAD_RULES;

/** Asks for a presigned PUT URL, which takes exactly these bytes, once. */
export const RequestUploadUrlBody = z
  .strictObject({
    kind: z.enum(Object.keys(UPLOAD_RULES) as [UploadKind, ...UploadKind[]]),
    sha256: Sha256,
    bytes: z.number().int().nonnegative(),
  })
  .superRefine(({ kind, bytes }, context) => {
    const most = UPLOAD_RULES[kind].maxBytes;
    if (bytes > most)
      context.addIssue({ code: 'custom', path: ['bytes'], message: `a ${kind} has at most ${most} bytes` });
  })
  .meta({ id: 'UploadBody' });
export const UploadUrlResponse = z
  .object({
    url: z.string(),
    method: z.literal('PUT'),
    headers: z
      .record(z.string(), z.string())
      .describe('Headers to send unchanged: length, digest and condition are part of the signature.'),
    expires_s: z.number().int(),
  })
  .meta({ id: 'UploadResponse' });

/** The place of something that outlives the task; see gates/core/persistent-cache.ts. */
export const GatesCacheUrlsBody = z
  .strictObject({
    kind: z.enum(GATES_CACHE_KINDS),
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
  })
  .meta({ id: 'GatesMemoryBody' });
/** Presigned URLs of one object. A PUT needs `If-None-Match: *` or `If-Match` with the ETag that was read. */
export const GatesCacheUrls = z
  .object({ get: z.string(), put: z.string(), expires_s: z.number().int() })
  .meta({ id: 'GatesMemoryUrls' });

/** What the gates box reports: the evidence, or why there is none. */
export const ReportEvidenceBody = z
  .union([
    z.strictObject({ evidence: Evidence }),
    z.strictObject({ failure_code: FailureCode, message: z.string().max(4_000) }),
  ])
  .meta({ id: 'EvidenceBody' });
/** What a challenger reports: its entry, or why it could not begin. */
export const ReportChallengeBody = z
  .union([
    z.strictObject({ entry: GateEvidence }),
    z.strictObject({ failure_code: FailureCode, message: z.string().max(4_000) }),
  ])
  .meta({ id: 'ChallengeBody' });
const Delivered = { base_commit: BaseCommit, tree: GitObjectId };
/**
 * What the function that delivers reports; `authorize` must come first, and is refused unless the verdict covers exactly that tree on that base.
 * `reverts` is about other tasks: what became of work that was delivered to the same repository before.
 */
export const ReportDeliveryBody = z
  .discriminatedUnion('step', [
    z.strictObject({ step: z.literal('authorize'), ...Delivered }),
    z.strictObject({
      step: z.literal('delivered'),
      ...Delivered,
      commit: GitObjectId,
    }),
    z.strictObject({
      step: z.literal('merged'),
      ...Delivered,
      target_commit: GitObjectId.describe('Commit that the target branch points to now.'),
      merged_tree: GitObjectId.describe('Tree of that commit with the work merged onto it.'),
      patch_sha256: Sha256.describe('Digest of the uploaded patch from one to the other.'),
      patch_bytes: z.number().int().nonnegative(),
    }),
    z.strictObject({
      step: z.literal('conflict'),
      ...Delivered,
      target_commit: GitObjectId,
      files: z.array(z.string().max(1_000)).max(50).describe('Files with merge conflicts.'),
    }),
    z.strictObject({ step: z.literal('refused'), ...Delivered, reason: z.string().max(4_000) }),
    z.strictObject({
      step: z.literal('reverts'),
      reverts: z
        .array(
          z.strictObject({
            task_id: TaskId.nullable().describe('Task that the reverted commit names. Null: it names none.'),
            reverted_commit: GitObjectId.nullable().describe('Null: a pull request is named, and no commit.'),
            request: z.number().int().positive().nullable().default(null),
            commit: GitObjectId.describe('The reverting commit.'),
            at: z.iso.datetime().describe('Commit date of the revert.'),
          }),
        )
        .min(1)
        .max(MAX_REPORTED_REVERTS)
        .describe("Commits and pull requests whose revert is part of the target's history."),
    }),
  ])
  .meta({ id: 'DeliveryBody' });
