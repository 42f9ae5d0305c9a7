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
