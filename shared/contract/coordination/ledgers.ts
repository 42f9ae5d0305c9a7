import * as z from 'zod';

/** What a plan rests on. */
export const TaskLedger = z.object({
  plan_text: z.string(),
  /** Text of others, fenced. */
  known_facts: z.array(z.string()),
  educated_guesses: z.array(z.string()),
  plan_version: z.int().positive(),
  created_at: z.iso.datetime(),
  superseded_at: z.iso.datetime().nullable(),
});
export type TaskLedger = z.infer<typeof TaskLedger>;

export const LEDGER_NEXT_ACTIONS = ['continue', 'replan', 'escalate'] as const;

/** How the tasks of a plan get on: a round is one of them that has ended. */
export const ProgressLedger = z
  .object({
    round: z.int().positive(),
    completed_count: z.int().nonnegative(),
    progress_made: z.boolean(),
    stall_count: z.int().nonnegative(),
    reset_count: z.int().nonnegative(),
    blocking_issues: z.array(z.string()),
    next_action: z.enum(LEDGER_NEXT_ACTIONS),
  })
  .refine(({ progress_made, stall_count }) => !progress_made || stall_count === 0, {
    error: 'a round with progress has no stall',
  });
export type ProgressLedger = z.infer<typeof ProgressLedger>;

/** Rounds in a row without progress after which a person is to look. */
export const STALLED_ROUNDS_BEFORE_ESCALATION = 3;
/** Caps of replanning: rounds without progress, and plans in the place of the first. */
export const MAX_STALLED_ROUNDS_FOR_REPLAN = 3;
export const MAX_REPLANS = 2;
/** Issues that a ledger names. */
const MOST_ISSUES = 10;

/** A part of the work that has ended otherwise than well. */
export interface FailedPlanPart {
  readonly name: string;
  readonly error: string;
}

/** The ledger after one more round. */
export function advanceProgressLedger(
  before: ProgressLedger | null,
  completed: number,
  failed: readonly FailedPlanPart[],
): ProgressLedger {
  const progress = completed > (before?.completed_count ?? 0);
  const stall = progress ? 0 : (before?.stall_count ?? 0) + 1;
  return {
    round: (before?.round ?? 0) + 1,
    completed_count: completed,
    progress_made: progress,
    stall_count: stall,
    reset_count: before?.reset_count ?? 0,
    blocking_issues: failed.slice(0, MOST_ISSUES).map(({ name, error }) => `${name}: ${error}`),
    next_action: stall >= STALLED_ROUNDS_BEFORE_ESCALATION ? 'escalate' : stall >= 1 ? 'replan' : 'continue',
  };
}

/** Is it planned anew? @param affordable whether there is money for it. */
export const shouldReplan = (ledger: ProgressLedger | null, affordable: boolean): boolean =>
  ledger !== null &&
  ledger.stall_count > 0 &&
  ledger.stall_count < MAX_STALLED_ROUNDS_FOR_REPLAN &&
  ledger.reset_count < MAX_REPLANS &&
  affordable;

/** The ledger that a new plan begins with. What was completed stays counted: else the next round would take it for progress. */
export const carryProgressLedgerIntoReplan = (ledger: ProgressLedger): ProgressLedger => ({
  ...ledger,
  reset_count: ledger.reset_count + 1,
  next_action: 'replan',
});
