import type { Tier, TierModels } from '../../../contract/agents/tiers.ts';
import type { LearnedAttemptOutcome } from '../learning/attempt-outcomes.ts';
import type { TierPolicySettings } from '../learning/cascade-policy.ts';
import { chooseTier } from '../learning/choose-tier.ts';
import {
  addToRecentAttemptOutcomes,
  type RecentAttemptOutcomes,
} from '../learning/recent-attempt-outcomes.ts';
import { createSeededRandom } from '../learning/seeded-random.ts';
import { buildModelLadder, type ModelLadderStep } from '../learning/tier-ladder.ts';
import { NO_TIER_LEARNING_OVERRIDES } from '../learning/tier-learning-overrides.ts';
import { buildTierChoiceOptions } from '../learning/tier-options.ts';
import type { RoleLearningState } from '../learning/tier-pass-rate.ts';
import type { RecordedTask } from './recorded-outcomes.ts';

/** What a task came to under a policy; null where it depends on what nobody has recorded. */
export interface SimulatedTaskRun {
  readonly passed: boolean;
  readonly cost_usd: number;
  /** Null: the time of an attempt is not known. */
  readonly seconds: number | null;
  readonly attempts: number;
}

/** Where a policy goes next on a ladder: an index into what is left of it. */
type ChooseRung = (task: RecordedTask, rungs: readonly ModelLadderStep[], attempt: number) => number;

/** A policy as a player: it chooses, and is told what came of it. */
export interface SimulationPolicy {
  readonly next: ChooseRung;
  readonly learn: (task: RecordedTask, tier: Tier, at: number) => void;
}

export const recordedTaskLadder = (
  { role, complexity }: RecordedTask,
  models: TierModels,
): readonly ModelLadderStep[] => buildModelLadder({ role, complexity, scope: 'medium', priority: 2 }, models);

const nonLearningPlayer = (next: ChooseRung): SimulationPolicy => ({ next, learn: () => {} });

/** Begins where the table says, and climbs one by one. */
export const createLadderClimbingPolicy = (): SimulationPolicy => nonLearningPlayer(() => 0);
/** Straight to the top. */
export const createTopTierPolicy = (): SimulationPolicy =>
  nonLearningPlayer((_task, rungs) => rungs.length - 1);
/** Goes through these tiers of each role and complexity. */
export const createTierPlanPolicy = (
  plan: (task: RecordedTask) => ReadonlySet<Tier | null>,
): SimulationPolicy =>
  nonLearningPlayer((task, rungs) => {
    const wanted = plan(task);
    const at = rungs.findIndex(({ tier }) => wanted.has(tier));
    return at < 0 ? rungs.length - 1 : at;
  });

/** ISO time of the n-th thing that happens: only the order counts. */
const timeOf = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();

/** Learns as a deployment does, from nothing, of its own outcomes alone. */
export function createLearningPolicy(policy: TierPolicySettings, seed: string): SimulationPolicy {
  const memories = new Map<
    string,
    Map<string, { complexity: RecordedTask['complexity']; tier: Tier; window: RecentAttemptOutcomes }>
  >();
  const windowsOf = (role: string) => {
    const present = memories.get(role) ?? new Map();
    memories.set(role, present);
    return present;
  };
  return {
    next: (task, rungs, attempt) => {
      const memory: RoleLearningState = {
        windows: [...windowsOf(task.role).values()],
        control: NO_TIER_LEARNING_OVERRIDES,
      };
      const options = buildTierChoiceOptions(
        memory,
        task.complexity,
        rungs,
        policy.min_observations,
        timeOf(0),
      );
      return chooseTier(options, policy, createSeededRandom(`${seed}#${task.id}#${attempt}`))?.index ?? 0;
    },
    learn: (task, tier, at) => {
      const of = task.tiers[tier];
      if (!of) return;
      const windows = windowsOf(task.role);
      const key = `${task.complexity}#${tier}`;
      const present = windows.get(key) ?? { complexity: task.complexity, tier, window: [] };
      const outcome: LearnedAttemptOutcome = {
        id: `${task.id}#${tier}`,
        model: of.model,
        passed: of.passed,
        cost_usd: of.cost_usd,
        judging_cost_usd: 0,
        seconds: of.seconds,
        at: timeOf(at),
      };
      windows.set(key, {
        ...present,
        window: addToRecentAttemptOutcomes(present.window, outcome) ?? present.window,
      });
    },
  };
}

/** Plays one task, the `n`-th; null where the way leads over a tier that was never tried, or whose cost is not known. */
export function simulateTaskRun(
  task: RecordedTask,
  player: SimulationPolicy,
  models: TierModels,
  n: number,
): SimulatedTaskRun | null {
  let rungs = recordedTaskLadder(task, models);
  let cost_usd = 0;
  let seconds: number | null = 0;
  for (let attempts = 1; ; attempts++) {
    const at = player.next(task, rungs, attempts);
    const rung = rungs[at];
    const outcome = rung?.tier ? task.tiers[rung.tier] : undefined;
    if (!rung?.tier || !outcome || outcome.cost_usd === null) return null;
    cost_usd += outcome.cost_usd;
    seconds = seconds === null || outcome.seconds === null ? null : seconds + outcome.seconds;
    player.learn(task, rung.tier, n * 10 + attempts);
    rungs = rungs.slice(at + 1);
    if (outcome.passed || rungs.length === 0) return { passed: outcome.passed, cost_usd, seconds, attempts };
  }
}
