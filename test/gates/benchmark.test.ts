import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { benchmarkGate } from '../../gates/gates/benchmark.ts';
import { findBenchmarkRegressions, parseBenchmarks } from '../../gates/tests/measure/parse-benchmarks.ts';
import { runGate } from '../support/patch-fixture.ts';
import { listMissingPrograms } from '../support/test-tools.ts';

const one = (values: object) => JSON.stringify({ sum: values });

describe('benchmarks', () => {
  test.each<[string, string, object]>([
    [
      'pytest-benchmark',
      '{"benchmarks": [{"fullname": "t.py::test_a", "stats": {"mean": 0.5, "ops": 2}, "extra_info": {"memory_mb": 3}}]}',
      { 't.py::test_a': { mean_s: 0.5, ops: 2, memory_mb: 3 } },
    ],
    [
      'vitest, in milliseconds',
      '{"files": [{"groups": [{"fullName": "a.bench.ts > sum", "benchmarks": [{"name": "fast", "mean": 4, "hz": 250}]}]}]}',
      { 'a.bench.ts > sum > fast': { mean_s: 0.004, ops: 250 } },
    ],
    ['a plain object', one({ ops: 7 }), { sum: { ops: 7 } }],
  ])('are read from %s', (_, text, expected) => {
    expect(Object.fromEntries(parseBenchmarks(text))).toEqual(expected);
  });

  test.each(['', '[]', '{}', '{"benchmarks": []}', 'mean: 3'])('are not read from %j', (text) => {
    expect(() => parseBenchmarks(text)).toThrow();
  });

  test.each<[string, object, object, number]>([
    ['a mean that is exactly at the threshold', { mean_s: 1 }, { mean_s: 1.25 }, 0],
    ['a mean above it', { mean_s: 1 }, { mean_s: 1.26 }, 1],
    ['a mean that fell', { mean_s: 1 }, { mean_s: 0.1 }, 0],
    ['fewer operations', { ops: 100 }, { ops: 74 }, 1],
    ['more operations', { ops: 100 }, { ops: 900 }, 0],
    ['more memory', { memory_mb: 100 }, { memory_mb: 126 }, 1],
    ['a base of nothing', { mean_s: 0 }, { mean_s: 9 }, 0],
    ['a number that the base has not', { ops: 1 }, { mean_s: 9 }, 0],
  ])('get worse or not: %s', (_, base, current, count) => {
    expect(
      findBenchmarkRegressions(parseBenchmarks(one(base)), parseBenchmarks(one(current)), 0.25),
    ).toHaveLength(count);
  });

  test('are not beyond a threshold that they meet exactly, however the numbers are rounded', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom(10, 20, 25, 50), (mean, percent) => {
        const [base, current] = [{ mean_s: mean / 1_000 }, { mean_s: (mean / 1_000) * (1 + percent / 100) }];
        expect(
          findBenchmarkRegressions(parseBenchmarks(one(base)), parseBenchmarks(one(current)), percent / 100),
        ).toEqual([]);
        const [more, fewer] = [{ ops: mean }, { ops: mean * (1 - percent / 100) }];
        expect(
          findBenchmarkRegressions(parseBenchmarks(one(more)), parseBenchmarks(one(fewer)), percent / 100),
        ).toEqual([]);
      }),
    );
  });

  test('do not get worse than themselves', () => {
    const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(positive, positive, (mean_s, ops) => {
        const same = parseBenchmarks(one({ mean_s, ops }));
        expect(findBenchmarkRegressions(same, same, 0)).toEqual([]);
      }),
    );
  });
});

describe('the gate of benchmarks', () => {
  const run = (base: object, current: object, command = 'cat bench.json') =>
    runGate(
      benchmarkGate,
      { 'bench.json': JSON.stringify(base) },
      { 'bench.json': JSON.stringify(current) },
      { settings: { benchmark: { command } } },
    );

  test('names what got worse', async () => {
    expect(await run({ sum: { mean_s: 1 } }, { sum: { mean_s: 1.2 } })).toMatchObject({
      outcome: 'failed',
      findings: [{ rule: 'benchmark_mean_s', message: 'sum: mean_s 1 became 1.2, 20.0 % worse' }],
    });
    expect(await run({ sum: { mean_s: 1 } }, { sum: { mean_s: 1.05 } })).toMatchObject({ outcome: 'passed' });
  });

  test('reports a benchmark that is gone, and could not run when nothing is left to compare', async () => {
    const both = { a: { ops: 1 }, b: { ops: 1 } };
    expect(await run(both, { a: { ops: 1 } })).toMatchObject({
      outcome: 'passed',
      findings: [{ rule: 'benchmark_gone' }],
    });
    expect(await run(both, { c: { ops: 1 } })).toMatchObject({ outcome: 'could_not_run' });
  });

  test('could not run without a baseline', async () => {
    expect(await run({}, { a: { ops: 1 } })).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('the base could not be measured'),
    });
  });

  const missing = listMissingPrograms([{ needs: 'pytest-benchmark' }]);
  test.skipIf(missing.length > 0)('runs pytest-benchmark', async () => {
    const bench = 'def test_sum(benchmark):\n    benchmark.pedantic(sum, args=([1],), rounds=2)\n';
    const result = await runGate(
      benchmarkGate,
      { 'test_a.py': bench, 'b.py': '' },
      { 'b.py': 'X = 1\n' },
      { settings: { benchmark: { enabled: true, threshold: 100 } } },
    );
    expect(result).toMatchObject({ facts: { tool: 'pytest-benchmark', benchmarks: 1 } });
  });
});
