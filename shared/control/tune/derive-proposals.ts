import { TaskComplexity } from '../../contract/submission/schema.ts';
import { computeWilsonInterval } from '../cascade/learning/intervals.ts';
import type { RecordedTask } from '../cascade/simulation/recorded-outcomes.ts';
import { recordedTaskLadder } from '../cascade/simulation/simulate-task-run.ts';
import type { DailyMetrics } from '../metrics/daily-metrics.ts';
import { applyTuningToCascadePolicy, tunedFirstTier } from './active-changes.ts';
import { testGateRequirementChange } from './gate-requirement-test.ts';
import { MIN_TEST_TASKS, type ReplayContext, replaySettingChange } from './replay-change.ts';
import { buildSettingKey, type SettingChange } from './setting-change.ts';

/** What a deployment could try: one change, and why. */
export interface ProposalDraft {
  readonly settingChange: SettingChange;
  readonly evidence: string;
}

export interface TuningProposalContext extends ReplayContext {
  /** Of the last weeks. */
  readonly metrics: Pick<DailyMetrics, 'gates' | 'further'>;
}

const THRESHOLDS = [0.5, 0.6, 0.7, 0.9] as const;
const EPSILONS = [0.05, 0.02] as const;
/** Roles whose work passes less often are looked at. */
const MIN_ROLE_PASS_RATE = 0.8;
/** Gates that fail more of what they look at. */
const MIN_GATE_FAILURE_SHARE = 0.25;

/** Of the values of a number, the one that saves most in the replay; none where none holds. */
function bestThresholdChange(
  context: TuningProposalContext,
  changes: readonly SettingChange[],
): ProposalDraft[] {
  const tried = changes
    .map((change) => ({ change, test: replaySettingChange(change, buildSettingKey(change), context) }))
    .filter(({ test }) => test.passed)
    .sort((a, b) => (a.test.cost_usd?.mean ?? 0) - (b.test.cost_usd?.mean ?? 0));
  return tried.slice(0, 1).map(({ change, test }) => ({ settingChange: change, evidence: test.reason }));
}

function proposeThresholds(context: TuningProposalContext): ProposalDraft[] {
  const { policy, state } = context;
  if (policy.policy !== 'greedy') return [];
  const now = applyTuningToCascadePolicy(policy, state);
  return [
    ...bestThresholdChange(
      context,
      THRESHOLDS.filter((value) => value !== now.quality_threshold).map((value) => ({
        kind: 'threshold',
        name: 'quality_threshold',
        value,
      })),
    ),
    ...bestThresholdChange(
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
function proposeRoutes({ tasks, models, policy, state }: TuningProposalContext): ProposalDraft[] {
  if (policy.policy !== 'fixed') return [];
  return groupsOf(tasks).flatMap((group): ProposalDraft[] => {
    const [one] = group;
    if (!one) return [];
    const rungs = recordedTaskLadder(one, models);
    const begins = tunedFirstTier(state, one)?.tier ?? rungs[0]?.tier;
    const at = rungs.findIndex(({ tier }) => tier === begins);
    const [first, next] = [rungs[at]?.tier, rungs[at + 1]?.tier];
    if (!first || !next) return [];
    const outcomes = group.flatMap(({ tiers }) => tiers[first] ?? []);
    const cost = (tier: typeof first) => mean(group.flatMap(({ tiers }) => tiers[tier]?.cost_usd ?? []));
    const [a, b] = [cost(first), cost(next)];
    if (outcomes.length < MIN_TEST_TASKS || a === null || b === null || b <= 0) return [];
    const passes = outcomes.filter(({ passed }) => passed).length;
    const { low, high } = computeWilsonInterval(passes, outcomes.length);
    if (high >= a / b) return [];
    return [
      {
        settingChange: {
          kind: 'route',
          role: one.role,
          complexity: TaskComplexity.parse(one.complexity),
          tier: next,
        },
        evidence: `${first} passed ${passes} of ${outcomes.length} (${low.toFixed(2)} to ${high.toFixed(2)} at 90 %), and pays above ${(a / b).toFixed(2)}`,
      },
    ];
  });
}

/** The weakest role is told of the gate that fails most often. */
function proposePrompts({ tasks, metrics }: TuningProposalContext): ProposalDraft[] {
  const [gate] = Object.entries(metrics.gates)
    .filter(([, { total, blocked }]) => total >= MIN_TEST_TASKS && blocked / total > MIN_GATE_FAILURE_SHARE)
    .sort(([, a], [, b]) => b.blocked / b.total - a.blocked / a.total);
  if (!gate) return [];
  const [name, { blocked, total }] = gate;
  const [role] = [...Map.groupBy(tasks, (task) => task.role)]
    .map(([of, own]) => {
      const outcomes = own.flatMap(({ tiers }) => Object.values(tiers));
      return { of, count: outcomes.length, passes: outcomes.filter(({ passed }) => passed).length };
    })
    .filter(({ count, passes }) => count >= MIN_TEST_TASKS && passes / count < MIN_ROLE_PASS_RATE)
    .sort((a, b) => a.passes / a.count - b.passes / b.count);
  if (!role) return [];
  return [
    {
      settingChange: {
        kind: 'prompt',
        role: role.of,
        text: `Most work that is not accepted here fails at the gate "${name}". Before you hand in, run what it checks yourself, and mend what it finds.`,
      },
      evidence: `${role.of} passed ${role.passes} of ${role.count} attempts; ${name} held ${blocked} of ${total} patches, more than any other gate`,
    },
  ];
}

/** A gate that people overrule need not be required. */
const proposeGates = ({ metrics, now }: TuningProposalContext): ProposalDraft[] =>
  Object.entries(metrics.further.words).flatMap(([gate, word]): ProposalDraft[] => {
    const setting = { kind: 'gate', gate, required: false } as const;
    const test = testGateRequirementChange(setting, word, now);
    return test.passed ? [{ settingChange: setting, evidence: test.reason }] : [];
  });

/** All that the deployment's own records suggest. */
export const deriveProposals = (context: TuningProposalContext): ProposalDraft[] => [
  ...proposeThresholds(context),
  ...proposePrompts(context),
  ...proposeRoutes(context),
  ...proposeGates(context),
];
