/** Both ends of what is probable. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
}

/** Of a normal distribution: nine of ten lie between. */
const Z_90 = 1.6449;
/** And 95 of a hundred. */
export const Z_SCORE_95_PERCENT = 1.959964;

/** Wilson's interval of a share, at 90 % where nothing else is said: sound for few observations, too, and all of 0 to 1 for none. */
export function computeWilsonInterval(passes: number, observations: number, z = Z_90): ConfidenceInterval {
  if (observations === 0) return { low: 0, high: 1 };
  const share = passes / observations;
  const z2 = z ** 2;
  const middle = (share + z2 / (2 * observations)) / (1 + z2 / observations);
  const half =
    (z / (1 + z2 / observations)) *
    Math.sqrt((share * (1 - share)) / observations + z2 / (4 * observations ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The value below which a share of the sorted values lies, interpolated between neighbours. */
export function interpolateQuantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

export const meanOrNull = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;

/** Between which values nine of ten lie; null for none. */
export function computeCentralInterval90(values: readonly number[]): ConfidenceInterval | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { low: interpolateQuantile(sorted, 0.05), high: interpolateQuantile(sorted, 0.95) };
}
