import { computeWilsonInterval, Z_SCORE_95_PERCENT } from '../cascade/learning/intervals.ts';
import type { GateAccuracy } from '../metrics/metrics-breakdown.ts';
import type { TuningProposalTestResult } from './proposals.ts';
import { MIN_TEST_TASKS } from './replay-change.ts';
import type { SettingChange } from './setting-change.ts';

/** A gate is let go of when people have overruled it in more than this share of its cases, at 95 %. */
export const MIN_OVERRULED_SHARE = 0.8;
/** And is required when it has passed fewer than this share of what people then rejected. */
const MAX_OVERRULED_SHARE = 0.2;

/** How a change of what a gate is required to holds against what people said of work that it had held, or had passed. */
export function testGateRequirementChange(
  { gate, required }: Extract<SettingChange, { kind: 'gate' }>,
  word: GateAccuracy | undefined,
  now: Date,
): TuningProposalTestResult {
  const { held = 0, false_blocks = 0, false_greens = 0 } = word ?? {};
  const overruled = computeWilsonInterval(false_blocks, held, Z_SCORE_95_PERCENT);
  const range = `${overruled.low.toFixed(2)} to ${overruled.high.toFixed(2)}`;
  const numbers = `of ${held} patches that ${gate} held, people let through ${false_blocks} (${range} at 95 %); ${false_greens} that it had passed were rejected or taken back`;
  const said = (holds: boolean, why: string): TuningProposalTestResult => ({
    by: 'words',
    at: now.toISOString(),
    passed: holds,
    reason: why,
    tasks: held,
    excluded: 0,
    worst_case: 0,
    cost_usd: null,
    pass_rate: null,
  });
  if (held < MIN_TEST_TASKS) return said(false, `${numbers}; ${MIN_TEST_TASKS} are needed`);
  if (!required)
    return overruled.low > MIN_OVERRULED_SHARE
      ? said(true, numbers)
      : said(false, `${numbers}; more than ${MIN_OVERRULED_SHARE} must be shown`);
  return overruled.high < MAX_OVERRULED_SHARE
    ? said(true, numbers)
    : said(false, `${numbers}; less than ${MAX_OVERRULED_SHARE} must be shown`);
}
