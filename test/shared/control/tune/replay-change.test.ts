import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS, type Tier } from '../../../../shared/contract/agents/tiers.ts';
import type { LearnedAttemptOutcome } from '../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import { TierPolicySettings } from '../../../../shared/control/cascade/learning/cascade-policy.ts';
import { NO_TIER_LEARNING_OVERRIDES } from '../../../../shared/control/cascade/learning/tier-learning-overrides.ts';
import { readRecordedOutcomes } from '../../../../shared/control/cascade/simulation/recorded-outcomes.ts';
import { generateSyntheticOutcomes } from '../../../../shared/control/cascade/simulation/synthetic-outcomes.ts';
import { EMPTY_DAILY_METRICS } from '../../../../shared/control/metrics/daily-metrics.ts';
import {
  applyTuningToCascadePolicy,
  findTunedRolePrompt,
  isInTrialGroup,
  tunedFirstTier,
} from '../../../../shared/control/tune/active-changes.ts';
import { deriveLearnedRecordedTasks } from '../../../../shared/control/tune/deployment-tasks.ts';
import { deriveProposals } from '../../../../shared/control/tune/derive-proposals.ts';
import { evaluateTrial } from '../../../../shared/control/tune/evaluate-trial.ts';
import { testGateRequirementChange } from '../../../../shared/control/tune/gate-requirement-test.ts';
import { replaySettingChange } from '../../../../shared/control/tune/replay-change.ts';
import { buildSettingKey, type SettingChange } from '../../../../shared/control/tune/setting-change.ts';

const now = new Date('2026-11-20T00:00:00.000Z');
const policy = (name: string) => TierPolicySettings.parse({ policy: name });
const nothing = { active_changes: {} };
const recorded = readRecordedOutcomes(
  generateSyntheticOutcomes(300, '1', MODELS, now.toISOString()),
  MODELS,
  now.toISOString(),
).tasks;

/** Outcomes of `count` tasks that begin on haiku, of which `passes` pass there and the others on sonnet. */
function memory(count: number, passes: number) {
  const outcome = (n: number, attempt: number, tier: Tier, passed: boolean): LearnedAttemptOutcome => ({
    id: `t${n}#${attempt}`,
    model: MODELS[tier],
    passed,
    cost_usd: tier === 'haiku' ? 0.3 : 0.9,
    seconds: 60,
    judging_cost_usd: 0,
    at: new Date(now.getTime() + n * 1_000 + attempt).toISOString(),
  });
  const all = Array.from({ length: count }, (_, n) => n);
  const windows = [
    {
      complexity: 'low' as const,
      tier: 'haiku' as const,
      window: all.map((n) => outcome(n, 1, 'haiku', n < passes)),
    },
    {
      complexity: 'low' as const,
      tier: 'sonnet' as const,
      window: all.filter((n) => n >= passes).map((n) => outcome(n, 2, 'sonnet', true)),
    },
  ];
  return new Map([['backend', { windows, control: NO_TIER_LEARNING_OVERRIDES }]]);
}

const tested = (setting: SettingChange, name: string, tasks = recorded) =>
  replaySettingChange(setting, buildSettingKey(setting), {
    tasks,
    models: MODELS,
    policy: policy(name),
    state: nothing,
    now,
  });

describe('the replay of a proposal', () => {
  it('lets through the threshold that pays on the shipped outcomes, and says what it saves', () => {
    const lower = tested({ kind: 'threshold', name: 'quality_threshold', value: 0.5 }, 'greedy');
    expect(lower).toMatchObject({ passed: true, tasks: 300, excluded: 0, worst_case: 0 });
    expect(lower.cost_usd?.high).toBeLessThan(0);
    expect(lower.reason).toMatch(/replay of 300 tasks .*dollars per task -0\.\d+ \(-0\.\d+ to -0\.\d+\)/);
    const higher = tested({ kind: 'threshold', name: 'quality_threshold', value: 1 }, 'greedy');
    expect(higher.passed).toBe(false);
    expect(higher.reason).toContain('not shown to save');
  });

  it('takes what was never tried at its worst, and never for the proposal', () => {
    const skip: SettingChange = { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' };
    const useless = tested(skip, 'fixed', deriveLearnedRecordedTasks(memory(40, 2), MODELS));
    expect(useless).toMatchObject({ passed: true, tasks: 40, worst_case: 2 });
    expect(useless.cost_usd?.mean).toBeLessThan(-0.2);
    const useful = tested(skip, 'fixed', deriveLearnedRecordedTasks(memory(40, 30), MODELS));
    expect(useful).toMatchObject({ passed: false, tasks: 40, worst_case: 30 });
    const few = tested(skip, 'fixed', deriveLearnedRecordedTasks(memory(10, 0), MODELS));
    expect(few.reason).toContain('20 are needed');
  });

  it('a tier of which no cost is known is left out, and speaks for nothing', () => {
    const tasks = deriveLearnedRecordedTasks(memory(40, 2), MODELS).map((task) => ({
      ...task,
      tiers: {
        ...task.tiers,
        haiku: { ...task.tiers.haiku, model: 'x', passed: false, cost_usd: null, seconds: null },
      },
    }));
    const test = tested(
      { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' },
      'fixed',
      tasks,
    );
    expect(test).toMatchObject({ passed: false, tasks: 0, excluded: 40, cost_usd: null });
  });
});

describe('what the records of a deployment suggest', () => {
  const context = { models: MODELS, state: nothing, now };

  it('names the tier that does not pay, the gate that fails most, and the gate that people overrule', () => {
    const figures = {
      gates: { lint: { total: 40, pass: 20, blocked: 20, flagged: 0, seconds: 0 } },
      further: {
        ...(EMPTY_DAILY_METRICS.further as NonNullable<typeof EMPTY_DAILY_METRICS.further>),
        words: { docstrings: { held: 60, false_blocks: 59, false_greens: 0 } },
      },
    };
    const found = deriveProposals({
      ...context,
      tasks: deriveLearnedRecordedTasks(memory(40, 2), MODELS),
      policy: policy('fixed'),
      metrics: figures,
    });
    expect(found.map(({ settingChange: change }) => buildSettingKey(change))).toEqual([
      'prompt backend',
      'route backend low',
      'gate docstrings',
    ]);
    expect(found[1]?.evidence).toBe('haiku passed 2 of 40 (0.02 to 0.14 at 90 %), and pays above 0.33');
  });

  it('a policy that is greedy is offered the number that saves most, and nothing says nothing', () => {
    const [idea] = deriveProposals({
      ...context,
      tasks: recorded,
      policy: policy('greedy'),
      metrics: EMPTY_DAILY_METRICS,
    });
    expect(idea?.settingChange).toMatchObject({ name: 'quality_threshold', value: 0.5 });
    expect(
      deriveProposals({ ...context, tasks: [], policy: policy('fixed'), metrics: EMPTY_DAILY_METRICS }),
    ).toEqual([]);
  });

  it('a gate is let go of only where people are shown to overrule it, and required only where they do not', () => {
    const of = (required: boolean, false_blocks: number, held = 60) =>
      testGateRequirementChange(
        { kind: 'gate', gate: 'lint', required },
        { held, false_blocks, false_greens: 1 },
        now,
      );
    expect(of(false, 59).passed).toBe(true);
    expect(of(false, 50).reason).toContain('more than 0.8 must be shown');
    expect(of(true, 1).passed).toBe(true);
    expect(of(true, 30).passed).toBe(false);
    expect(of(false, 10, 10).reason).toContain('20 are needed');
  });
});

describe('a trial', () => {
  const tasks = (helps: boolean) =>
    Array.from({ length: 120 }, (_, n) => {
      const passed = isInTrialGroup('p1', `t${n}`) && helps ? n % 10 > 0 : n % 2 === 0;
      const haiku = { model: MODELS.haiku, passed, cost_usd: 0.3, seconds: 60 };
      return {
        id: `t${n}`,
        role: 'backend',
        complexity: 'low' as const,
        started_at: `2026-01-02T00:00:00.${String(n).padStart(3, '0')}Z`,
        tiers: { haiku },
      };
    });

  it('holds when the tasks that were given it pass more often, and is refused when enough show nothing', () => {
    const helped = evaluateTrial('p1', 'backend', '2026-01-01T00:00:00.000Z', tasks(true), now);
    expect(helped).toMatchObject({ passed: true, by: 'trial', tasks: 120 });
    const not = evaluateTrial('p1', 'backend', '2026-01-01T00:00:00.000Z', tasks(false), now);
    expect(not).toMatchObject({ passed: false });
  });

  it('goes on while there are few, and counts no task that began before it', () => {
    expect(evaluateTrial('p1', 'backend', '2026-01-03T00:00:00.000Z', tasks(true), now)).toEqual({
      running: '0 tasks with it, 0 without; 20 of both are needed',
    });
  });
});

describe('what is in force', () => {
  it('a trial reaches half of the tasks, always the same ones; what is applied reaches all', () => {
    const setting = { kind: 'prompt', role: 'qa', text: 'Run the linter.' } as const;
    const state = (share: 'all' | 'half') => ({
      active_changes: { 'prompt qa': { proposal: 'p1', change: setting, share } },
    });
    const told = Array.from({ length: 200 }, (_, n) =>
      findTunedRolePrompt(state('half'), { id: `t${n}`, role: 'qa' }),
    );
    expect(told.filter((each) => each !== null).length).toBeGreaterThan(70);
    expect(told.filter((each) => each === null).length).toBeGreaterThan(70);
    expect(findTunedRolePrompt(state('all'), { id: 't1', role: 'qa' })).toBe('Run the linter.');
    expect(findTunedRolePrompt(state('all'), { id: 't1', role: 'docs' })).toBeNull();
  });

  it('numbers take the place of what is configured, and a route of what the table says', () => {
    const active_changes = {
      'threshold quality_threshold': {
        proposal: 'p1',
        change: { kind: 'threshold', name: 'quality_threshold', value: 0.6 } as const,
        share: 'all' as const,
      },
      'route backend low': {
        proposal: 'p2',
        change: { kind: 'route', role: 'backend', complexity: 'low', tier: 'sonnet' } as const,
        share: 'all' as const,
      },
    };
    expect(applyTuningToCascadePolicy(policy('greedy'), { active_changes })).toEqual({
      ...policy('greedy'),
      quality_threshold: 0.6,
    });
    expect(tunedFirstTier({ active_changes }, { id: 't', role: 'backend', complexity: 'low' })).toEqual({
      tier: 'sonnet',
      proposal: 'p2',
    });
    expect(tunedFirstTier({ active_changes }, { id: 't', role: 'backend', complexity: 'high' })).toBeNull();
  });
});
