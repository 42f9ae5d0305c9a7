import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { ChallengeSettings, CheckOutcome, EvidenceKind, VERDICTS } from '../check-outcome.ts';
import { Judgement } from '../judgement/judgement.ts';
import { ReviewPipeline } from '../judgement/review-pipeline-schema.ts';
import { CheckedPlan } from '../plan/schema.ts';
import { ScreenshotList } from '../screenshot.ts';
import { ExpectedChangeKind, ProtectedFileKind } from '../submission/expected-changes.ts';
import { CheckOnErrorSetting } from '../submission/on-error.ts';
import { CompletionSignal } from '../submission/signals.ts';
import { WorkflowOutcome } from '../workflow/workflow-outcome.ts';
import { IndependentEvidence } from './independent.ts';

/** One place in the tree that a check complains about. `line` is 1-based; null where the finding has no line. */
export const CheckFinding = z.object({
  file: z.string().nullable(),
  line: z.number().int().positive().nullable(),
  rule: z.string(),
  message: z.string(),
  /** Name of the test case that it is about; absent: it is about code, or about all tests of the file. */
  test: z.string().optional(),
  /** In words of SARIF, whether the base commit has it too: set where a check compared with the base. */
  baseline: z.enum(['new', 'unchanged']).optional(),
});
export type CheckFinding = z.infer<typeof CheckFinding>;

export const SignalEvidence = z.object({
  type: z.string(),
  signal: CompletionSignal,
  outcome: CheckOutcome,
  kind: EvidenceKind,
  detail: z.string(),
  duration_ms: z.number().int().nonnegative(),
  /** The author of the work named it: it can fail the work, and verifies nothing. */
  by_author: z.literal(true).optional(),
});
export type SignalEvidence = z.infer<typeof SignalEvidence>;

/** Gate-specific facts (tool, version, counts, command, exit code), merged flat into the gate's ledger row. */
export const GateLedgerFacts = z.record(
  z.string(),
  z.union([z.string(), StorableNumber, z.boolean(), z.null()]),
);
export type GateLedgerFacts = z.infer<typeof GateLedgerFacts>;

export const GateEvidence = z.object({
  name: z.string(),
  outcome: CheckOutcome,
  kind: EvidenceKind,
  required: z.boolean(),
  /** True when this gate alone is enough to keep the patch from being accepted. */
  blocked: z.boolean(),
  cached: z.boolean(),
  findings: z.array(CheckFinding),
  detail: z.string(),
  duration_ms: z.number().int().nonnegative(),
  /** Milliseconds after the gathering of the evidence began; absent: it has no start of its own. */
  start_offset_ms: z.number().int().nonnegative().optional(),
  facts: GateLedgerFacts.default({}),
  /** Of a gate that nobody could judge for: what its configuration makes of that. */
  on_error: CheckOnErrorSetting,
  /** Pictures that it has taken, each stored under its digest before this was reported; absent: none. */
  screenshots: ScreenshotList.optional(),
  /** Results of tests that were written without the patch's author; absent: the entry is not independent of it. */
  independent: IndependentEvidence.optional(),
});
export type GateEvidence = z.infer<typeof GateEvidence>;

/** A file of the patch that steers checks or what they run on, why it does, and what came of it. */
export const ChangedProtectedFile = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted']),
  kind: ProtectedFileKind,
  reason: z.string(),
  /**
   * Whose version the gates used: the base commit's, the patch's with parts of the base's, or the patch's own. All but the last are
   * not what will be delivered.
   */
  checked_version: z.enum(['base', 'part', 'patch']),
  /** What allowed the patch's own version where it would have been put back: the task, or the base commit. */
  allowed_by: z.string().nullable(),
  /**
   * Why the change needs a review; null: it needs none. Of a file that was checked in the base's version that means: no check executes
   * it, and the change gives its author no power over evidence.
   */
  review_reason: z.string().nullable(),
});
export type ChangedProtectedFile = z.infer<typeof ChangedProtectedFile>;

export { isRestoredProtectedFile } from '../submission/expected-changes.ts';

/** Most names of parts that are left out of a review context. */
export const MAX_OMITTED_REVIEW_CONTEXT_PARTS = 100;

/** A part of the patched tree for reviewers: a change with its whole functions, or code that refers to what is changed. */
export const ReviewContextPart = z.object({
  kind: z.enum(['change', 'test', 'caller']),
  path: z.string(),
  text: z.string(),
});
export type ReviewContextPart = z.infer<typeof ReviewContextPart>;

/** What reviewers see of the patched tree, most relevant first, and what had no room. */
export const ReviewContext = z.object({
  parts: z.array(ReviewContextPart),
  omitted: z.array(z.string()).max(MAX_OMITTED_REVIEW_CONTEXT_PARTS),
});
export type ReviewContext = z.infer<typeof ReviewContext>;

/** What we observed on one tree. It counts for that tree only. */
export const Evidence = z.object({
  schema_version: z.literal(1),
  base_commit: z.string(),
  tree: z.string(),
  /** True when the patch changes nothing. */
  empty_patch: z.boolean(),
  changed_files: z.array(z.string()),
  /** Number of changed files where `changed_files` was cut to fit into a request. */
  changed_files_total: z.int().nonnegative().optional(),
  signals: z.array(SignalEvidence),
  gates: z.array(GateEvidence),
  /** What the requester foresaw of the work. */
  expected_changes: z.array(ExpectedChangeKind).default([]),
  protected_files: z.array(ChangedProtectedFile).default([]),
  /** Who reviews, as the base commit says it; absent: it says nothing. */
  review_pipeline: ReviewPipeline.optional(),
  /** `challenge` of the base commit's assay.yaml; absent: it says nothing. */
  challenge: ChallengeSettings.optional(),
  /** Parts of the patched tree for reviewers; absent: nothing was collected, and the diff alone is shown. */
  review_context: ReviewContext.optional(),
  /** Of a task that is a plan: what it proposes, when it holds. */
  plan: CheckedPlan.optional(),
  gathered_at: z.iso.datetime(),
  duration_ms: z.number().int().nonnegative(),
});
export type Evidence = z.infer<typeof Evidence>;

export const VerdictReason = z.object({
  /** Stable machine-readable word, e.g. `signal_failed`, `gate_failed`, `gate_could_not_run`, `no_evidence`. */
  code: z.string(),
  /** What it is about: a gate's name, or a signal as `type: value`. */
  subject: z.string().nullable(),
  message: z.string(),
});
export type VerdictReason = z.infer<typeof VerdictReason>;

export const Verdict = z.object({
  verdict: z.enum(VERDICTS),
  /** False when no evidence of our own supports the verdict: what the ledger counts as unverified. */
  verified: z.boolean(),
  reasons: z.array(VerdictReason),
  base_commit: z.string(),
  tree: z.string(),
  /** The seed's three booleans, derived from evidence of ours. */
  tests_run: z.boolean(),
  quality_gates_run: z.boolean(),
  completion_signals_checked: z.boolean(),
  /** What models said, and what that made of the verdict; absent where none was to be asked. */
  judgements: z.array(Judgement).optional(),
  /** How the workflow that the task names went with this work; absent where it names none. */
  workflow: WorkflowOutcome.optional(),
  /** Dollars that they took; null: what one of them took is not known. Absent where no model was asked. */
  judging_cost_usd: StorableNumber.nonnegative().nullable().optional(),
  /** Dollars that models took which its gates asked, as the gateway has counted them; null: not known. Absent where they had nobody to ask. */
  gates_cost_usd: StorableNumber.nonnegative().nullable().optional(),
});
export type Verdict = z.infer<typeof Verdict>;
