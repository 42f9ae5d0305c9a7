import * as z from 'zod';
import { CheckOutcome, VERDICTS } from '../../contract/check-outcome.ts';
import { ATTEMPT_OUTCOMES, CASCADE_ACTIONS } from '../../contract/task/attempt.ts';
import { DELIVERY_OUTCOMES } from '../../contract/task/delivery-outcome.ts';
import { TaskStatus } from '../../contract/task/status.ts';

/**
 * Rows of the JSONL records on S3. The Glue columns are made from these schemas, so keep to strings, numbers,
 * booleans, nullable ones, and arrays of flat objects. Field names are the seeds' own.
 */
const Row = z.object({
  /** Deterministic: the same fact always gets the same id, so readers drop duplicates by it. */
  record_id: z.string(),
  schema_version: z.literal(1),
  task_id: z.string(),
});

/** One row for each status change of a task. */
export const TaskRow = Row.extend({
  timestamp: z.iso.datetime(),
  status: TaskStatus,
  previous_status: TaskStatus.nullable(),
  role: z.string(),
  priority: z.number().int(),
  scope: z.string(),
  complexity: z.string(),
  runner: z.string(),
  repository: z.string(),
  attempt: z.number().int(),
  model: z.string().nullable(),
  version: z.number().int(),
  verified: z.boolean().nullable(),
  failure_code: z.string().nullable(),
  /** Milliseconds since the task was created. */
  age_ms: z.number().int(),
});
export type TaskRow = z.infer<typeof TaskRow>;

/**
 * One row for each gate of each verification, with the gate's other facts in a map: keys of their own beside the fields would, to a reader
 * that takes no notice of capitals, be a field twice.
 * `result` is the seed's pass/blocked/flagged; `outcome` tells apart what it lumps together.
 */
export const GateRow = Row.extend({
  timestamp: z.iso.datetime(),
  attempt: z.number().int(),
  gate: z.string(),
  result: z.enum(['pass', 'blocked', 'flagged']),
  status: z.enum(['pass', 'fail', 'timeout', 'skipped', 'bypassed', 'could_not_run', 'infra_failed']),
  outcome: CheckOutcome,
  duration_ms: z.number().int(),
  cached: z.boolean(),
  required: z.boolean(),
  findings: z.number().int(),
  tree: z.string(),
  model: z.string().nullable(),
  /** What looked, and in which version; null: unknown. */
  tool: z.string().nullable(),
  tool_version: z.string().nullable(),
  /** By name in small letters, as text. */
  facts: z.record(z.string(), z.string()),
});
export type GateRow = z.infer<typeof GateRow>;

const ChainAttempt = z.object({
  task_id: z.string(),
  chain_id: z.string(),
  model: z.string().nullable(),
  /** Null: the model is no tier. */
  tier: z.string().nullable(),
  effort: z.string(),
  /** The row of the routing table that chose tier and effort. */
  route_rule: z.string().nullable(),
  route_reason: z.string().nullable(),
  /** The provider that nothing was begun with then, so that another one did the same tier: no climb. Null: it was no fallback. */
  fallback_from: z.string().nullable(),
  /** What chose among the tiers beside the table: `pin`, `greedy` or `thompson`; null: nothing did. */
  chosen_by: z.string().nullable(),
  /** Chosen by chance, to learn. */
  explored: z.boolean(),
  attempt_number: z.number().int(),
  started_at: z.iso.datetime(),
  cost_usd: z.number().nullable(),
  /** What models took to judge it, beside `cost_usd`. */
  judging_cost_usd: z.number().nullable(),
  /** Of it: what gates have asked, as the gateway has counted it; null: they had nobody to ask, or it is not known. */
  gates_cost_usd: z.number().nullable(),
  /** 0 to 100, of the gates that ran; null: none did. */
  quality_score: z.number().int().min(0).max(100).nullable(),
  /** How the agent was let go: `satisfied`, `forced` or `could_not_run`; null: nothing was asked of it before. */
  verification_gate: z.string().nullable(),
  /** How often it was told to go on. */
  nudges: z.number().int().nullable(),
  latency_s: z.number().nullable(),
  tokens_used: z.number().int().nullable(),
  success: z.boolean(),
  /** By the verdict on evidence of ours; null: there is none that says pass or fail. */
  passed: z.boolean().nullable(),
  outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
  /** One of the seed's ten classes, where it brought no work to judge; null: it did. */
  failure_class: z.string().nullable(),
  /** The finer word for it; of work that was judged, `verification_failed`. Null: it did not fail. */
  failure_code: z.string().nullable(),
  /** How it counts for tasks that depend on this one. */
  failure_mode: z.string().nullable(),
  failure_retryable: z.boolean().nullable(),
  /** What it was told by: a status, a code, a time limit, or words. */
  failure_rule: z.string().nullable(),
  /** The same for attempts that failed in the same way; null: it did not fail, or nobody knows how. */
  failure_signature: z.string().nullable(),
  /** What was changed after it, because that failure came again. */
  strategy: z.string().nullable(),
  /** Of the agent's program; null: a signal ended it, or nobody has seen it end. */
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  escalated: z.boolean(),
  decision: z.enum(CASCADE_ACTIONS).nullable(),
  escalation_reason: z.string().nullable(),
});

/** One row for each task that came to its end: the whole chain, with what it cost against going straight to the top model. */
export const AttemptChainRow = Row.extend({
  timestamp: z.iso.datetime(),
  chain_id: z.string(),
  role: z.string(),
  complexity: z.string(),
  attempts: z.array(ChainAttempt),
  final_model: z.string().nullable(),
  succeeded: z.boolean(),
  status: TaskStatus,
  /** See `recordedAuthor`. */
  author: z.string(),
  /** Of the agents and of judging what they did. */
  total_cost_usd: z.number().nullable(),
  /** Of the total. */
  judging_cost_usd: z.number().nullable(),
  first_attempt_cost_usd: z.number().nullable(),
  escalation_overhead_usd: z.number().nullable(),
  saved_vs_direct_opus_usd: z.number().nullable(),
  break_even_pass_rate: z.number().nullable(),
});
export type AttemptChainRow = z.infer<typeof AttemptChainRow>;

/** One row for each judgement that went into a verdict, also where nobody was asked, with what it was about. */
export const JudgementRow = Row.extend({
  timestamp: z.iso.datetime(),
  attempt: z.number().int(),
  kind: z.string(),
  subject: z.string(),
  outcome: CheckOutcome,
  /** What it made of the verdict. */
  verdict: z.enum(VERDICTS),
  confidence: z.number().nullable(),
  /** Of a verification node: null for all others. */
  rubric: z.string().nullable(),
  weighted_score: z.number().nullable(),
  reasons: z.array(z.string()),
  /** Why it was asked, or was not. */
  request_reason: z.string(),
  /** Attempts to talk the model over that were found. */
  injections: z.number().int(),
  model: z.string().nullable(),
  family: z.string().nullable(),
  /** Model of the agent that did the work. */
  writer_model: z.string().nullable(),
  prompt: z.string().nullable(),
  prompt_version: z.number().int().nullable(),
  prompt_sha256: z.string().nullable(),
  calibration: z.string().nullable(),
  /** Null: whoever asks has not come back. */
  calls: z.number().int().nullable(),
  input_tokens: z.number().int().nullable(),
  output_tokens: z.number().int().nullable(),
  cost_usd: z.number().nullable(),
  duration_ms: z.number().int(),
  base_commit: z.string(),
  tree: z.string(),
});
export type JudgementRow = z.infer<typeof JudgementRow>;

/** One row for each attempt of a task that came to its end, as its chain has it. */
export const AttemptRow = Row.extend(ChainAttempt.shape).extend({
  /** When the task ended, as the chain's. */
  timestamp: z.iso.datetime(),
  role: z.string(),
  complexity: z.string(),
  repository: z.string(),
  /** Did the task as a whole come to its goal? */
  task_succeeded: z.boolean(),
});
export type AttemptRow = z.infer<typeof AttemptRow>;

/** One row for each completion signal of each verification. */
export const SignalRow = Row.extend({
  timestamp: z.iso.datetime(),
  attempt: z.number().int(),
  type: z.string(),
  subject: z.string(),
  outcome: CheckOutcome,
  model: z.string().nullable(),
  tree: z.string(),
});
export type SignalRow = z.infer<typeof SignalRow>;

/** One row for each time that a person was asked and the waiting came to its end, by a word or otherwise. */
export const ReviewRow = Row.extend({
  timestamp: z.iso.datetime(),
  attempt: z.number().int(),
  role: z.string(),
  repository: z.string(),
  requested_at: z.iso.datetime(),
  waited_s: z.number(),
  /** Null: nobody said a word; the task ended without one. */
  decision: z.enum(['approve', 'reject']).nullable(),
  by: z.string().nullable(),
  reasons: z.array(z.string()),
  /** Gates that were against it: what a person who approves calls wrong. */
  blocking_gates: z.array(z.string()),
  /** Gates that had passed it: what a person who rejects calls wrong. */
  passed_gates: z.array(z.string()),
});
export type ReviewRow = z.infer<typeof ReviewRow>;

/** One row for each thing that became of delivered work where it was delivered to: what a passing verdict was worth. */
export const WorkOutcomeRow = Row.extend({
  /** By the forge's clock, or the commit's. */
  timestamp: z.iso.datetime({ offset: true }),
  outcome: z.enum(DELIVERY_OUTCOMES),
  role: z.string(),
  repository: z.string(),
  /** Attempt whose work was delivered. */
  attempt: z.number().int(),
  model: z.string().nullable(),
  verified: z.boolean().nullable(),
  /** Did a person approve it, where the verdict alone had not passed it? */
  approved: z.boolean(),
  /** See `recordedAuthor`. */
  author: z.string(),
  /** A login; `git`: found in the history of the target. */
  by: z.string(),
  /** Null: found in the history. */
  request: z.number().int().nullable(),
  commit: z.string().nullable(),
  tree: z.string().nullable(),
  /** Gates that had passed it: for work that is reverted, what they say is false. */
  passed_gates: z.array(z.string()),
});
export type WorkOutcomeRow = z.infer<typeof WorkOutcomeRow>;

/** One row for each file that an attempt changed, when the attempt was accepted or rejected on evidence, and again when its work was reverted. */
export const FileChangeOutcomeRow = Row.extend({
  timestamp: z.iso.datetime(),
  attempt: z.number().int(),
  repository: z.string(),
  path: z.string(),
  outcome: z.enum(['accepted', 'rejected', 'reverted']),
  /** New ones in this file, of all gates. */
  findings: z.number().int(),
  /** Of its tests: how many were found to fail now and then. */
  flaky_tests: z.number().int(),
  model: z.string().nullable(),
  tree: z.string(),
  /** Files of the same change that have no row, because there are too many. */
  files_omitted: z.number().int(),
});
export type FileChangeOutcomeRow = z.infer<typeof FileChangeOutcomeRow>;

/** One row for each completion: was there evidence of our own? `timestamp` is epoch seconds, as in the seed. */
export const VerificationNudgeRow = Row.extend({
  session_id: z.string(),
  timestamp: z.number(),
  tests_run: z.boolean(),
  quality_gates_run: z.boolean(),
  completion_signals_checked: z.boolean(),
  verified: z.boolean(),
  /** Where the three flags come from: always evidence of ours, never the agent's log. */
  evidence_source: z.literal('gates_container'),
  tree: z.string().nullable(),
});
export type VerificationNudgeRow = z.infer<typeof VerificationNudgeRow>;

/** Every record table by its name under `records/table=<name>/`. */
export const RECORD_TABLES = {
  tasks: TaskRow,
  quality_gates: GateRow,
  judgements: JudgementRow,
  cascade_chains: AttemptChainRow,
  cascade_attempts: AttemptRow,
  completion_signals: SignalRow,
  reviews: ReviewRow,
  work_outcomes: WorkOutcomeRow,
  file_touches: FileChangeOutcomeRow,
  verification_nudges: VerificationNudgeRow,
} as const;
export type RecordTableName = keyof typeof RECORD_TABLES;
export const RECORD_TABLE_NAMES = Object.keys(RECORD_TABLES) as RecordTableName[];
/** The row of a table. */
export type RecordRowOf<T extends RecordTableName> = z.infer<(typeof RECORD_TABLES)[T]>;
