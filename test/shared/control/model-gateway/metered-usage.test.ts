import { describe, expect, it } from 'vitest';
import { applyMeteredUsage } from '../../../../shared/control/model-gateway/metered-usage.ts';
import type { UsageMeter } from '../../../../shared/control/model-gateway/usage-meter.ts';
import { attempt, report } from '../../../support/builders.ts';

const tokens = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
});
/** Four calls, one of which the CLI leaves out of its usage. */
const METER: UsageMeter = {
  calls: 4,
  settled: 100,
  estimated: 0,
  unpriced: 0,
  openReservations: [],
  models: { 'gpt-5.6-luna': tokens(4_400, 164) },
  substitution: null,
  providerFailure: null,
};
const findings = (input: number, output: number, unreported_calls?: number) =>
  applyMeteredUsage(
    attempt({
      usage: tokens(input, output),
      report: report(unreported_calls === undefined ? {} : { unreported_calls }),
    }),
    METER,
  ).metered_usage?.findings.map(({ code }) => code);

describe('usage that an agent reports and usage that the gateway has counted', () => {
  it('is no finding where a known extra call explains the difference', () => {
    expect(findings(3_400, 123, 1)).toEqual([]);
  });

  it.each([
    ['the CLI is not known to leave a call out', 3_400, 123, undefined],
    ['more is missing than a call', 1_000, 40, 1],
    ['the agent reports more than was counted', 6_000, 164, 1],
  ])('is a finding where %s', (_name, input, output, calls) => {
    expect(findings(input, output, calls)).toEqual(['usage_differs']);
  });
});
