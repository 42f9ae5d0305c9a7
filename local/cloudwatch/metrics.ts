import { isRecord } from '../resource-properties.ts';
import type { DataPoint } from './metric-math.ts';

const MINUTE_MS = 60_000;

/** Statistics that can be computed from one-minute buckets. */
export const STATISTICS = {
  Sum: ({ sum }: Bucket) => sum,
  SampleCount: ({ count }: Bucket) => count,
  Average: ({ sum, count }: Bucket) => sum / count,
  Minimum: ({ least }: Bucket) => least,
  Maximum: ({ most }: Bucket) => most,
} as const;
export type Statistic = keyof typeof STATISTICS;

interface Bucket {
  sum: number;
  count: number;
  least: number;
  most: number;
}

/** Names a metric: namespace, name and dimensions in any order. */
export function metricKey(
  namespace: string,
  name: string,
  dimensions: ReadonlyArray<readonly [string, string]>,
): string {
  return JSON.stringify([namespace, name, dimensions.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** One value of one metric. */
export interface MetricSample {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly value: number;
}

/** Parses the samples of a log line in the embedded metric format. Returns none for any other line. */
export function parseEmbeddedMetrics(line: string): readonly MetricSample[] {
  if (!line.includes('"_aws"')) return [];
  const root = parseJson(line.slice(line.indexOf('{')));
  const aws = isRecord(root) ? root['_aws'] : undefined;
  if (!isRecord(root) || !isRecord(aws)) return [];
  const time = Number(aws['Timestamp']);
  return records(aws['CloudWatchMetrics']).flatMap((directive) => {
    const namespace = String(directive['Namespace']);
    return lists(directive['Dimensions']).flatMap((names) => {
      const dimensions = names.map((name) => [String(name), String(root[String(name)])] as const);
      return records(directive['Metrics']).flatMap(({ Name: name }) => {
        const key = metricKey(namespace, String(name), dimensions);
        const values = [root[String(name)]].flat().filter((value) => typeof value === 'number');
        return values.map((value) => ({ key, time, value }));
      });
    });
  });
}

/** Samples of the metrics that alarms use, aggregated by minute. */
export class MetricStore {
  readonly #metrics: ReadonlyMap<string, Map<number, Bucket>>;
  readonly #keepMs: number;

  /** Keeps only `keys`, for `keepMs` milliseconds before the latest sample. */
  constructor(keys: Iterable<string>, keepMs: number) {
    this.#metrics = new Map([...keys].map((key) => [key, new Map<number, Bucket>()]));
    this.#keepMs = keepMs;
  }

  add({ key, time, value }: MetricSample): void {
    const buckets = this.#metrics.get(key);
    if (!buckets || !Number.isFinite(time)) return;
    const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const bucket = buckets.get(minute);
    if (bucket) {
      bucket.sum += value;
      bucket.count += 1;
      bucket.least = Math.min(bucket.least, value);
      bucket.most = Math.max(bucket.most, value);
      return;
    }
    buckets.set(minute, { sum: value, count: 1, least: value, most: value });
    for (const old of buckets.keys()) if (old < minute - this.#keepMs) buckets.delete(old);
  }

  /** The statistic over `start` (inclusive) to `end` (exclusive), both whole minutes in milliseconds. */
  read(key: string, statistic: Statistic, start: number, end: number): DataPoint {
    const total: Bucket = {
      sum: 0,
      count: 0,
      least: Number.POSITIVE_INFINITY,
      most: Number.NEGATIVE_INFINITY,
    };
    for (const [minute, bucket] of this.#metrics.get(key) ?? []) {
      if (minute < start || minute >= end) continue;
      total.sum += bucket.sum;
      total.count += bucket.count;
      total.least = Math.min(total.least, bucket.least);
      total.most = Math.max(total.most, bucket.most);
    }
    return total.count === 0 ? null : STATISTICS[statistic](total);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function records(value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function lists(value: unknown): ReadonlyArray<readonly unknown[]> {
  return Array.isArray(value) ? value.filter((item) => Array.isArray(item)) : [];
}
