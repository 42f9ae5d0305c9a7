import type { Judgement } from '../judgement/judgement.ts';
import type { Attempt } from './attempt.ts';

/** Dollars of one judgement; 0: nobody was asked. Null: somebody was, or may have been, and what it cost is not known. */
export const judgementCost = ({ calls, cost_usd }: Pick<Judgement, 'calls' | 'cost_usd'>): number | null =>
  calls === 0 ? 0 : cost_usd;

/** A sum of which no part may be unknown. */
export const sumUnlessUnknown = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);

/** The latest verdict, also one that waits for a challenge. */
const latestVerdict = ({ verdict, challenge }: Pick<Attempt, 'verdict' | 'challenge'>): Attempt['verdict'] =>
  verdict ?? challenge?.pending_verdict ?? null;

const ofVerdict = (verdict: Attempt['verdict']): number | null =>
  verdict?.judging_cost_usd === undefined
    ? sumUnlessUnknown((verdict?.judgements ?? []).map(judgementCost))
    : verdict.judging_cost_usd;

/** The parts of an attempt that say what judging it took. */
type JudgedAttempt = Pick<Attempt, 'verdict' | 'reverification' | 'gates_metered_usage' | 'challenge'>;

/**
 * Dollars that models took to judge an attempt: those that the janitor asked, also for verdicts that were made again, and those that its
 * gates and its challenger asked; 0: none was asked. Null: a part of it is not known.
 */
export const totalJudgingCost = ({
  verdict,
  reverification: repeated,
  gates_metered_usage: opinions,
  challenge,
}: JudgedAttempt): number | null =>
  sumUnlessUnknown([
    ofVerdict(latestVerdict({ verdict, challenge })),
    repeated ? repeated.earlier_judging_cost_usd : 0,
    opinions ? opinions.cost_usd : 0,
    challenge?.metered_usage ? challenge.metered_usage.cost_usd : 0,
  ]);

/** Dollars, as far as they are known; `isKnown`: that is all of them. */
export interface PartialJudgingCost {
  readonly usd: number;
  readonly isComplete: boolean;
}

const known = (verdict: Attempt['verdict']): number =>
  verdict?.judging_cost_usd ??
  (verdict?.judgements ?? []).reduce((sum, each) => sum + (judgementCost(each) ?? 0), 0);

/** What is known of the cost of judging an attempt, for what has a limit: one unknown part hides no other. */
export const computeKnownJudgingCost = (attempt: JudgedAttempt): PartialJudgingCost => ({
  usd:
    known(latestVerdict(attempt)) +
    (attempt.reverification?.earlier_judging_cost_usd ?? 0) +
    (attempt.gates_metered_usage?.cost_usd ?? 0) +
    (attempt.challenge?.metered_usage?.cost_usd ?? 0),
  isComplete: totalJudgingCost(attempt) !== null,
});

/** What asking models about an attempt may have cost that nobody has heard, or has heard yet, in millionths of a dollar. */
export const unsettledJudgingMicroUsd = ({
  judging_rounds: asked,
  judging_claim: judging,
}: Pick<Attempt, 'judging_rounds' | 'judging_claim'>): number =>
  (asked?.unsettled_micro_usd ?? 0) + (judging?.max_micro_usd ?? 0);

/** The cost of judging without what gates asked: of the verdict, and of those that were made before it. */
export const verdictJudgingCost = ({
  verdict,
  reverification: repeated,
}: Pick<Attempt, 'verdict' | 'reverification'>): number | null =>
  sumUnlessUnknown([ofVerdict(verdict), repeated ? repeated.earlier_judging_cost_usd : 0]);
