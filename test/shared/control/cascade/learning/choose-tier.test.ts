import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_TIER_MODELS as MODELS,
  TIERS,
  type Tier,
} from '../../../../../shared/contract/agents/tiers.ts';
import { AttemptRouteDecision } from '../../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../../shared/contract/task/task.ts';
import type { LearnedAttemptOutcome } from '../../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import {
  DEFAULT_TIER_POLICY_SETTINGS,
  TierPolicySettings,
} from '../../../../../shared/control/cascade/learning/cascade-policy.ts';
import { chooseTier, type TierOption } from '../../../../../shared/control/cascade/learning/choose-tier.ts';
import { computeWilsonInterval } from '../../../../../shared/control/cascade/learning/intervals.ts';
import {
  createSeededRandom,
  sampleBeta,
} from '../../../../../shared/control/cascade/learning/seeded-random.ts';
import {
  NO_TIER_LEARNING_OVERRIDES,
  resetTierLearning,
  setTierPin,
} from '../../../../../shared/control/cascade/learning/tier-learning-overrides.ts';
import {
  estimateTierPassRate,
  type RoleLearningState,
} from '../../../../../shared/control/cascade/learning/tier-pass-rate.ts';
import { selectNextAttemptModel } from '../../../../../shared/control/cascade/model-selection.ts';
import { addSeconds, attempt, FIXED_NOW, task } from '../../../../support/builders.ts';

const outcomes = (
  tier: Tier,
  passes: number,
  fails: number,
  fields: Partial<LearnedAttemptOutcome> = {},
): LearnedAttemptOutcome[] =>
  Array.from({ length: passes + fails }, (_, index) => ({
    id: `${tier}${index}${fields.model ?? ''}#1`,
    model: MODELS[tier],
    passed: index < passes,
    cost_usd: { haiku: 0.1, sonnet: 0.2, opus: 0.4 }[tier],
    seconds: 60,
    judging_cost_usd: 0,
    at: addSeconds(index).toISOString(),
    ...fields,
  }));
const memory = (
  of: Partial<Record<Tier, readonly LearnedAttemptOutcome[]>>,
  fields: Partial<RoleLearningState> = {},
): RoleLearningState => ({
  windows: Object.entries(of).map(([tier, window]) => ({
    complexity: 'low' as const,
    tier: tier as Tier,
    window,
  })),
  control: NO_TIER_LEARNING_OVERRIDES,
  ...fields,
});
const policy = (fields: Partial<TierPolicySettings>): TierPolicySettings => TierPolicySettings.parse(fields);
const GREEDY = policy({ policy: 'greedy', epsilon: 0 });
const THOMPSON = policy({ policy: 'thompson' });
const of = (remembered: RoleLearningState, using: TierPolicySettings, fields: Partial<Task> = {}) =>
  selectNextAttemptModel(task(fields, { complexity: 'low' }), MODELS, null, {
    policy: using,
    memory: remembered,
    priced_at: FIXED_NOW.toISOString(),
  });
const word = { by: 'ann', reason: 'the new model is better', now: addSeconds(1_000) };

describe('what is believed of a tier', () => {
  const haiku = { tier: 'haiku' as const, model: MODELS.haiku };

  it('comes from tasks of its complexity, and of all the role where these are few', () => {
    const few = memory({ haiku: outcomes('haiku', 2, 1) });
    const more = {
      ...few,
      windows: [
        ...few.windows,
        {
          complexity: 'medium' as const,
          tier: 'haiku' as const,
          window: outcomes('haiku', 0, 6, { model: MODELS.haiku }).map((each) => ({
            ...each,
            id: `m${each.id}`,
          })),
        },
      ],
    };
    expect(estimateTierPassRate(few, 'low', haiku, 5)).toMatchObject({
      basis: 'complexity',
      observations: 3,
      passes: 2,
    });
    expect(estimateTierPassRate(more, 'low', haiku, 5)).toMatchObject({
      basis: 'role',
      observations: 9,
      passes: 2,
    });
    expect(estimateTierPassRate(more, 'low', haiku, 3)).toMatchObject({
      basis: 'complexity',
      observations: 3,
    });
    expect(estimateTierPassRate(more, 'medium', haiku, 5)).toMatchObject({
      basis: 'complexity',
      observations: 6,
      passes: 0,
    });
  });

  it('starts anew for another model, and after a reset', () => {
    const old = memory({ haiku: outcomes('haiku', 0, 9) });
    expect(estimateTierPassRate(old, 'low', { tier: 'haiku', model: 'claude-haiku-5' }, 5)).toMatchObject({
      basis: 'nothing',
      observations: 0,
      pass_rate: null,
    });
    const forgotten = { ...old, control: resetTierLearning(NO_TIER_LEARNING_OVERRIDES, 'haiku', word) };
    expect(estimateTierPassRate(forgotten, 'low', haiku, 5).observations).toBe(0);
    expect(
      estimateTierPassRate(
        { ...old, control: resetTierLearning(NO_TIER_LEARNING_OVERRIDES, 'opus', word) },
        'low',
        haiku,
        5,
      ).observations,
    ).toBe(9);
  });

  it('leaves attempts of unknown cost out of the cost, and counts their passes', () => {
    const window = [...outcomes('haiku', 4, 0), ...outcomes('haiku', 1, 0, { id: 'x#1', cost_usd: null })];
    expect(estimateTierPassRate(memory({ haiku: window }), 'low', haiku, 5)).toMatchObject({
      observations: 5,
      costs_known: 4,
      mean_cost_usd: 0.1,
    });
  });

  it('has an interval that holds the share, and shrinks with more observations', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.nat({ max: 60 }), (passes, fails) => {
        const { low, high } = computeWilsonInterval(passes, passes + fails);
        const share = passes + fails === 0 ? 0.5 : passes / (passes + fails);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(share + 1e-9);
        expect(high).toBeGreaterThanOrEqual(share - 1e-9);
        const more = computeWilsonInterval(passes * 2, (passes + fails) * 2);
        expect(more.high - more.low).toBeLessThanOrEqual(high - low + 1e-9);
      }),
    );
  });
});

describe('the fixed policy', () => {
  it('chooses as the table does, whatever was observed', () => {
    const { rung, route } = of(memory({ haiku: outcomes('haiku', 0, 20) }), DEFAULT_TIER_POLICY_SETTINGS);
    expect(rung.tier).toBe('haiku');
    expect(route.tier_choice).toBeUndefined();
  });
});

describe('the greedy policy', () => {
  it('skips a tier only with as many observations as the seed says, and below its threshold', () => {
    expect(of(memory({ haiku: outcomes('haiku', 0, 4) }), GREEDY).rung.tier).toBe('haiku');
    expect(of(memory({ haiku: outcomes('haiku', 3, 2) }), GREEDY).rung.tier).toBe('sonnet');
    expect(of(memory({ haiku: outcomes('haiku', 4, 1) }), GREEDY).rung.tier).toBe('haiku');
  });

  it('goes to the top when all below are skipped, and says why with numbers', () => {
    const { rung, route } = of(
      memory({
        haiku: outcomes('haiku', 0, 20),
        sonnet: outcomes('sonnet', 2, 8),
        opus: outcomes('opus', 0, 9),
      }),
      GREEDY,
    );
    expect(rung.tier).toBe('opus');
    expect(route.reason).toContain(
      'haiku skipped: 0 of 20 passed (0.00, 0.00 to 0.12 at 90 %), does not pay below 0.50',
    );
    expect(route.reason).toContain('sonnet skipped: 2 of 10 passed');
    expect(route.tier_choice).toMatchObject({ strategy: 'greedy', explored: false });
    expect(AttemptRouteDecision.parse(route)).toEqual(route);
  });

  it('tries each tier by chance, as often as epsilon says', () => {
    const counts = { haiku: 0, sonnet: 0, opus: 0 };
    const remembered = memory({ haiku: outcomes('haiku', 0, 20) });
    const often = policy({ policy: 'greedy', epsilon: 0.3 });
    for (let number = 0; number < 1_000; number++) {
      const { rung, route } = of(remembered, often, { id: `T${number}` });
      if (route.tier_choice?.explored && rung.tier) counts[rung.tier]++;
    }
    for (const tier of TIERS) {
      expect(counts[tier]).toBeGreaterThan(60);
      expect(counts[tier]).toBeLessThan(140);
    }
  });
});

describe('the Thompson policy', () => {
  const share = (remembered: RoleLearningState, tier: Tier): number => {
    const chosen = Array.from({ length: 300 }, (_, n) => of(remembered, THOMPSON, { id: `T${n}` }).rung.tier);
    return chosen.filter((each) => each === tier).length / chosen.length;
  };
  const costs = { sonnet: outcomes('sonnet', 9, 1), opus: outcomes('opus', 10, 0) };

  it('leaves a tier that does not pay, and takes one that does', () => {
    expect(share(memory({ ...costs, haiku: outcomes('haiku', 2, 30) }), 'haiku')).toBeLessThan(0.02);
    expect(share(memory({ ...costs, haiku: outcomes('haiku', 30, 4) }), 'haiku')).toBeGreaterThan(0.95);
  });

  it('goes on trying a tier of which little is known', () => {
    const little = share(memory({ ...costs, haiku: outcomes('haiku', 1, 2) }), 'haiku');
    expect(little).toBeGreaterThan(0.1);
    expect(little).toBeLessThan(0.8);
  });

  it('looks at the cost, too: a tier that passes as often pays only while it is cheap', () => {
    const cheap = outcomes('haiku', 20, 20, { cost_usd: 0.02 });
    const dear = outcomes('haiku', 20, 20, { cost_usd: 0.19 });
    expect(share(memory({ ...costs, haiku: cheap }), 'haiku')).toBeGreaterThan(0.95);
    expect(share(memory({ ...costs, haiku: dear }), 'haiku')).toBeLessThan(0.15);
  });

  it('has no opinion where a cost is unknown', () => {
    const unpriced = { ...MODELS, haiku: 'a-model-of-no-price' };
    const selected = selectNextAttemptModel(task({}, { complexity: 'low' }), unpriced, null, {
      policy: THOMPSON,
      memory: memory({}),
      priced_at: FIXED_NOW.toISOString(),
    });
    expect(selected.rung.tier).toBe('haiku');
    expect(selected.route.tier_choice).toBeUndefined();
  });

  it('says the numbers that it went by', () => {
    const { route } = of(memory({ ...costs, haiku: outcomes('haiku', 2, 30) }), THOMPSON);
    expect(route.reason).toMatch(
      /thompson: haiku skipped: 2 of 32 passed \(0\.06, 0\.\d\d to 0\.\d\d at 90 %\), taken for 0\.\d\d, and it pays above 0\.\d\d/,
    );
    expect(route.tier_choice?.candidates).toHaveLength(3);
    expect(AttemptRouteDecision.parse(route)).toEqual(route);
  });
});

describe('every policy', () => {
  const arbitrary = fc.record({
    haiku: fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 })),
    sonnet: fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 })),
    opus: fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 })),
    policy: fc.constantFrom(
      GREEDY,
      THOMPSON,
      DEFAULT_TIER_POLICY_SETTINGS,
      policy({ policy: 'greedy', epsilon: 1 }),
    ),
    id: fc.string({ minLength: 1, maxLength: 10 }),
  });
  const remembered = (each: { [T in Tier]: readonly [number, number] }): RoleLearningState =>
    memory(
      Object.fromEntries(TIERS.map((tier) => [tier, outcomes(tier, each[tier][0], each[tier][1])] as const)),
    );

  it('decides the same when a step is repeated', () => {
    fc.assert(
      fc.property(arbitrary, ({ policy: using, id, ...each }) => {
        expect(of(remembered(each), using, { id })).toEqual(of(remembered(each), using, { id }));
      }),
    );
  });

  it('never goes below the tier that failed, and leaves a task that names its model alone', () => {
    fc.assert(
      fc.property(arbitrary, ({ policy: using, id, ...each }) => {
        const climbing = attempt({
          outcome: 'failed',
          decision: {
            action: 'escalate',
            reason: 'janitor verification failed',
            next_model: MODELS.sonnet,
            next_tier: 'sonnet',
            at: FIXED_NOW.toISOString(),
          },
        });
        const next = of(remembered(each), using, { id, attempts: [climbing], status: 'in_review' });
        expect(['sonnet', 'opus']).toContain(next.rung.tier);
        const named = of(remembered(each), using, { id, model: 'haiku' });
        expect(named.rung.tier).toBe('haiku');
        expect(named.route.tier_choice).toBeUndefined();
      }),
    );
  });

  it('is overruled by a person, and the reason names who', () => {
    const control = setTierPin(NO_TIER_LEARNING_OVERRIDES, 'any', 'opus', word) ?? NO_TIER_LEARNING_OVERRIDES;
    for (const using of [DEFAULT_TIER_POLICY_SETTINGS, GREEDY, THOMPSON]) {
      const { rung, route } = of(memory({}, { control }), using);
      expect(rung).toEqual({ tier: 'opus', model: MODELS.opus });
      expect(route.reason).toContain("opus by ann's word: the new model is better");
      expect(route.tier_choice?.strategy).toBe('pin');
    }
    const lifted = setTierPin(control, 'any', null, word) ?? control;
    expect(of(memory({}, { control: lifted }), DEFAULT_TIER_POLICY_SETTINGS).rung.tier).toBe('haiku');
    expect(lifted.history.map(({ action }) => action)).toEqual(['unpin', 'pin']);
  });

  it('has no more to say of one tier than that it is the one', () => {
    const only = {
      ...estimateTierPassRate(memory({}), 'low', { tier: 'opus', model: MODELS.opus }, 5),
      cost_usd: 1,
    } satisfies TierOption;
    for (const using of [DEFAULT_TIER_POLICY_SETTINGS, GREEDY, THOMPSON])
      expect(chooseTier([only], using, createSeededRandom('x'))).toBeNull();
  });
});

describe('chance', () => {
  it('draws from the beta distribution', () => {
    for (const [a, b] of [
      [1, 1],
      [3, 1],
      [2, 30],
    ] as const) {
      const random = createSeededRandom(`${a} ${b}`);
      const draws = Array.from({ length: 4_000 }, () => sampleBeta(random, a, b));
      const average = draws.reduce((sum, each) => sum + each, 0) / draws.length;
      const square = draws.reduce((sum, each) => sum + (each - average) ** 2, 0) / draws.length;
      expect(average).toBeCloseTo(a / (a + b), 1);
      expect(square).toBeCloseTo((a * b) / ((a + b) ** 2 * (a + b + 1)), 2);
    }
  });
});

describe('a policy that is not one', () => {
  it.each([
    ['an unknown key', { policy: 'greedy', espilon: 0.1 }, 'espilon'],
    ['an unknown policy', { policy: 'best' }, 'policy'],
    ['a share above 1', { epsilon: 2 }, 'epsilon'],
    ['a negative threshold', { quality_threshold: -1 }, 'quality_threshold'],
    ['no observations at all', { min_observations: 0 }, 'min_observations'],
  ])('is refused with the name of the field: %s', (_why, given, field) => {
    const result = TierPolicySettings.safeParse(given);
    expect(JSON.stringify(result.error?.issues)).toContain(field);
  });
});
