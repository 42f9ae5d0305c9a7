import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { AGENT_CLI_KINDS } from '../agents/adapter-manifests.ts';
import { ReasoningEffortLevel } from '../agents/effort.ts';
import { CheckOutcome, EvidenceKind, VERDICTS } from '../check-outcome.ts';
import { ChallengeOutcome, ExamMode } from '../evidence/independent.ts';
import { LoggedTestRun } from '../evidence/logs/logged-test-run.ts';
import { ChangedProtectedFile, GateLedgerFacts, Verdict, VerdictReason } from '../evidence/schema.ts';
import { FailureCode } from '../failure/failure-class.ts';
import { FailureRecord } from '../failure/failure-record.ts';
import { TokenUsage } from '../models/usage.ts';
import { GitObjectId } from '../repository/git-ref.ts';
import { MiddlewareRecord } from '../run-record/middleware-record.ts';
import { TierCandidate } from '../run-record/tier-candidate.ts';
import { VerificationGateRecord } from '../run-record/verification-gate-record.ts';
import { ScreenshotList } from '../screenshot.ts';

/** The patch and what came with it. Object keys live in the artifacts bucket. */
export const PatchArtifact = z.object({
  /** The task's own at the time: no agent names it. */
  base_commit: GitObjectId,
  tree: GitObjectId,
  patch_key: z.string(),
  patch_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  patch_bytes: z.number().int().nonnegative(),
  transcript_key: z.string().nullable(),
});
export type PatchArtifact = z.infer<typeof PatchArtifact>;

/** What the model gateway has counted for an attempt: evidence, where the agent's own word is a claim. */
export const AgentMeteredUsage = z.object({
  usage: TokenUsage,
  /** By the name that prices go by. */
  usage_by_model: z.record(z.string(), TokenUsage),
  /** Null when a model that has answered has no price. */
  cost_usd: StorableNumber.nonnegative().nullable(),
  calls: z.int().nonnegative(),
  /** Of the cost: what no answer counted, and is reckoned at the worst. */
  unsettled_usd: StorableNumber.nonnegative(),
  /** Calls of which nobody knows yet how they end; the cost has them at the worst. */
  unsettled_calls: z.int().nonnegative(),
  /** Set when the last calls of the attempt were such that the provider could not do them. Null: they were answered. */
  provider_error: z
    .object({
      code: FailureCode,
      /** Of its last answer; null: there was none, or it broke off. */
      status: z.int().nullable(),
      calls: z.int().positive().describe('Consecutive rejections.'),
      /** When it wants to be asked again; null: it did not say. */
      retry_at: z.iso.datetime().nullable(),
    })
    .nullable(),
  findings: z.array(z.object({ code: z.enum(['usage_differs', 'model_differs']), message: z.string() })),
});
export type AgentMeteredUsage = z.infer<typeof AgentMeteredUsage>;

/** What the model gateway has counted for the gates of an attempt. */
export const GatesMeteredUsage = z.object({
  calls: z.int().nonnegative(),
  /** Null when a model that has answered has no price. */
  cost_usd: StorableNumber.nonnegative().nullable(),
  /** Calls of which nobody knows yet how they end; the cost has them at the worst. */
  unsettled_calls: z.int().nonnegative(),
});
export type GatesMeteredUsage = z.infer<typeof GatesMeteredUsage>;
/** How the agent's program ended, as its supervisor saw it, and what the CLI or its provider say of that in structure. */
export const AgentExit = z.strictObject({
  exit_code: z.int().min(0).max(255).optional(),
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9]{1,12}$/, 'must be the name of a signal, such as SIGKILL')
    .optional(),
  timed_out: z.boolean().optional().describe('It was stopped at its time limit.'),
  http_status: z.int().min(100).max(599).optional().describe("HTTP status of the provider's last response."),
  error_code: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Error code of the CLI, the provider or the operating system.'),
  failure_text_source: z
    .enum(['summary', 'output_tail'])
    .optional()
    .describe(
      'Text that comes from the failed program and may be classified; absent: none, all of it may be the prose of a model.',
    ),
});
export type AgentExit = z.infer<typeof AgentExit>;

/** Lines and characters of an agent's output that are stored with its attempt. */
export const OUTPUT_TAIL_LINES = 50;
export const MAX_OUTPUT_TAIL_CHARS = 4_000;

/** What the agent's supervisor says at the end of a run. */
export const AgentReport = z.object({
  status: z.enum(['completed', 'failed']),
  summary: z.string().max(20_000),
  failure_code: FailureCode.nullable(),
  /** The last lines of the agent's output. */
  output_tail: z.string().max(MAX_OUTPUT_TAIL_CHARS),
  /** Calls that the CLI is known to leave out of its usage; absent: none. */
  unreported_calls: z.number().int().min(1).max(5).optional(),
  /** Where all of its output lies, of an attempt without work; absent: the tail is all, or nothing was uploaded. */
  transcript_key: z.string().optional(),
  /** Seconds until the provider takes requests again, where it said so. */
  retry_after_s: z.number().int().positive().nullable(),
  /** How the agent was let go, where the base asks for something before; what an agent elsewhere says of it is its claim. */
  verification_gate: VerificationGateRecord.optional(),
  /** Absent if the supervisor has not seen the program end. */
  exit: AgentExit.optional(),
  /** What runners of tests have printed into its log: claims, by which nothing is decided. Absent: nothing was found. */
  logged_test_runs: z.array(LoggedTestRun).optional(),
  /** What was wrapped around the run and what that has found; nothing is decided by it. Absent: nothing was, or nobody has said. */
  middleware: MiddlewareRecord.optional(),
  at: z.iso.datetime(),
});
export type AgentReport = z.infer<typeof AgentReport>;

/** A container of this attempt. Everything in it is written once, by the dispatcher, before the container starts. */
export const ContainerLaunch = z.object({
  /** Counts containers of this kind for this attempt; a lost box gets a new number. */
  number: z.number().int().positive(),
  token_sha256: z.string(),
  /** Hash of the token for calls of models that our gateway meters; null: no call of this container is metered. */
  model_token_sha256: z.string().nullable(),
  assignment_key: z.string(),
  /** The box is gone and has brought nothing; the next message launches another. */
  lost: z.boolean(),
  /** It has ended because its task waits for this approval; it may repeat what it has said, and nothing else. */
  parked_for_approval: z.number().int().positive().optional(),
  /** Of the containers up to this number, those that never ran (no image, no network, no room) or were taken away. Absent: none. */
  excused_losses: z.number().int().positive().optional(),
  /** Of the containers up to this number, those of an earlier challenge: they count no longer. Absent: none. */
  earlier_launches: z.number().int().positive().optional(),
  /** A delivery was lost when the task had no retries left: no other is started in this round. */
  retries_exhausted: z.literal(true).optional(),
  /** From when on its absence counts; of a box that is lost, from when on the next one may start. */
  launched_at: z.iso.datetime(),
});
export type ContainerLaunch = z.infer<typeof ContainerLaunch>;

/** Where the evidence lies and its short form; the whole is on S3 under `key`. */
export const VerificationRecord = z.object({
  key: z.string(),
  tree: z.string(),
  base_commit: z.string(),
  signals: z.array(
    z.object({
      type: z.string(),
      subject: z.string(),
      kind: EvidenceKind,
      outcome: CheckOutcome,
      detail: z.string(),
    }),
  ),
  gates: z.array(
    z.object({
      name: z.string(),
      kind: EvidenceKind,
      outcome: CheckOutcome,
      required: z.boolean(),
      blocked: z.boolean(),
      cached: z.boolean(),
      duration_ms: z.number().int(),
      /** Milliseconds after the gathering of the evidence began. Absent where nobody has said so. */
      start_offset_ms: z.number().int().nonnegative().optional(),
      detail: z.string(),
      finding_count: z.number().int(),
      /** As many of the gate's facts as have room. */
      facts: GateLedgerFacts,
      /** Pictures that it has taken; absent: none. */
      screenshots: ScreenshotList.optional(),
    }),
  ),
  /** As many of the files that steer checks as have room, restored files first. */
  protected_files: z.array(
    ChangedProtectedFile.pick({ path: true, kind: true, checked_version: true, allowed_by: true }),
  ),
  /** How many files were restored; the list may have room for fewer. */
  restored_file_count: z.number().int().nonnegative(),
  /** Findings of gates that block, and signals that failed, ordered by name. */
  failed_checks: z.array(z.object({ check: z.string(), message: z.string() })),
  /** How many more failed than are named. */
  failed_checks_omitted: z.number().int().positive().optional(),
  /** As many of the files of the patch as have room, with what was found in each. */
  files_with_findings: z.array(
    z.object({
      path: z.string(),
      finding_count: z.number().int().nonnegative(),
      /** Of its tests: how many fail now and then. */
      flaky_test_count: z.number().int().nonnegative(),
    }),
  ),
  /** How many more there are than are named. */
  files_omitted: z.number().int().positive().optional(),
  duration_ms: z.number().int(),
  at: z.iso.datetime(),
  /** True when words or checks were cut for want of room; the whole is still under `key`. */
  truncated: z.boolean().optional(),
});
export type VerificationRecord = z.infer<typeof VerificationRecord>;

/** The gates box could not gather evidence at all. */
export const VerificationFailure = z.object({
  failure_code: FailureCode,
  message: z.string(),
  at: z.iso.datetime(),
});
export type VerificationFailure = z.infer<typeof VerificationFailure>;

/** A challenge of an attempt that has passed everything cheaper. */
export const AttemptChallenge = z.object({
  /** Verdict of everything cheaper, which the challenge can only weaken. Null: the challenge has ended. */
  pending_verdict: Verdict.nullable(),
  mode: ExamMode,
  budget_micro_usd: z.int().nonnegative(),
  timeout_s: z.int().positive(),
  refer_above: z.number().min(0).max(1),
  requested_at: z.iso.datetime(),
  /** Null: it has not ended. */
  outcome: ChallengeOutcome.nullable(),
  /** What it makes of the verdict. Null: it has not ended. */
  effect: z.object({ verdict: z.enum(VERDICTS), reason: VerdictReason.nullable() }).nullable(),
  /** Object with its whole entry; null: there is none. */
  key: z.string().nullable(),
  /** What the gateway has counted for it. Absent: no call is known. */
  metered_usage: GatesMeteredUsage.optional(),
});
export type AttemptChallenge = z.infer<typeof AttemptChallenge>;

/** What may be changed when the same failure comes again, in this order. */
export const REPEATED_FAILURE_STRATEGIES = [
  'other_adapter',
  'stronger_tier',
  'higher_effort',
  'smaller_task',
  'person',
] as const;
export type RepeatedFailureStrategy = (typeof REPEATED_FAILURE_STRATEGIES)[number];

export const CASCADE_ACTIONS = ['accept', 'escalate', 'retry', 'refer', 'give_up'] as const;
export const CascadeDecision = z.object({
  action: z.enum(CASCADE_ACTIONS),
  /** The seed's trigger words: `task failed`, `janitor verification failed`, `low confidence`, `explicit failure`, or ours. */
  reason: z.string(),
  /** Set with escalate and retry. */
  next_model: z.string().nullable(),
  next_tier: z.string().nullable(),
  /** What is done otherwise, because an attempt before has failed in the same way; absent: nothing. */
  strategy: z.enum(REPEATED_FAILURE_STRATEGIES).optional(),
  /** Of the next attempt, where the strategy changes it. */
  next_adapter: z.enum(AGENT_CLI_KINDS).optional(),
  next_effort: ReasoningEffortLevel.optional(),
  at: z.iso.datetime(),
});
export type CascadeDecision = z.infer<typeof CascadeDecision>;

export const ATTEMPT_OUTCOMES = [
  'passed',
  'unverified',
  'failed',
  'referred',
  'infra_failed',
  'expired',
  'cancelled',
] as const;

/** Why an attempt runs on this tier at this effort: the rule of `shared/control/routing/table.ts` (or `role`, `task`), and the whole reason. */
export const AttemptRouteDecision = z.object({
  rule: z.string(),
  reason: z.string(),
  /** Set when it runs with another agent of the same tier, because nothing is begun with a provider for a while: no climb, and no fault of the work. */
  provider_fallback: z
    .object({ from: z.string(), to: z.string(), reason: z.string(), until: z.iso.datetime() })
    .optional(),
  /** What was thought of the tiers, where something learned or a person chose among them. Absent: the table alone did. */
  tier_choice: z
    .object({
      strategy: z.enum(['pin', 'greedy', 'thompson', 'proposal']),
      /** By chance, to learn. */
      explored: z.boolean(),
      candidates: z.array(TierCandidate).max(3),
    })
    .optional(),
});
export type AttemptRouteDecision = z.infer<typeof AttemptRouteDecision>;

/** What is set aside in a counter of what goes to models. */
export const ModelBudgetReservation = z.object({
  /** YYYY-MM-DD, UTC: whose counter has it. */
  day: z.string(),
  /** Millionths of a dollar. */
  micro_usd: z.int().nonnegative(),
});
export type ModelBudgetReservation = z.infer<typeof ModelBudgetReservation>;

/** One run of one agent on one model for a task. */
export const Attempt = z.object({
  number: z.number().int().positive(),
  /** Null for an external agent that did not say. */
  model: z.string().nullable(),
  tier: z.string().nullable(),
  effort: ReasoningEffortLevel,
  /** Set when another agent than the task's or the deployment's does it, because that one's provider was down. */
  adapter: z.enum(AGENT_CLI_KINDS).optional(),
  route: AttemptRouteDecision,
  /** Set when nobody worked in it: it is the work of an earlier attempt, put on top of what its target branch has become. */
  merge: z.object({ source_attempt: z.int().positive(), target_commit: GitObjectId }).optional(),
  /**
   * Set when no agent worked in it: it delivers the work of an earlier attempt, whose evidence and verdict are about the same base commit and
   * the same tree. It has none of its own.
   */
  redelivery: z.object({ source_attempt: z.int().positive() }).optional(),
  /** Null while it runs. */
  outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  /** Who holds the lease: `managed`, or the operator that claimed it. */
  lease_holder: z.string(),
  /** Epoch seconds; the lease has run out when this is in the past. */
  lease_until: z.number().int(),
  progress: z
    .object({ message: z.string(), percent: StorableNumber.nullable(), at: z.iso.datetime() })
    .nullable(),
  /** What the gateway has witnessed, else what the agent claims. Null: nobody knows. */
  usage: TokenUsage.nullable(),
  /** What was set aside for it of the budgets of the deployment; absent: nothing. */
  reservation: ModelBudgetReservation.optional(),
  /** What was set aside for it besides, each under a mark of its own: for what its gates ask, and for judging it again. Absent: nothing. */
  extra_reservations: z.array(ModelBudgetReservation.extend({ key: z.string() })).optional(),
  /** As `usage`. Null: unknown model or no usage known. Never 0 for unknown. */
  cost_usd: StorableNumber.nonnegative().nullable(),
  /** What the agent says that it has used, if the gateway counted something else; null: it did not. */
  reported_usage: z
    .object({ usage: TokenUsage.nullable(), cost_usd: StorableNumber.nonnegative().nullable() })
    .nullable(),
  /** Null: no model was called through the gateway. */
  metered_usage: AgentMeteredUsage.nullable(),
  report: AgentReport.nullable(),
  artifact: PatchArtifact.nullable(),
  verification: VerificationRecord.nullable(),
  verification_failure: VerificationFailure.nullable(),
  /** What its gates have asked models, as the gateway has counted it. Absent: they had nobody to ask. */
  gates_metered_usage: GatesMeteredUsage.optional(),
  verdict: Verdict.nullable(),
  /** Until when models are being asked about it, for which run and by whom: nobody else asks them meanwhile. Absent: nobody does. */
  judging_claim: z
    .object({
      run: z.int().positive(),
      expires_at: z.iso.datetime(),
      execution_id: z.string(),
      /** Most that the calls can cost, in millionths of a dollar. Absent: a model has no price. */
      max_micro_usd: z.int().nonnegative().optional(),
    })
    .optional(),
  /** How often somebody set out to ask models about it, and what of that may have cost which nobody has heard, in millionths of a dollar. */
  judging_rounds: z
    .object({ count: z.int().positive(), unsettled_micro_usd: z.int().nonnegative() })
    .optional(),
  /** Set when a person had the verdict made again: how often, what it said before and what all earlier judging took. */
  reverification: z
    .object({
      count: z.number().int().positive(),
      earlier_judging_cost_usd: StorableNumber.nonnegative().nullable(),
      earlier_verdict: z.enum(VERDICTS),
      reason: z.string(),
      by: z.string(),
      at: z.iso.datetime(),
    })
    .optional(),
  decision: CascadeDecision.nullable(),
  /** What its failure was taken for, once it is over; absent: it did not fail. */
  failure: FailureRecord.optional(),
  agent: ContainerLaunch.nullable(),
  gates: ContainerLaunch.nullable(),
  /** Absent: no challenger is asked about it. */
  challenge: AttemptChallenge.optional(),
  challenger: ContainerLaunch.nullable().optional(),
  deliver: ContainerLaunch.nullable(),
});
export type Attempt = z.infer<typeof Attempt>;
