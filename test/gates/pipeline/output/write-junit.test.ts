import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../../gates/core/test-result.ts';
import { formatJunit } from '../../../../gates/pipeline/output/write-junit.ts';
import { readJunit } from '../../../../gates/reports/junit.ts';

const CASES: readonly TestResult[] = [
  { name: 'sum > adds <1> & "two"', file: 'test/a b.test.js', outcome: 'passed', duration_ms: 12.5 },
  { name: 'fails', file: null, outcome: 'failed', duration_ms: null },
  { name: 'later', file: null, outcome: 'skipped', duration_ms: 0 },
];

describe('test results as JUnit XML', () => {
  test('are what our own reader reads', () => {
    const text = formatJunit([{ gate: 'tests', tests: CASES }]);
    expect(readJunit(text, '/room').cases).toEqual([
      CASES[0],
      { ...CASES[1], name: 'tests > fails' },
      { ...CASES[2], name: 'tests > later' },
    ]);
    expect(text).toContain(
      '<testsuite name="tests" tests="3" failures="1" errors="0" skipped="1" time="0.012500">',
    );
  });

  test('are read back whatever the names are', () => {
    const anyCase = fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1 }),
      file: fc.constantFrom('a.js', 'b/c.py'),
      outcome: fc.constantFrom('passed', 'failed', 'skipped'),
      duration_ms: fc.option(fc.nat(100_000)),
    } as const);
    fc.assert(
      fc.property(fc.array(anyCase), (tests) => {
        const read = readJunit(formatJunit([{ gate: 'tests', tests }]), '/room').cases ?? [];
        expect(read.map(({ file, outcome, duration_ms }) => ({ file, outcome, duration_ms }))).toEqual(
          tests.map(({ file, outcome, duration_ms }) => ({ file, outcome, duration_ms })),
        );
      }),
    );
  });

  test('keep control characters and half characters out', () => {
    const text = formatJunit([
      { gate: 'tests', tests: [{ ...CASES[1], name: 'a\u0000\u001b\ud800\nb' } as TestResult] },
    ]);
    expect(text).toContain('name="a\ufffd\ufffd\ufffd&#10;b"');
  });

  test('say how many do not fit', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ ...CASES[1], name: `t${at}` }) as TestResult);
    const text = formatJunit([{ gate: 'tests', tests: many }], 1_000);
    expect(text.length).toBeLessThan(1_500);
    const listed = text.split('<testcase').length - 1;
    expect(() => readJunit(text, '/room')).toThrow(`states 100 tests in tests and holds ${listed}`);
    expect(text).toContain(`<property name="tests_not_listed" value="${100 - listed}"/>`);
    expect(text).toContain('tests="100"');
  });

  test('of no gate are a document too', () => {
    expect(formatJunit([])).toContain('<testsuites name="assay">\n</testsuites>');
  });
});
