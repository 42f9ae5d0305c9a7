import type { TierModels } from '../../../contract/agents/tiers.ts';
import { CascadePolicy } from '../learning/policy.ts';
import { randomOf } from '../learning/random.ts';
import {
  directPlayer,
  type Episode,
  fixedPlayer,
  learningPlayer,
  type Player,
  planPlayer,
  play,
} from './episode.ts';
import { bestWays, clairvoyant } from './oracle.ts';
import type { RecordedTask } from './records.ts';
import { type Estimate, estimate } from './statistics.ts';

export const SIMULATED = ['fixed', 'direct', 'greedy', 'thompson', 'oracle'] as const;
export type Simulated = (typeof SIMULATED)[number];

export interface Comparison {
  readonly policy: Simulated | 'clairvoyant';
  /** Tasks that all policies could be played on; the others hang on what nobody recorded, for one of them at least. */
  readonly tasks: number;
  readonly cost_usd: Estimate | null;
  readonly pass_rate: Estimate | null;
  /** Null: of no task is the time known. */
  readonly seconds: Estimate | null;
  readonly attempts: Estimate | null;
  /** Dollars per task above the oracle, task by task; null for the oracle itself, and without one. */
  readonly regret_usd: Estimate | null;
  /** Mean dollars above the oracle, added up task by task in the order they were played. */
  readonly regret_so_far: readonly number[];
}

export interface Simulation {
  readonly comparisons: readonly Comparison[];
  readonly tasks: number;
  /** Tasks that were left out of account for want of a record. */
  readonly unknown: number;
}

export interface SimulateOptions {
  readonly policies: readonly Simulated[];
  readonly models: TierModels;
  readonly settings: CascadePolicy;
  /** How often the tasks are shuffled and played again. */
  readonly runs: number;
  readonly seed: string;
}

function shuffled<T>(list: readonly T[], seed: string): T[] {
  const random = randomOf(seed);
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
type Played = Map<string, (Episode | null)[]>;

function playAll(
  policy: Simulated,
  orders: readonly (readonly RecordedTask[])[],
  tasks: readonly RecordedTask[],
  { models, settings, seed }: SimulateOptions,
): Played {
  const ways = policy === 'oracle' ? bestWays(tasks, models) : null;
  const player = (run: number): Player => {
    if (ways) return planPlayer(ways);
    if (policy === 'fixed') return fixedPlayer();
    if (policy === 'direct') return directPlayer();
    const name = policy === 'greedy' ? 'greedy' : 'thompson';
    return learningPlayer(CascadePolicy.parse({ ...settings, policy: name }), `${seed}#${run}`);
  };
  const played: Played = new Map();
  for (const [run, order] of orders.entries()) {
    const of = player(run);
    for (const [n, task] of order.entries())
      played.set(task.id, [...(played.get(task.id) ?? []), play(task, of, models, n)]);
  }
  return played;
}

const of = (
  episodes: readonly (Episode | null)[],
  field: (episode: Episode) => number | null,
): number | null => {
  const values = episodes.map((each) => (each === null ? null : field(each)));
  return values.some((each) => each === null) ? null : mean(values as number[]);
};

/**
 * Plays recorded outcomes under several policies. Compared are the tasks on which all of them are known: nothing is invented for a tier that
 * was never tried. Intervals come from drawing the tasks again; learning policies are averaged over shuffled orders.
 */
export function simulate(tasks: readonly RecordedTask[], options: SimulateOptions): Simulation {
  const { models, runs, seed } = options;
  const orders = Array.from({ length: runs }, (_, run) => shuffled(tasks, `${seed}#order#${run}`));
  const bound: Played = new Map(tasks.map((task) => [task.id, [clairvoyant(task, models)]]));
  const all = new Map<Comparison['policy'], Played>([
    ...options.policies.map((policy) => [policy, playAll(policy, orders, tasks, options)] as const),
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
  const costs = (played: Played | undefined): (number | null)[] =>
    order.map(({ id }) => of(played?.get(id) ?? [null], ({ cost_usd }) => cost_usd));
  const oracle = options.policies.includes('oracle') ? costs(all.get('oracle')) : null;
  const comparisons = [...all].map(([policy, played]): Comparison => {
    const values = (field: (episode: Episode) => number | null): number[] =>
      order.flatMap(({ id }) => of(played.get(id) ?? [null], field) ?? []);
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
      cost_usd: estimate(values(({ cost_usd }) => cost_usd)),
      pass_rate: estimate(values(({ passed }) => (passed ? 1 : 0))),
      seconds: estimate(values(({ seconds }) => seconds)),
      attempts: estimate(values(({ attempts }) => attempts)),
      regret_usd: estimate(above),
      regret_so_far: above.map((each) => {
        sum += each;
        return sum;
      }),
    };
  });
  return { comparisons, tasks: tasks.length, unknown: tasks.length - known.length };
}
