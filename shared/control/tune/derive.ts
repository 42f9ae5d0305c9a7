import { Complexity } from '../../contract/submission/schema.ts';
import { shareInterval } from '../cascade/learning/interval.ts';
import { rungsOf } from '../cascade/simulation/episode.ts';
import type { RecordedTask } from '../cascade/simulation/records.ts';
import type { Figures } from '../metrics/figures.ts';
import { type Change, thingOf } from './change.ts';
import { gateTest } from './gate-words.ts';
import { policyInForce, routeInForce } from './in-force.ts';
import { MIN_TASKS, type ReplayContext, replay } from './replay.ts';

/** What a deployment could try: one change, and why. */
export interface Idea {
  readonly setting: Change;
  readonly evidence: string;
}

export interface DeriveContext extends ReplayContext {
  /** Of the last weeks. */
  readonly figures: Pick<Figures, 'gates' | 'further'>;
}

const THRESHOLDS = [0.5, 0.6, 0.7, 0.9] as const;
const EPSILONS = [0.05, 0.02] as const;
/** Roles whose work passes less often are looked at. */
const WEAK = 0.8;
/** Gates that fail more of what they look at. */
const OFTEN = 0.25;

/** Of the values of a number, the one that saves most in the replay; none where none holds. */
function bestNumber(context: DeriveContext, changes: readonly Change[]): Idea[] {
  const tried = changes
    .map((setting) => ({ setting, test: replay(setting, thingOf(setting), context) }))
    .filter(({ test }) => test.holds)
    .sort((a, b) => (a.test.cost_usd?.mean ?? 0) - (b.test.cost_usd?.mean ?? 0));
  return tried.slice(0, 1).map(({ setting, test }) => ({ setting, evidence: test.why }));
}

function thresholds(context: DeriveContext): Idea[] {
  const { policy, state } = context;
  if (policy.policy !== 'greedy') return [];
  const now = policyInForce(policy, state);
  return [
    ...bestNumber(
      context,
      THRESHOLDS.filter((value) => value !== now.quality_threshold).map((value) => ({
        kind: 'threshold',
        name: 'quality_threshold',
        value,
      })),
    ),
    ...bestNumber(
      context,
      EPSILONS.filter((value) => value < now.epsilon).map((value) => ({
        kind: 'threshold',
        name: 'epsilon',
        value,
      })),
    ),
  ];
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;

const groupsOf = (tasks: readonly RecordedTask[]): RecordedTask[][] => [
  ...Map.groupBy(tasks, ({ role, complexity }) => `${role}#${complexity}`).values(),
];

/** Where the first tier does not pay, with nine in ten: begin on the next one. */
function routes({ tasks, models, policy, state }: DeriveContext): Idea[] {
  if (policy.policy !== 'fixed') return [];
  return groupsOf(tasks).flatMap((group): Idea[] => {
    const [one] = group;
    if (!one) return [];
    const rungs = rungsOf(one, models);
    const begins = routeInForce(state, one)?.tier ?? rungs[0]?.tier;
    const at = rungs.findIndex(({ tier }) => tier === begins);
    const [first, next] = [rungs[at]?.tier, rungs[at + 1]?.tier];
    if (!first || !next) return [];
    const outcomes = group.flatMap(({ tiers }) => tiers[first] ?? []);
    const cost = (tier: typeof first) => mean(group.flatMap(({ tiers }) => tiers[tier]?.cost_usd ?? []));
    const [a, b] = [cost(first), cost(next)];
    if (outcomes.length < MIN_TASKS || a === null || b === null || b <= 0) return [];
    const passes = outcomes.filter(({ passed }) => passed).length;
    const { low, high } = shareInterval(passes, outcomes.length);
    if (high >= a / b) return [];
    return [
      {
        setting: {
          kind: 'route',
          role: one.role,
          complexity: Complexity.parse(one.complexity),
          tier: next,
        },
        evidence: `${first} passed ${passes} of ${outcomes.length} (${low.toFixed(2)} to ${high.toFixed(2)} at 90 %), and pays above ${(a / b).toFixed(2)}`,
      },
    ];
  });
}

/** The weakest role is told of the gate that fails most often. */
function prompts({ tasks, figures }: DeriveContext): Idea[] {
  const [gate] = Object.entries(figures.gates)
    .filter(([, { total, blocked }]) => total >= MIN_TASKS && blocked / total > OFTEN)
    .sort(([, a], [, b]) => b.blocked / b.total - a.blocked / a.total);
  if (!gate) return [];
  const [name, { blocked, total }] = gate;
  const [role] = [...Map.groupBy(tasks, (task) => task.role)]
    .map(([of, own]) => {
      const outcomes = own.flatMap(({ tiers }) => Object.values(tiers));
      return { of, count: outcomes.length, passes: outcomes.filter(({ passed }) => passed).length };
    })
    .filter(({ count, passes }) => count >= MIN_TASKS && passes / count < WEAK)
    .sort((a, b) => a.passes / a.count - b.passes / b.count);
  if (!role) return [];
  return [
    {
      setting: {
        kind: 'prompt',
        role: role.of,
        text: `Most work that is not accepted here fails at the gate "${name}". Before you hand in, run what it checks yourself, and mend what it finds.`,
      },
      evidence: `${role.of} passed ${role.passes} of ${role.count} attempts; ${name} held ${blocked} of ${total} patches, more than any other gate`,
    },
  ];
}

/** A gate that people overrule need not be required. */
const gates = ({ figures, now }: DeriveContext): Idea[] =>
  Object.entries(figures.further?.words ?? {}).flatMap(([gate, word]): Idea[] => {
    const setting = { kind: 'gate', gate, required: false } as const;
    const test = gateTest(setting, word, now);
    return test.holds ? [{ setting, evidence: test.why }] : [];
  });

/** All that the deployment's own records suggest. */
export const ideas = (context: DeriveContext): Idea[] => [
  ...thresholds(context),
  ...prompts(context),
  ...routes(context),
  ...gates(context),
];
