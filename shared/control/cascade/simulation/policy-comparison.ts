import type { TierModels } from '../../../contract/agents/tiers.ts';
import { TierPolicySettings } from '../learning/cascade-policy.ts';
import { createSeededRandom } from '../learning/seeded-random.ts';
import { type BootstrapEstimate, estimateMeanByBootstrap } from './bootstrap.ts';
import { bestTierPlans, simulateClairvoyantRun } from './clairvoyant-run.ts';
import type { RecordedTask } from './recorded-outcomes.ts';
import {
  createLadderClimbingPolicy,
  createLearningPolicy,
  createTierPlanPolicy,
  createTopTierPolicy,
  type SimulatedTaskRun,
  type SimulationPolicy,
  simulateTaskRun,
} from './simulate-task-run.ts';

export const SIMULATED_POLICY_NAMES = ['fixed', 'direct', 'greedy', 'thompson', 'oracle'] as const;
export type SimulatedPolicyName = (typeof SIMULATED_POLICY_NAMES)[number];

export interface PolicyComparison {
  readonly policy: SimulatedPolicyName | 'clairvoyant';
  /** Tasks that all policies could be played on; the others hang on what nobody recorded, for one of them at least. */
  readonly tasks: number;
  readonly cost_usd: BootstrapEstimate | null;
  readonly pass_rate: BootstrapEstimate | null;
  /** Null: of no task is the time known. */
  readonly seconds: BootstrapEstimate | null;
  readonly attempts: BootstrapEstimate | null;
  /** Dollars per task above the oracle, task by task; null for the oracle itself, and without one. */
  readonly regret_usd: BootstrapEstimate | null;
  /** Mean dollars above the oracle, added up task by task in the order they were played. */
  readonly regret_so_far: readonly number[];
}

export interface SimulationResult {
  readonly comparisons: readonly PolicyComparison[];
  readonly tasks: number;
  /** Tasks that were left out of account for want of a record. */
  readonly unknown: number;
}

export interface SimulationOptions {
  readonly policies: readonly SimulatedPolicyName[];
  readonly models: TierModels;
  readonly settings: TierPolicySettings;
  /** How often the tasks are shuffled and played again. */
  readonly runs: number;
  readonly seed: string;
}

function shuffled<T>(list: readonly T[], seed: string): T[] {
  const random = createSeededRandom(seed);
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random.uniform() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

/** Episodes of one policy: by task, one for each run; the order in which the tasks were played is the same for all policies. */
type EpisodesByTask = Map<string, (SimulatedTaskRun | null)[]>;

function playPolicy(
  policy: SimulatedPolicyName,
  orders: readonly (readonly RecordedTask[])[],
  tasks: readonly RecordedTask[],
  { models, settings, seed }: SimulationOptions,
): EpisodesByTask {
  const ways = policy === 'oracle' ? bestTierPlans(tasks, models) : null;
  const player = (run: number): SimulationPolicy => {
    if (ways) return createTierPlanPolicy(ways);
    if (policy === 'fixed') return createLadderClimbingPolicy();
    if (policy === 'direct') return createTopTierPolicy();
    const name = policy === 'greedy' ? 'greedy' : 'thompson';
    return createLearningPolicy(TierPolicySettings.parse({ ...settings, policy: name }), `${seed}#${run}`);
  };
  const played: EpisodesByTask = new Map();
  for (const [run, order] of orders.entries()) {
    const of = player(run);
    for (const [n, task] of order.entries())
      played.set(task.id, [...(played.get(task.id) ?? []), simulateTaskRun(task, of, models, n)]);
  }
  return played;
}

const meanOverRuns = (
  episodes: readonly (SimulatedTaskRun | null)[],
  field: (episode: SimulatedTaskRun) => number | null,
): number | null => {
  const values = episodes.map((each) => (each === null ? null : field(each)));
  return values.some((each) => each === null) ? null : mean(values as number[]);
};

/**
 * Plays recorded outcomes under several policies. Compared are the tasks on which all of them are known: nothing is invented for a tier that
 * was never tried. Intervals come from drawing the tasks again; learning policies are averaged over shuffled orders.
 */
export function simulatePolicies(
  tasks: readonly RecordedTask[],
  options: SimulationOptions,
): SimulationResult {
  const { models, runs, seed } = options;
  const orders = Array.from({ length: runs }, (_, run) => shuffled(tasks, `${seed}#order#${run}`));
  const bound: EpisodesByTask = new Map(
    tasks.map((task) => [task.id, [simulateClairvoyantRun(task, models)]]),
  );
  const all = new Map<PolicyComparison['policy'], EpisodesByTask>([
    ...options.policies.map((policy) => [policy, playPolicy(policy, orders, tasks, options)] as const),
    ['clairvoyant', bound],
  ]);
  // The bound asks for every tier; the others for those that they go over.
  const isKnown = ({ id }: RecordedTask): boolean =>
    options.policies.every((policy) =>
      all
        .get(policy)
        ?.get(id)
        ?.every((each) => each !== null),
    );
  const known = tasks.filter(isKnown);
  const ids = new Set(known.map(({ id }) => id));
  const order = (orders[0] ?? []).filter(({ id }) => ids.has(id));
  const costs = (played: EpisodesByTask | undefined): (number | null)[] =>
    order.map(({ id }) => meanOverRuns(played?.get(id) ?? [null], ({ cost_usd }) => cost_usd));
  const oracle = options.policies.includes('oracle') ? costs(all.get('oracle')) : null;
  const comparisons = [...all].map(([policy, played]): PolicyComparison => {
    const values = (field: (episode: SimulatedTaskRun) => number | null): number[] =>
      order.flatMap(({ id }) => meanOverRuns(played.get(id) ?? [null], field) ?? []);
    const above =
      oracle === null || policy === 'oracle'
        ? []
        : costs(played).flatMap((cost, index) => {
            const best = oracle[index] ?? null;
            return cost === null || best === null ? [] : [cost - best];
          });
    let sum = 0;
    return {
      policy,
      tasks: values(({ cost_usd }) => cost_usd).length,
      cost_usd: estimateMeanByBootstrap(values(({ cost_usd }) => cost_usd)),
      pass_rate: estimateMeanByBootstrap(values(({ passed }) => (passed ? 1 : 0))),
      seconds: estimateMeanByBootstrap(values(({ seconds }) => seconds)),
      attempts: estimateMeanByBootstrap(values(({ attempts }) => attempts)),
      regret_usd: estimateMeanByBootstrap(above),
      regret_so_far: above.map((each) => {
        sum += each;
        return sum;
      }),
    };
  });
  return { comparisons, tasks: tasks.length, unknown: tasks.length - known.length };
}
