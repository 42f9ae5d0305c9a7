import { type ConfidenceInterval, interpolateQuantile } from '../learning/intervals.ts';
import { createSeededRandom } from '../learning/seeded-random.ts';

/** A mean with its interval at 95 %. */
export interface BootstrapEstimate extends ConfidenceInterval {
  readonly mean: number;
}

const RESAMPLES = 1_000;

/** The mean of values, and where it lies when the sample is drawn again and again (percentile bootstrap, seeded). Null without values. */
export function estimateMeanByBootstrap(
  values: readonly number[],
  seed = 'bootstrap',
): BootstrapEstimate | null {
  if (values.length === 0) return null;
  const random = createSeededRandom(seed);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let index = 0; index < values.length; index++)
      sum += values[Math.floor(random.uniform() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return { mean, low: interpolateQuantile(means, 0.025), high: interpolateQuantile(means, 0.975) };
}
