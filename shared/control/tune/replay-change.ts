import { TIERS, type Tier, type TierModels } from '../../contract/agents/tiers.ts';
import { TierPolicySettings } from '../cascade/learning/cascade-policy.ts';
import { computeCentralInterval90, computeWilsonInterval } from '../cascade/learning/intervals.ts';
import { createSeededRandom } from '../cascade/learning/seeded-random.ts';
import { nominalAttemptCostUsd } from '../cascade/learning/tier-pass-rate.ts';
import { type BootstrapEstimate, estimateMeanByBootstrap } from '../cascade/simulation/bootstrap.ts';
import type { RecordedTask, RecordedTierOutcome } from '../cascade/simulation/recorded-outcomes.ts';
import {
  createLearningPolicy,
  recordedTaskLadder,
  type SimulationPolicy,
  simulateTaskRun,
} from '../cascade/simulation/simulate-task-run.ts';
import { applyTuningToCascadePolicy, tunedFirstTier } from './active-changes.ts';
import type { TuningProposalTestResult, TuningState } from './proposals.ts';
import type { SettingChange } from './setting-change.ts';

/** Fewer tasks show nothing. */
export const MIN_TEST_TASKS = 20;
/** Passes that may be lost, as a share of the tasks: the reference's tolerance. */
export const MAX_PASS_RATE_LOSS = 0.02;
/** How often the tasks are shuffled for a policy that learns. */
const RUNS = 5;

export interface ReplayContext {
  readonly tasks: readonly RecordedTask[];
  readonly models: TierModels;
  /** As it is configured. */
  readonly policy: TierPolicySettings;
  readonly state: Pick<TuningState, 'active_changes'>;
  readonly now: Date;
}

/** The change as if it were in force, beside all that is. */
const withActiveChange = (
  state: Pick<TuningState, 'active_changes'>,
  setting: SettingChange,
  thing: string,
): Pick<TuningState, 'active_changes'> => ({
  active_changes: { ...state.active_changes, [thing]: { proposal: 'replay', change: setting, share: 'all' } },
});

/** Begins where table and applied routes say, and climbs one by one. */
const routedPlayer = (state: Pick<TuningState, 'active_changes'>): SimulationPolicy => ({
  next: (task, rungs, attempt) => {
    const tier = attempt === 1 ? tunedFirstTier(state, task)?.tier : undefined;
    return Math.max(
      0,
      rungs.findIndex((rung) => rung.tier === tier),
    );
  },
  learn: () => {},
});

function createPlayer(
  { policy, state }: Pick<ReplayContext, 'policy' | 'state'>,
  seed: string,
): SimulationPolicy {
  if (policy.policy === 'fixed') return routedPlayer(state);
  return createLearningPolicy(TierPolicySettings.parse(applyTuningToCascadePolicy(policy, state)), seed);
}

/** What a tier that a task never tried is taken for: passed as seldom, and as dear, as the tier is likely to be at its worst. Null: nobody knows a cost. */
function worstCaseOutcomes({
  tasks,
  models,
  now,
}: ReplayContext): (task: RecordedTask, tier: Tier) => RecordedTierOutcome | null {
  const known = new Map<string, { passes: number; costs: number[]; count: number }>();
  const key = (task: RecordedTask, tier: Tier) => `${task.role}#${task.complexity}#${tier}`;
  for (const task of tasks)
    for (const tier of TIERS) {
      const outcome = task.tiers[tier];
      if (!outcome) continue;
      const sum = known.get(key(task, tier)) ?? { passes: 0, costs: [], count: 0 };
      sum.count += 1;
      sum.passes += outcome.passed ? 1 : 0;
      if (outcome.cost_usd !== null) sum.costs.push(outcome.cost_usd);
      known.set(key(task, tier), sum);
    }
  return (task, tier) => {
    const { passes, count, costs } = known.get(key(task, tier)) ?? { passes: 0, count: 0, costs: [] };
    const cost_usd =
      computeCentralInterval90(costs)?.high ?? nominalAttemptCostUsd(models[tier], now.toISOString());
    const passed =
      createSeededRandom(`worst#${task.id}#${tier}`).uniform() < computeWilsonInterval(passes, count).low;
    return cost_usd === null ? null : { model: models[tier], passed, cost_usd, seconds: null };
  };
}

interface PlayedTask {
  readonly cost: number;
  readonly passed: number;
  /** Did it go over what was never tried? */
  readonly assumed: boolean;
}

/** The task with what was never tried at its worst, and which tiers that were. */
function fillWithWorstCase(
  task: RecordedTask,
  models: TierModels,
  worst: ReturnType<typeof worstCaseOutcomes>,
): { readonly task: RecordedTask; readonly assumed: ReadonlySet<Tier> } {
  const assumed = new Set<Tier>();
  const tiers: Partial<Record<Tier, RecordedTierOutcome>> = { ...task.tiers };
  for (const { tier } of recordedTaskLadder(task, models)) {
    if (tier === null || (tiers[tier] && tiers[tier].cost_usd !== null)) continue;
    const outcome = worst(task, tier);
    if (outcome === null) continue;
    tiers[tier] = tiers[tier] ? { ...tiers[tier], cost_usd: outcome.cost_usd } : outcome;
    assumed.add(tier);
  }
  return { task: { ...task, tiers }, assumed };
}

/** Plays all tasks in an order; of each null where its way is not known. `worst` null: nothing is assumed. */
function playTasks(
  order: readonly RecordedTask[],
  player: SimulationPolicy,
  models: TierModels,
  worst: ReturnType<typeof worstCaseOutcomes> | null,
): Map<string, PlayedTask | null> {
  const result = new Map<string, PlayedTask | null>();
  for (const [n, task] of order.entries()) {
    const full = worst ? fillWithWorstCase(task, models, worst) : { task, assumed: new Set<Tier>() };
    let assumed = false;
    const watched: SimulationPolicy = {
      next: player.next,
      learn: (of, tier, at) => {
        assumed ||= full.assumed.has(tier);
        // What is assumed of a task is nothing to learn from.
        if (!full.assumed.has(tier)) player.learn(of, tier, at);
      },
    };
    const episode = simulateTaskRun(full.task, watched, models, n);
    result.set(task.id, episode && { cost: episode.cost_usd, passed: episode.passed ? 1 : 0, assumed });
  }
  return result;
}

function shuffled<T>(list: readonly T[], seed: string): T[] {
  const random = createSeededRandom(seed);
  return list
    .map((each) => ({ each, rank: random.uniform() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
}

const brief = (value: number): number => Math.round(value * 1e6) / 1e6;
export const roundEstimate = (value: BootstrapEstimate | null): TuningProposalTestResult['cost_usd'] =>
  value && { mean: brief(value.mean), low: brief(value.low), high: brief(value.high) };

export const formatEstimate = (
  of: NonNullable<TuningProposalTestResult['cost_usd']>,
  digits: number,
): string => `${of.mean.toFixed(digits)} (${of.low.toFixed(digits)} to ${of.high.toFixed(digits)})`;

/**
 * Plays recorded tasks without the change and with it, and compares them task by task. Without it all must be recorded; with it, what was
 * never tried is taken at its worst, so that what is not known speaks against the change and never for it. It holds when it saves money at 95 %
 * and loses no more than {@link TOLERANCE} of the passes.
 */
export function replaySettingChange(
  setting: SettingChange,
  thing: string,
  context: ReplayContext,
): TuningProposalTestResult {
  const { tasks, models, policy, state, now } = context;
  const runs = policy.policy === 'fixed' ? 1 : RUNS;
  const after = withActiveChange(state, setting, thing);
  const worst = worstCaseOutcomes(context);
  const about =
    setting.kind === 'route'
      ? tasks.filter(({ role, complexity }) => role === setting.role && complexity === setting.complexity)
      : tasks;
  const sums = new Map<string, { cost: number; passed: number; assumed: boolean; runs: number }>();
  for (let run = 0; run < runs; run++) {
    const order = shuffled(about, `evolve#${run}`);
    const without = playTasks(order, createPlayer({ policy, state }, `evolve#${run}`), models, null);
    const withIt = playTasks(order, createPlayer({ policy, state: after }, `evolve#${run}`), models, worst);
    for (const { id } of order) {
      const a = without.get(id);
      const b = withIt.get(id);
      if (!a || !b) continue;
      const sum = sums.get(id) ?? { cost: 0, passed: 0, assumed: false, runs: 0 };
      sums.set(id, {
        cost: sum.cost + b.cost - a.cost,
        passed: sum.passed + b.passed - a.passed,
        assumed: sum.assumed || b.assumed,
        runs: sum.runs + 1,
      });
    }
  }
  const compared = [...sums.values()];
  const cost_usd = roundEstimate(estimateMeanByBootstrap(compared.map((each) => each.cost / each.runs)));
  const pass_rate = roundEstimate(estimateMeanByBootstrap(compared.map((each) => each.passed / each.runs)));
  const counts = {
    tasks: compared.length,
    excluded: about.length - compared.length,
    worst_case: compared.filter(({ assumed }) => assumed).length,
  };
  const said = (holds: boolean, why: string): TuningProposalTestResult => ({
    by: 'replay',
    at: now.toISOString(),
    passed: holds,
    reason: `replay of ${counts.tasks} tasks (${counts.worst_case} over what was never tried, taken at its worst; ${counts.excluded} left out): ${why}`,
    ...counts,
    cost_usd,
    pass_rate,
  });
  if (counts.tasks < MIN_TEST_TASKS || !cost_usd || !pass_rate)
    return said(false, `${MIN_TEST_TASKS} are needed`);
  const numbers = `dollars per task ${formatEstimate(cost_usd, 4)}, pass rate ${formatEstimate(pass_rate, 3)}`;
  if (cost_usd.high >= 0) return said(false, `${numbers}; it is not shown to save anything`);
  return pass_rate.mean < -MAX_PASS_RATE_LOSS
    ? said(false, `${numbers}; more than ${MAX_PASS_RATE_LOSS} of the passes are lost`)
    : said(true, numbers);
}
