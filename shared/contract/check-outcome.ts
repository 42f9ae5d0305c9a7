import * as z from 'zod';

/**
 * The closed set of outcomes of a check. Never a boolean: *could not run* is never *passed*,
 * and only `failed` is a reason to try a stronger model.
 */
export const CHECK_OUTCOMES = [
  'passed',
  'failed',
  'could_not_run',
  'timed_out',
  'infra_failed',
  'skipped',
  'bypassed',
] as const;
export const CheckOutcome = z.enum(CHECK_OUTCOMES);
export type CheckOutcome = z.infer<typeof CheckOutcome>;

/** How we know, strongest first. `claimed` is the agent's own word and never verifies anything. */
export const EVIDENCE_KINDS = ['executed', 'checked', 'judged', 'claimed'] as const;
export const EvidenceKind = z.enum(EVIDENCE_KINDS);
export type EvidenceKind = z.infer<typeof EvidenceKind>;

/** True for outcomes in which the check really looked at the tree and came to a result. */
export const isConclusiveOutcome = (outcome: CheckOutcome): boolean =>
  outcome === 'passed' || outcome === 'failed';
export const VERDICTS = ['pass', 'fail', 'refer'] as const;

/** One piece of the evidence that a verdict follows from. */
export const VerdictInput = z.object({
  source: z.enum(['signal', 'gate', 'judge']),
  name: z.string(),
  kind: EvidenceKind,
  outcome: CheckOutcome,
  model: z.string().nullable().describe('The model that was asked; null: none.'),
  prompt_sha256: z.string().nullable(),
  calibration: z.string().nullable().describe('Calibration of this model; null: none.'),
  cost_usd: z
    .number()
    .nullable()
    .describe('Cost of the question in dollars; null: no model was asked, or it is unknown.'),
  base_commit: z.string(),
  tree: z.string(),
});
export type VerdictInput = z.infer<typeof VerdictInput>;

/** Who decides: nobody (`off`), people who read it (`advise`), or the verdict (`gate`). */
export const EXAM_MODES = ['off', 'advise', 'gate'] as const;
export const ExamMode = z.enum(EXAM_MODES);
export type ExamMode = z.infer<typeof ExamMode>;

/** Tasks that a challenger is asked about. A task that matches one of the conditions is challenged. */
export const ChallengedTasks = z.union([
  z.literal('all'),
  z.strictObject({
    /** The role, the complexity or the scope marks the task as risky. */
    risk: z.boolean().default(false),
    /** Globs: the patch changes a file that one of them matches. */
    paths: z.array(z.string().min(1).max(500)).max(100).default([]),
    /** The patch changes at least as many files. */
    min_changed_files: z.int().positive().optional(),
  }),
]);
export type ChallengedTasks = z.infer<typeof ChallengedTasks>;

/** Settings of challenges. Absent fields: as the next wider level says, and at last the defaults. */
export const ChallengeSettings = z.strictObject({
  mode: ExamMode.optional(),
  tasks: ChallengedTasks.optional(),
  /** Time limit of the challenger in seconds; its counterexamples run after it. */
  timeout_s: z.int().min(30).max(7_200).optional(),
  /** Budget as a share of what the attempt cost. */
  cost_share: z.number().min(0).max(10).optional(),
  /** Least budget in dollars. */
  min_usd: z.number().min(0).max(100).optional(),
  /** Probability that the patch is wrong from which on a reviewer decides. */
  refer_above: z.number().min(0).max(1).optional(),
});
export type ChallengeSettings = z.infer<typeof ChallengeSettings>;

export type ResolvedChallengeSettings = {
  readonly [Name in keyof ChallengeSettings]-?: NonNullable<ChallengeSettings[Name]>;
};

/** Settings where deployment, repository and task say nothing. */
export const CHALLENGE_DEFAULTS = {
  mode: 'gate',
  tasks: 'all',
  timeout_s: 1_200,
  cost_share: 1,
  min_usd: 0.25,
  refer_above: 0.8,
} as const satisfies ResolvedChallengeSettings;
