import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS, TIERS } from '../../../../../shared/contract/agents/tiers.ts';
import {
  DEFAULT_TIER_POLICY_SETTINGS,
  TierPolicySettings,
} from '../../../../../shared/control/cascade/learning/cascade-policy.ts';
import {
  SIMULATED_POLICY_NAMES,
  simulatePolicies,
} from '../../../../../shared/control/cascade/simulation/policy-comparison.ts';
import { readRecordedOutcomes } from '../../../../../shared/control/cascade/simulation/recorded-outcomes.ts';
import { generateSyntheticOutcomes } from '../../../../../shared/control/cascade/simulation/synthetic-outcomes.ts';
import { FIXED_NOW } from '../../../../support/builders.ts';

const AT = FIXED_NOW.toISOString();
const read = (text: string) => readRecordedOutcomes(text, MODELS, AT);
const lines = (...values: object[]): string => values.map((each) => JSON.stringify(each)).join('\n');
const options = {
  policies: SIMULATED_POLICY_NAMES,
  models: MODELS,
  settings: DEFAULT_TIER_POLICY_SETTINGS,
  runs: 1,
  seed: 's',
};
const three = (task: string, passed: readonly boolean[]) =>
  TIERS.map((tier, index) => ({
    task,
    tier,
    passed: passed[index],
    cost_usd: [1, 2, 4][index],
    seconds: 10,
  }));

describe('recorded outcomes', () => {
  it('may be chain records, of which what was never tried stays unknown', () => {
    const chain = {
      chain_id: 'T1#1',
      role: 'backend',
      complexity: 'low',
      timestamp: AT,
      succeeded: true,
      attempts: [
        { tier: 'haiku', model: 'm', passed: false, cost_usd: 1, latency_s: 3, tokens_used: null },
        { tier: 'haiku', model: 'm', passed: null, cost_usd: 1, latency_s: 3, tokens_used: null },
        { tier: 'sonnet', model: 'n', passed: true, cost_usd: 2, latency_s: 3, tokens_used: null },
      ],
    };
    const { tasks, problems } = read(lines(chain, chain));
    expect(problems).toEqual([]);
    expect(Object.keys(tasks[0]?.tiers ?? {})).toEqual(['haiku', 'sonnet']);
    const { comparisons, unknown } = simulatePolicies(tasks, { ...options, policies: ['fixed'] });
    expect(comparisons[0]).toMatchObject({ policy: 'fixed', tasks: 1, cost_usd: { mean: 3 } });
    expect(unknown).toBe(0);
    // What the top would have done, nobody knows.
    const direct = simulatePolicies(tasks, { ...options, policies: ['fixed', 'direct'] });
    expect(direct.unknown).toBe(1);
    expect(direct.comparisons.map(({ cost_usd }) => cost_usd)).toEqual([null, null, null]);
  });

  it.each([
    ['a negative cost', { task: 'a', tier: 'haiku', passed: true, cost_usd: -1 }, 'cost_usd'],
    ['a negative time', { task: 'a', tier: 'haiku', passed: true, seconds: -1 }, 'seconds'],
    ['a tier that there is not', { task: 'a', tier: 'gold', passed: true }, 'tier'],
    ['an unknown key', { task: 'a', tier: 'haiku', passed: true, price: 1 }, 'price'],
    ['no verdict', { task: 'a', tier: 'haiku' }, 'passed'],
    ['no object', ['a'], ''],
  ])('with %s are refused with their line', (_what, line, name) => {
    const { problems } = read(lines(...three('x', [true, true, true]), line));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.line).toBe(4);
    expect(problems[0]?.message).toContain(name);
  });

  it('that contradict each other are refused, and the same twice counts once', () => {
    const [first] = three('x', [true, true, true]);
    expect(read(lines(first ?? {}, first ?? {})).problems).toEqual([]);
    const { problems } = read(lines(first ?? {}, { ...first, passed: false }, { ...first, role: 'qa' }));
    expect(problems).toEqual([
      { line: 2, message: 'passed: task x both passed and failed on haiku' },
      { line: 3, message: 'role: task x has role backend in an earlier line' },
    ]);
    expect(read('{"task": ').problems[0]?.line).toBe(1);
  });

  it('of a model without a price have no cost, which is not 0', () => {
    const { tasks } = read(lines({ task: 'a', tier: 'haiku', model: 'nobody', passed: true, tokens: 5 }));
    expect(tasks[0]?.tiers.haiku?.cost_usd).toBeNull();
    expect(simulatePolicies(tasks, { ...options, policies: ['fixed'] })).toMatchObject({
      tasks: 1,
      unknown: 1,
    });
  });
});

describe('the simulation', () => {
  it('climbs as the cascade does, goes straight to the top, and knows the best way in hindsight', () => {
    const text = lines(
      ...['a', 'b', 'c', 'd'].flatMap((task) => three(task, [false, true, true])),
      ...three('e', [false, false, false]),
    );
    const { comparisons } = simulatePolicies(read(text).tasks, { ...options, runs: 3 });
    const by = Object.fromEntries(comparisons.map((each) => [each.policy, each]));
    expect(by['fixed']?.cost_usd?.mean).toBeCloseTo((4 * 3 + 7) / 5);
    expect(by['direct']?.cost_usd?.mean).toBe(4);
    // Begins on sonnet.
    expect(by['oracle']?.cost_usd?.mean).toBeCloseTo((4 * 2 + 6) / 5);
    expect(by['clairvoyant']?.cost_usd?.mean).toBeCloseTo((4 * 2 + 1) / 5);
    for (const each of comparisons) expect(each.pass_rate?.mean).toBe(0.8);
    expect(by['fixed']?.regret_usd?.mean).toBeCloseTo(1);
    expect(by['oracle']?.regret_usd).toBeNull();
  });

  it('never lets a policy be cheaper than who knows beforehand, nor the oracle dearer than a fixed way', () => {
    const outcomes = fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(outcomes, fc.string(), (all, seed) => {
        // What a weaker tier does, a stronger one does too: then every way passes the same tasks.
        const text = lines(...all.flatMap(([a, b, c], n) => three(`t${n}`, [a, a || b, a || b || c])));
        const { comparisons } = simulatePolicies(read(text).tasks, { ...options, seed });
        const cost = (policy: string): number =>
          comparisons.find((each) => each.policy === policy)?.cost_usd?.mean ?? Number.NaN;
        for (const policy of SIMULATED_POLICY_NAMES)
          expect(cost(policy)).toBeGreaterThanOrEqual(cost('clairvoyant') - 1e-9);
        expect(cost('oracle')).toBeLessThanOrEqual(Math.min(cost('fixed'), cost('direct')) + 1e-9);
        expect(new Set(comparisons.map(({ pass_rate }) => pass_rate?.mean)).size).toBe(1);
      }),
      { numRuns: 25 },
    );
  });

  it('has Thompson within a tenth of the oracle, and far below the top alone, on made-up outcomes', () => {
    const { tasks, synthetic } = read(generateSyntheticOutcomes(1_000, '1', MODELS, AT));
    expect(synthetic).toBe(true);
    const { comparisons } = simulatePolicies(tasks, {
      ...options,
      policies: ['direct', 'thompson', 'oracle'],
      settings: TierPolicySettings.parse({}),
    });
    const [direct, thompson, oracle] = comparisons;
    expect(thompson?.cost_usd?.mean).toBeLessThan(1.1 * (oracle?.cost_usd?.mean ?? 0));
    expect(thompson?.cost_usd?.high).toBeLessThan(direct?.cost_usd?.low ?? 0);
    expect(thompson?.pass_rate?.mean).toBeGreaterThan((oracle?.pass_rate?.mean ?? 1) - 0.01);
  });

  it('gives the same figures for the same seed', () => {
    const { tasks } = read(generateSyntheticOutcomes(40, 'x', MODELS, AT));
    expect(generateSyntheticOutcomes(40, 'x', MODELS, AT)).toBe(
      generateSyntheticOutcomes(40, 'x', MODELS, AT),
    );
    expect(simulatePolicies(tasks, options)).toEqual(simulatePolicies(tasks, options));
  });
});
