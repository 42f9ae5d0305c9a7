import * as z from 'zod';
import { ExamMode } from '../check-outcome.ts';

export { type ChallengedTasks, type ChallengeSettings, EXAM_MODES, ExamMode } from '../check-outcome.ts';

/** One line of text without control characters: it is shown to people and to the next attempt. */
export const OneLineText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line without control characters');

/** A requirement in the task's words: the only text of an exam that is shown. */
export const RequirementText = OneLineText(300).describe("The requirement in the task's words.");

/** `requirement`: the task demands it. `regression`: the base does it and the task does not ask to change it. */
export const COUNTEREXAMPLE_KINDS = ['requirement', 'regression'] as const;

/** Why a point or a counterexample is dropped: its author's fault, never the patch's. */
export const DROP_REASONS = [
  'flaky_on_base',
  'passes_on_base',
  'fails_on_base',
  'not_found_on_base',
  'flaky_on_patch',
  'passes_on_patch',
  'not_found_on_patch',
  'too_few_neighbours',
  'overwrites_base_file',
  'not_demanded',
  'minor',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Why a validated point has no result on the patched tree. */
export const NOT_RUN_REASONS = [
  'not_loaded',
  'not_reported',
  'skipped',
  'timed_out',
  'flaky',
  /** The adjudicator cannot tell whether the task demands it. */
  'cannot_tell',
  'could_not_run',
] as const;
export type NotRunReason = (typeof NOT_RUN_REASONS)[number];

/** Result of a point or of a counterexample. A counterexample that holds is `not_met`. */
export const ExamPointOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('met') }),
  z.object({ outcome: z.literal('not_met') }),
  z.object({ outcome: z.literal('not_run'), reason: z.enum(NOT_RUN_REASONS) }),
  z.object({ outcome: z.literal('dropped'), reason: z.enum(DROP_REASONS) }),
]);
export type ExamPointOutcome = z.infer<typeof ExamPointOutcome>;

/** Result of one point. `index` is its place in the exam; neither the test nor its output is part of a result. */
export const ExamPointResult = z.object({
  index: z.int().nonnegative(),
  requirement: RequirementText,
  result: ExamPointOutcome,
});
export type ExamPointResult = z.infer<typeof ExamPointResult>;

/** Result of one counterexample. */
export const CounterexampleResult = z.object({
  index: z.int().nonnegative(),
  kind: z.enum(COUNTEREXAMPLE_KINDS),
  requirement: RequirementText,
  file: z.string(),
  line: z.int().positive(),
  input: z.string(),
  /** Neighbours that fail on the patched tree as their author said. */
  neighbours: z.int().nonnegative(),
  result: ExamPointOutcome,
});
export type CounterexampleResult = z.infer<typeof CounterexampleResult>;

/** How a challenge ended. None of them is a proof: a challenger that found nothing leaves the evidence as it was. */
export const CHALLENGE_OUTCOMES = [
  /** A counterexample held on re-run, and the task demands what it shows. */
  'counterexample',
  /** The challenger answered, and no counterexample held. */
  'nothing_found',
  /** The challenger ended without an answer. */
  'no_answer',
  'unreadable_answer',
  'timed_out',
  /** The gateway ended its calls at the budget before it answered. */
  'budget_spent',
  /** Its counterexamples could not be run, or the adjudicator could not decide. */
  'undecided',
  /** Its containers ended without a report. */
  'lost',
  /** It could not be started. */
  'refused',
] as const;
export const ChallengeOutcome = z.enum(CHALLENGE_OUTCOMES);
export type ChallengeOutcome = z.infer<typeof ChallengeOutcome>;

/** Outcomes without an answer: they show nothing of the patch, so the challenger may be asked again. */
export const UNANSWERED_CHALLENGE_OUTCOMES: ReadonlySet<ChallengeOutcome> = new Set([
  'no_answer',
  'unreadable_answer',
  'timed_out',
  'budget_spent',
  'lost',
  'refused',
]);

/** State of one requirement as a challenger sees it: an opinion with a place, which decides nothing. */
export const ChallengedRequirement = z.object({
  requirement: RequirementText,
  state: z.enum(['met', 'not_met', 'unclear']),
  file: z.string().max(1_000).nullable(),
  line: z.int().positive().nullable(),
});
export type ChallengedRequirement = z.infer<typeof ChallengedRequirement>;

/** What a challenger says besides its counterexamples. */
export const ChallengeSummary = z.object({
  outcome: ChallengeOutcome,
  /** Probability that the patch is wrong. Null: it did not answer. */
  p_wrong: z.number().min(0).max(1).nullable(),
  requirements: z.array(ChallengedRequirement).max(100),
});
export type ChallengeSummary = z.infer<typeof ChallengeSummary>;

/**
 * Independent evidence of an attempt: kind `executed`, made by tests that were written without the patch's author. It names
 * requirements only, so that it may be shown to the next attempt.
 */
export const IndependentEvidence = z.object({
  mode: ExamMode,
  points: z.array(ExamPointResult),
  counterexamples: z.array(CounterexampleResult),
  open: z.array(z.string()),
  questions: z.array(z.string()),
  /** Requirements by text: how many the exam names, how many of them were tested, how many are met. */
  requirements: z.object({
    total: z.int().nonnegative(),
    tested: z.int().nonnegative(),
    met: z.int().nonnegative(),
    not_met: z.array(z.string()),
  }),
  /** Only of a challenge. */
  challenge: ChallengeSummary.optional(),
});
export type IndependentEvidence = z.infer<typeof IndependentEvidence>;
