import * as z from 'zod';
import { isTier, type Tier } from '../../../contract/agents/tiers.ts';
import type { Attempt } from '../../../contract/task/attempt.ts';
import { totalJudgingCost } from '../../../contract/task/judging-cost.ts';
import type { Task } from '../../../contract/task/task.ts';
import { StorableNumber } from '../../../lib/stored-number.ts';

/** How one attempt came out, as far as choosing the next model learns from it. */
export const LearnedAttemptOutcome = z.object({
  /** `<task>#<attempt>`: what is seen twice counts once. */
  id: z.string().min(1).max(200),
  /** The model id, not the tier: another model in the place of a tier has no history. */
  model: z.string().min(1).max(200),
  passed: z.boolean(),
  /** US dollars; null: not known, which is not 0. */
  cost_usd: StorableNumber.nonnegative().nullable(),
  /** Dollars that models took to judge it; null: not known. */
  judging_cost_usd: StorableNumber.nonnegative().nullable(),
  /** From the start of the attempt until its agent reported; null: not known. */
  seconds: StorableNumber.nonnegative().nullable(),
  at: z.iso.datetime(),
});
export type LearnedAttemptOutcome = z.infer<typeof LearnedAttemptOutcome>;

/** What the outcomes of one item have in common. */
export interface OutcomeLearningKey {
  readonly role: string;
  readonly complexity: Task['complexity'];
  readonly tier: Tier;
}

/** An outcome, and where it belongs. */
export interface KeyedAttemptOutcome extends OutcomeLearningKey {
  readonly outcome: LearnedAttemptOutcome;
}

/**
 * Did the work of an attempt pass? The verdict on evidence of ours alone says so: null where there is none, where a person was asked, and
 * where nothing of ours supports a pass. Not what the agent says, nor that the attempt was followed by another.
 */
export function hasAttemptPassed({ verdict }: Pick<Attempt, 'verdict'>): boolean | null {
  if (!verdict || verdict.verdict === 'refer') return null;
  if (verdict.verdict === 'fail') return false;
  return verdict.verified ? true : null;
}

/** What is to be learned from the attempts of a task that are over. Plans are not: whether one holds says nothing of code. */
export function deriveAttemptOutcomes(task: Task): KeyedAttemptOutcome[] {
  if (task.plan) return [];
  return task.attempts.flatMap((attempt) => {
    const passed = attempt.merge || attempt.redelivery ? null : hasAttemptPassed(attempt);
    const { tier, model, report, ended_at: at } = attempt;
    if (passed === null || at === null || model === null || tier === null || !isTier(tier)) return [];
    const ms = report ? Date.parse(report.at) - Date.parse(attempt.started_at) : null;
    const outcome = {
      id: `${task.id}#${attempt.number}`,
      model,
      passed,
      cost_usd: attempt.cost_usd,
      judging_cost_usd: totalJudgingCost(attempt),
      seconds: ms === null || ms < 0 ? null : ms / 1_000,
      at,
    };
    return [{ role: task.role, complexity: task.complexity, tier, outcome }];
  });
}

/** What one write of a task adds to what can be learned. */
export function deriveNewAttemptOutcomes(before: Task | null, after: Task): KeyedAttemptOutcome[] {
  const known = new Set(before ? deriveAttemptOutcomes(before).map(({ outcome }) => outcome.id) : []);
  return deriveAttemptOutcomes(after).filter(({ outcome }) => !known.has(outcome.id));
}
