import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import {
  MODEL_PRICES,
  type ModelPrice,
  modelPrice,
  usageCostUsd,
} from '../../../../shared/contract/models/model-prices.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import {
  breakEvenPassRate,
  computeAttemptChainCosts,
} from '../../../../shared/control/cascade/chain-costs.ts';
import { attempt, FIXED_NOW, report } from '../../../support/builders.ts';

const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
});
const at = FIXED_NOW.toISOString();
const priced = (tier: 'haiku' | 'sonnet' | 'opus', input = 1_000_000, output = 0): Attempt => {
  const tokens = usage(input, output);
  return attempt({
    tier,
    model: MODELS[tier],
    usage: tokens,
    cost_usd: usageCostUsd(MODELS[tier], tokens, at),
    report: report(),
  });
};

describe('prices', () => {
  it('are taken of the day', () => {
    const row = (from: string, input: number): ModelPrice => ({
      model: 'm',
      family: 'gpt',
      valid_from: from,
      input,
      output: input,
      cache_read: 0,
      cache_write: 0,
      cache_write_hour: 0,
      max_output: 1,
      source: 's',
    });
    const rows = [row('2026-01-01', 1), row('2026-06-01', 2)];
    expect(modelPrice('m', '2026-05-31T23:00:00.000Z', rows)?.input).toBe(1);
    expect(modelPrice('m', '2026-06-01T00:00:00.000Z', rows)?.input).toBe(2);
    expect(modelPrice('m', '2025-12-31T00:00:00.000Z', rows)).toBeNull();
  });

  it('know every model of the default tiers', () => {
    for (const model of Object.values(MODELS)) expect(modelPrice(model, at), model).not.toBeNull();
  });

  it('are null for an unknown model or unknown usage, never 0', () => {
    expect(usageCostUsd('no-such-model', usage(1, 1), at)).toBeNull();
    expect(usageCostUsd('claude-haiku-4-5-lookalike', usage(1, 1), at)).toBeNull();
    expect(usageCostUsd(MODELS.haiku, null, at)).toBeNull();
  });

  it('count every kind of token', () => {
    expect(
      usageCostUsd(
        'claude-haiku-4-5',
        { input_tokens: 1e6, output_tokens: 1e6, cache_read_tokens: 1e6, cache_write_tokens: 1e6 },
        at,
      ),
    ).toBeCloseTo(1 + 5 + 0.1 + 1.25, 6);
    expect(MODEL_PRICES.every((price) => /^\d{4}-\d\d-\d\d$/.test(price.valid_from))).toBe(true);
  });
});

describe('a chain', () => {
  it('saves what the top model would have cost for the same tokens', () => {
    expect(computeAttemptChainCosts([priced('haiku')], MODELS)).toEqual({
      total_cost_usd: 1,
      judging_cost_usd: 0,
      first_attempt_cost_usd: 1,
      escalation_overhead_usd: 0,
      saved_vs_direct_opus_usd: 3,
    });
  });

  it('shows a loss when it climbed to the top', () => {
    expect(
      computeAttemptChainCosts([priced('haiku'), priced('sonnet'), priced('opus')], MODELS)
        .saved_vs_direct_opus_usd,
    ).toBe(-3);
  });

  it('knows nothing when a cost is unknown', () => {
    expect(computeAttemptChainCosts([attempt({ report: report() }), priced('sonnet')], MODELS)).toMatchObject(
      {
        total_cost_usd: null,
        saved_vs_direct_opus_usd: null,
      },
    );
  });

  it('leaves out attempts whose box was lost, and costs nothing before the first', () => {
    expect(
      computeAttemptChainCosts([attempt({ outcome: 'infra_failed' }), priced('haiku')], MODELS)
        .total_cost_usd,
    ).toBe(1);
    expect(computeAttemptChainCosts([], MODELS).total_cost_usd).toBe(0);
  });

  it('breaks even at the ratio of the prices', () => {
    expect(breakEvenPassRate(MODELS, at)).toBe(0.25);
    expect(breakEvenPassRate({ ...MODELS, opus: 'unknown' }, at)).toBeNull();
  });

  it('never saves more than the direct way would have cost', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('haiku', 'sonnet', 'opus'), fc.nat(1e6), fc.nat(1e5)), {
          minLength: 1,
          maxLength: 5,
        }),
        (made) => {
          const attempts = made.map(([tier, input, output]) => priced(tier as 'haiku', input, output));
          const costs = computeAttemptChainCosts(attempts, MODELS);
          const direct = usageCostUsd(MODELS.opus, attempts.at(-1)?.usage ?? null, at) ?? 0;
          expect(costs.saved_vs_direct_opus_usd).toBeLessThanOrEqual(direct + 1e-6);
          expect((costs.first_attempt_cost_usd ?? 0) + (costs.escalation_overhead_usd ?? 0)).toBeCloseTo(
            costs.total_cost_usd ?? 0,
            5,
          );
        },
      ),
    );
  });
});
