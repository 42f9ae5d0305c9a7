/**
 * Counts of values by the power of `GROWTH` that they lie below: as many entries as there are different sizes, however many values. A value
 * is known to 2.5 %. Two are added by adding their counts, so that days can be put together.
 */
export type Histogram = Readonly<Record<string, number>>;

const GROWTH = 1.05;
/** Below a millisecond everything is the same. */
const LEAST = 0.001;

const bucketOf = (value: number): string =>
  String(Math.ceil(Math.log(Math.max(value, LEAST)) / Math.log(GROWTH)));
/** What stands for the values of a bucket: in the middle of its ends, in proportion. */
const middleOf = (bucket: string): number => GROWTH ** (Number(bucket) - 0.5);

export const addToHistogram = (histogram: Histogram, value: number): Histogram => {
  const bucket = bucketOf(value);
  return { ...histogram, [bucket]: (histogram[bucket] ?? 0) + 1 };
};

export function addHistograms(a: Histogram, b: Histogram): Histogram {
  const sum: Record<string, number> = { ...a };
  for (const [bucket, count] of Object.entries(b)) sum[bucket] = (sum[bucket] ?? 0) + count;
  return sum;
}

/** The seed's percentile: of n values in order the one at floor(p·(n−1)); null of none. */
export function histogramPercentile(histogram: Histogram, p: number): number | null {
  const buckets = Object.entries(histogram).toSorted(([a], [b]) => Number(a) - Number(b));
  const count = buckets.reduce((sum, [, each]) => sum + each, 0);
  let left = Math.floor(p * (count - 1));
  for (const [bucket, each] of buckets) {
    if (left < each) return middleOf(bucket);
    left -= each;
  }
  return null;
}
