import { describe, expect, it } from 'vitest';
import {
  computeModelCallCost,
  worstCaseMicroUsd,
} from '../../../../shared/control/model-gateway/call-cost.ts';
import { EMPTY_MODEL_ANSWER_USAGE } from '../../../../shared/control/model-gateway/usage-reader.ts';

const AT = '2026-11-27T00:00:00.000Z';
const cost = (model: string, input: number, output: number, cacheRead = 0): number | null =>
  computeModelCallCost(
    { ...EMPTY_MODEL_ANSWER_USAGE, input, output, cacheRead },
    model,
    { input: 1, output: 1 },
    AT,
  ).micro;

describe('prices of long prompts', () => {
  it('hold for a prompt above the limit, cached tokens included, and for its answer', () => {
    expect(cost('gemini-2.5-pro', 200_000, 1_000)).toBe(200_000 * 1.25 + 1_000 * 10);
    expect(cost('gemini-2.5-pro', 200_001, 1_000)).toBe(Math.ceil(200_001 * 2.5 + 1_000 * 15));
    expect(cost('gemini-2.5-pro', 1, 1_000, 200_000)).toBe(Math.ceil(2.5 + 200_000 * 0.25 + 1_000 * 15));
    expect(cost('gpt-5.5', 272_001, 0)).toBe(272_001 * 10);
    expect(cost('claude-sonnet-5-5', 900_000, 0)).toBe(900_000 * 2);
  });

  it('are set aside before the call where its prompt may be so long', () => {
    expect(worstCaseMicroUsd({ input: 200_000, output: 0 }, 'gemini-3.1-pro-preview', AT)).toBe(400_000);
    expect(worstCaseMicroUsd({ input: 200_001, output: 0 }, 'gemini-3.1-pro-preview', AT)).toBe(800_004);
  });

  it('end with the vendor’s offer: a model has the price of the day', () => {
    expect(cost('gemini-3.8-flash', 1_000_000, 0)).toBe(750_000);
    expect(
      computeModelCallCost(
        { ...EMPTY_MODEL_ANSWER_USAGE, input: 1_000_000, output: 0 },
        'gemini-3.8-flash',
        { input: 1, output: 1 },
        '2027-01-01T00:00:00.000Z',
      ).micro,
    ).toBe(1_500_000);
  });
});
