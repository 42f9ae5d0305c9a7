import type { Tier, TierModels } from '../../../contract/agents/tiers.ts';
import type { RecordedTask } from './recorded-outcomes.ts';
import {
  createTierPlanPolicy,
  recordedTaskLadder,
  type SimulatedTaskRun,
  simulateTaskRun,
} from './simulate-task-run.ts';

const keyOf = ({ role, complexity }: RecordedTask): string => `${role}#${complexity}`;

/** All ways up a ladder that end on its top. */
function tierPlans(tiers: readonly (Tier | null)[]): ReadonlySet<Tier | null>[] {
  const below = tiers.slice(0, -1);
  const top = tiers.at(-1) ?? null;
  return Array.from(
    { length: 2 ** below.length },
    (_, bits) => new Set([...below.filter((_each, index) => (bits >> index) % 2 === 1), top]),
  );
}

/**
 * The best way up for each role and complexity in hindsight: whoever knew the pass rates and costs beforehand, though not how any one task
 * will come out, could do no better with one way for all. Ways that miss what is recorded of a task are judged by the others.
 */
export function bestTierPlans(
  tasks: readonly RecordedTask[],
  models: TierModels,
): (task: RecordedTask) => ReadonlySet<Tier | null> {
  const groups = Map.groupBy(tasks, keyOf);
  const best = new Map<string, ReadonlySet<Tier | null>>();
  for (const [key, group] of groups) {
    const [first] = group;
    const ways = first ? tierPlans(recordedTaskLadder(first, models).map(({ tier }) => tier)) : [];
    const mean = (way: ReadonlySet<Tier | null>): number => {
      const played = group.flatMap(
        (task, n) =>
          simulateTaskRun(
            task,
            createTierPlanPolicy(() => way),
            models,
            n,
          ) ?? [],
      );
      return played.length === 0
        ? Number.POSITIVE_INFINITY
        : played.reduce((sum, { cost_usd }) => sum + cost_usd, 0) / played.length;
    };
    const rated = ways.map((way) => ({ way, cost: mean(way) })).sort((a, b) => a.cost - b.cost);
    if (rated[0]) best.set(key, rated[0].way);
  }
  return (task) => best.get(keyOf(task)) ?? new Set();
}

/** What a task costs for who knows beforehand how it comes out: the cheapest tier that passes, once; where none does, the cheapest. */
export function simulateClairvoyantRun(task: RecordedTask, models: TierModels): SimulatedTaskRun | null {
  const outcomes = recordedTaskLadder(task, models).map(({ tier }) =>
    tier === null ? undefined : task.tiers[tier],
  );
  if (outcomes.some((each) => !each || each.cost_usd === null)) return null;
  const known = outcomes.flatMap((each) =>
    each && each.cost_usd !== null ? [{ ...each, cost_usd: each.cost_usd }] : [],
  );
  const passing = known.filter(({ passed }) => passed);
  const [cheapest] = (passing.length > 0 ? passing : known).sort((a, b) => a.cost_usd - b.cost_usd);
  if (!cheapest) return null;
  const { passed, cost_usd, seconds } = cheapest;
  return { passed, cost_usd, seconds, attempts: 1 };
}
