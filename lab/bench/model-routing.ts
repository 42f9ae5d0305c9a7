import { DEFAULT_TIER_MODELS as MODELS, TIERS } from '../../shared/contract/agents/tiers.ts';
import { TaskComplexity } from '../../shared/contract/submission/schema.ts';
import type { LearnedAttemptOutcome } from '../../shared/control/cascade/learning/attempt-outcomes.ts';
import {
  TIER_CHOICE_POLICIES,
  type TierChoicePolicy,
  TierPolicySettings,
} from '../../shared/control/cascade/learning/cascade-policy.ts';
import { MAX_RECENT_ATTEMPT_OUTCOMES } from '../../shared/control/cascade/learning/recent-attempt-outcomes.ts';
import { NO_TIER_LEARNING_OVERRIDES } from '../../shared/control/cascade/learning/tier-learning-overrides.ts';
import { selectNextAttemptModel } from '../../shared/control/cascade/model-selection.ts';
import { addSeconds, FIXED_NOW, task } from '../../test/support/builders.ts';
import type { ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

const DECISIONS = 2_000;
const ROUNDS = 5;

export type RoutingResult = readonly { readonly policy: TierChoicePolicy; readonly per_second: number }[];

/** Windows of a role as full as they get. */
const windows = TaskComplexity.options.flatMap((complexity) =>
  TIERS.map((tier, rank) => ({
    complexity,
    tier,
    window: Array.from(
      { length: MAX_RECENT_ATTEMPT_OUTCOMES },
      (_, n): LearnedAttemptOutcome => ({
        id: `T${n}#1`,
        model: MODELS[tier],
        passed: n % 4 <= rank,
        cost_usd: 0.2 + rank,
        judging_cost_usd: 0,
        seconds: 60,
        at: addSeconds(n).toISOString(),
      }),
    ),
  })),
);

/** Decisions of a second of one core: ladder, what is believed, the choice and its reason; what is read for it lies in memory. */
function perSecond(name: TierChoicePolicy): number {
  const policy = TierPolicySettings.parse({ policy: name });
  const tasks = Array.from({ length: DECISIONS }, (_, n) =>
    task({ id: `T${n}`, complexity: TaskComplexity.options[n % 3] ?? 'low' }),
  );
  const learned = {
    policy,
    memory: { windows, control: NO_TIER_LEARNING_OVERRIDES },
    priced_at: FIXED_NOW.toISOString(),
  };
  const rates = Array.from({ length: ROUNDS }, () => {
    const { user, system } = process.cpuUsage();
    for (const each of tasks) selectNextAttemptModel(each, MODELS, null, learned);
    const used = process.cpuUsage();
    return (DECISIONS * 1e6) / (used.user + used.system - user - system);
  });
  return median(rates);
}

export const benchRouting = (say: (line: string) => void): RoutingResult =>
  TIER_CHOICE_POLICIES.map((policy) => {
    say(`decisions of ${policy}`);
    return { policy, per_second: perSecond(policy) };
  });

export const renderRoutingSections = (figures: RoutingResult): ResultSection[] => [
  [
    `Which model tries: decisions per second of CPU time, with ${windows.length} windows of ${MAX_RECENT_ATTEMPT_OUTCOMES} outcomes (median of ${ROUNDS} times ${DECISIONS})`,
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
