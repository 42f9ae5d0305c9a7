import { requireJsonList, toJsonList, toJsonRecord } from '../../reports/tool-report.ts';

/** What may get worse, with the sign of worse. */
const METRICS = { mean_s: 1, ops: -1, memory_mb: 1 } as const;
type Metric = keyof typeof METRICS;

/** Numbers by benchmark and metric. */
export type BenchmarkResults = ReadonlyMap<string, Readonly<Partial<Record<Metric, number>>>>;

/**
 * Benchmarks from the JSON of pytest-benchmark, of `vitest bench`, old and new, or an object of `{name: {mean_s, ops, memory_mb}}`.
 * @throws when the text is nothing of these, or has none.
 */
export function parseBenchmarks(text: string): BenchmarkResults {
  const report = toJsonRecord(JSON.parse(text));
  const entries = Array.isArray(report['benchmarks'])
    ? fromPytest(report['benchmarks'])
    : Array.isArray(report['testResults'])
      ? fromVitest(report['testResults'])
      : Array.isArray(report['files'])
        ? fromOldVitest(report['files'])
        : Object.entries(report).map(([name, value]) => [name, toJsonRecord(value)] as const);
  const found = new Map(entries.map(([name, values]) => [name, numbers(values)]));
  for (const [name, values] of found) if (Object.keys(values).length === 0) found.delete(name);
  if (found.size === 0) throw new Error('no benchmark ran');
  return found;
}

type Entry = readonly [string, Readonly<Record<string, unknown>>];

const fromPytest = (benchmarks: readonly unknown[]): Entry[] =>
  benchmarks.map((entry) => {
    const { fullname, name, stats, extra_info } = toJsonRecord(entry);
    const { mean, ops } = toJsonRecord(stats);
    return [
      String(fullname ?? name),
      { mean_s: mean, ops, memory_mb: toJsonRecord(extra_info)['memory_mb'] },
    ];
  });

/** `vitest bench --reporter=json` from version 5 on; its times are in milliseconds. */
const fromVitest = (files: readonly unknown[]): Entry[] =>
  files
    .flatMap((file) => toJsonList(toJsonRecord(file)['assertionResults']))
    .flatMap((test) => {
      const { fullName, benchmarks } = toJsonRecord(test);
      return toJsonList(benchmarks)
        .flatMap((benchmark) => toJsonList(toJsonRecord(benchmark)['tasks']))
        .map((task): Entry => {
          const { name, latency, throughput } = toJsonRecord(task);
          const { mean } = toJsonRecord(latency);
          return [
            `${fullName} > ${name}`,
            { mean_s: typeof mean === 'number' ? mean / 1_000 : null, ops: toJsonRecord(throughput)['mean'] },
          ];
        });
    });

/** `vitest bench --outputJson` up to version 4; its means are in milliseconds. */
const fromOldVitest = (files: readonly unknown[]): Entry[] =>
  files.flatMap((file) =>
    requireJsonList(toJsonRecord(file)['groups'], 'groups').flatMap((group) => {
      const { fullName, benchmarks } = toJsonRecord(group);
      return toJsonList(benchmarks).map((entry): Entry => {
        const { name, mean, hz } = toJsonRecord(entry);
        return [`${fullName} > ${name}`, { mean_s: typeof mean === 'number' ? mean / 1_000 : null, ops: hz }];
      });
    }),
  );

const numbers = (values: Readonly<Record<string, unknown>>): Partial<Record<Metric, number>> =>
  Object.fromEntries(
    Object.keys(METRICS).flatMap((metric) => {
      const value = values[metric];
      return typeof value === 'number' && Number.isFinite(value) ? [[metric, value]] : [];
    }),
  );

export interface BenchmarkRegression {
  readonly name: string;
  readonly metric: Metric;
  readonly base: number;
  readonly current: number;
  /** How much worse, as a share of the base. */
  readonly share: number;
}

/** Below what any benchmark can tell, and above the errors of the division: exactly at the threshold is not beyond it. */
const ROUNDING = 1e-9;

/** What became worse by more than `threshold`. A base of 0 or less, or without the number, has nothing to compare with. */
export function findBenchmarkRegressions(
  base: BenchmarkResults,
  current: BenchmarkResults,
  threshold: number,
): BenchmarkRegression[] {
  return [...current].flatMap(([name, values]) =>
    (Object.keys(METRICS) as Metric[]).flatMap((metric): BenchmarkRegression[] => {
      const [before, now] = [base.get(name)?.[metric], values[metric]];
      if (before === undefined || before <= 0 || now === undefined) return [];
      const share = (METRICS[metric] * (now - before)) / before;
      return share > threshold + ROUNDING ? [{ name, metric, base: before, current: now, share }] : [];
    }),
  );
}
