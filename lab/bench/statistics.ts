/** The value below which `share` of the values lie (nearest rank: always one that was measured). Throws on none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('there is nothing to take a percentile of');
  return value;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
