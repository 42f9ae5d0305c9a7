import { DEFAULT_TIER_MODELS as MODELS, TIERS } from '../../shared/contract/agents/tiers.ts';
import { Complexity } from '../../shared/contract/submission/schema.ts';
import { NO_CONTROL } from '../../shared/control/cascade/learning/control.ts';
import type { LearnedOutcome } from '../../shared/control/cascade/learning/outcome.ts';
import { CascadePolicy, POLICIES, type PolicyName } from '../../shared/control/cascade/learning/policy.ts';
import { WINDOW } from '../../shared/control/cascade/learning/window.ts';
import { select } from '../../shared/control/cascade/select.ts';
import { later, NOW, task } from '../../test/support/builders.ts';
import type { Section } from './page.ts';
import { median } from './statistics.ts';

const DECISIONS = 2_000;
const ROUNDS = 5;

export type RoutingFigures = readonly { readonly policy: PolicyName; readonly per_second: number }[];

/** Windows of a role as full as they get. */
const windows = Complexity.options.flatMap((complexity) =>
  TIERS.map((tier, rank) => ({
    complexity,
    tier,
    window: Array.from(
      { length: WINDOW },
      (_, n): LearnedOutcome => ({
        id: `T${n}#1`,
        model: MODELS[tier],
        passed: n % 4 <= rank,
        cost_usd: 0.2 + rank,
        seconds: 60,
        at: later(n).toISOString(),
      }),
    ),
  })),
);

/** Decisions of a second of one core: ladder, what is believed, the choice and its reason; what is read for it lies in memory. */
function perSecond(name: PolicyName): number {
  const policy = CascadePolicy.parse({ policy: name });
  const tasks = Array.from({ length: DECISIONS }, (_, n) =>
    task({ id: `T${n}`, complexity: Complexity.options[n % 3] ?? 'low' }),
  );
  const learned = { policy, memory: { windows, control: NO_CONTROL }, at: NOW.toISOString() };
  const rates = Array.from({ length: ROUNDS }, () => {
    const { user, system } = process.cpuUsage();
    for (const each of tasks) select(each, MODELS, null, learned);
    const used = process.cpuUsage();
    return (DECISIONS * 1e6) / (used.user + used.system - user - system);
  });
  return median(rates);
}

export const benchRouting = (say: (line: string) => void): RoutingFigures =>
  POLICIES.map((policy) => {
    say(`decisions of ${policy}`);
    return { policy, per_second: perSecond(policy) };
  });

export const routingSections = (figures: RoutingFigures): Section[] => [
  [
    `Which model tries: decisions per second of CPU time, with ${windows.length} windows of ${WINDOW} outcomes (median of ${ROUNDS} times ${DECISIONS})`,
    [
      ['policy', 'decisions/s', 'each'],
      ...figures.map(({ policy, per_second }) => [
        policy,
        Math.round(per_second).toLocaleString('en'),
        `${(1_000 / per_second).toFixed(3)} ms`,
      ]),
    ],
  ],
];
