import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { coverageDeltaGate as gate } from '../../gates/gates/coverage-delta.ts';
import { computeCoverageDelta, parseCoverage } from '../../gates/tests/measure/parse-coverage.ts';
import { runGate } from '../support/patch-fixture.ts';
import { listMissingPrograms, warmToolchains } from '../support/test-tools.ts';

describe('coverage', () => {
  test.each<[string, string, number]>([
    [
      'coverage.py, in lines',
      '{"totals": {"covered_lines": 3, "num_statements": 4, "percent_covered": 60}}',
      75,
    ],
    ['coverage.py, in percent alone', '{"totals": {"percent_covered": 81.25}}', 81.25],
    ['the summary of vitest, jest and c8', '{"total": {"lines": {"total": 4, "covered": 2, "pct": 50}}}', 50],
    ['cargo-llvm-cov', '{"data": [{"totals": {"lines": {"percent": 12.5}}}]}', 12.5],
    ['LCOV', 'TN:\nSF:a.js\nLF:4\nLH:1\nend_of_record\nSF:b.js\nLF:4\nLH:3\nend_of_record\n', 50],
    [
      'LCOV with two records of one file, whose hits are added',
      'SF:a.py\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\nSF:a.py\nDA:1,0\nDA:2,1\nLF:2\nLH:1\nend_of_record\n',
      100,
    ],
    ['LCOV without totals', 'TN:\nSF:a.py\nDA:3,2\nDA:5,0\nend_of_record\n', 50],
    [
      'LCOV with two records of one file that list no lines',
      'SF:a.py\nLF:4\nLH:1\nend_of_record\nSF:a.py\nLF:4\nLH:3\nend_of_record\n',
      75,
    ],
    [
      'Go, where one of two runs covers a block',
      'mode: set\na.go:1.1,2.2 3 0\na.go:1.1,2.2 3 1\na.go:3.1,4.2 1 0\n',
      75,
    ],
    ['a bare number', '87.5 %\n', 87.5],
  ])('is read from %s', (_, text, percent) => {
    expect(parseCoverage(text)).toBe(percent);
  });

  test.each([
    '',
    '{}',
    'mode: set\n',
    'TN:\n',
    'SF:a.py\nDA:1,x\nend_of_record\n',
    '101',
    '{"total": {"lines": {"pct": "Unknown"}}}',
    'TOTAL 4 1 75%',
  ])('is not read from %j', (text) => {
    expect(() => parseCoverage(text)).toThrow();
  });

  test('is compared after rounding to two places', () => {
    expect(computeCoverageDelta(80.004, 80)).toBe(0);
    expect(computeCoverageDelta(80.006, 80)).toBe(-0.01);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (a, b) => {
          expect(computeCoverageDelta(a, b)).toBeCloseTo(b - a, 1.5);
        },
      ),
    );
  });
});

const PYTHON = {
  'a.py': 'def f():\n    return 1\n',
  'test_a.py': 'import a\n\n\ndef test_f():\n    assert a.f() == 1\n',
};

describe('the gate of coverage', () => {
  const missing = listMissingPrograms([{ needs: 'pytest-cov' }]);
  beforeEach(warmToolchains);

  const run = (command: string) =>
    runGate(
      gate,
      { 'a.py': '80\n' },
      { 'a.py': '79.99\n' },
      { settings: { coverage_delta_command: command } },
    );

  test('fails when it falls, and passes when it does not', async () => {
    expect(await run('cat a.py')).toMatchObject({
      outcome: 'failed',
      facts: { delta: -0.01, coverage_base: 80 },
    });
    expect(await run('echo 80')).toMatchObject({ outcome: 'passed', facts: { delta: 0 } });
  });

  test('could not run without a baseline, and fails when only the patch cannot be measured', async () => {
    expect(await run('grep 79 a.py')).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('the base could not be measured'),
    });
    expect(await run('grep 80 a.py')).toMatchObject({ outcome: 'failed' });
    expect(await run('echo hello')).toMatchObject({ outcome: 'could_not_run' });
  });

  test('could not run where no tool measures', async () => {
    expect(await runGate(gate, { 'a.txt': '' }, { 'a.txt': 'x' })).toMatchObject({
      outcome: 'could_not_run',
    });
  });

  test.skipIf(missing.includes('pytest-cov'))('measures Python with pytest-cov', async () => {
    const result = await runGate(gate, PYTHON, { 'a.py': `${PYTHON['a.py']}\n\ndef g():\n    return 2\n` });
    expect(result).toMatchObject({ outcome: 'failed', facts: { tool: 'pytest-cov', coverage_base: 100 } });
  });

  test('measures JavaScript with Node', async () => {
    const base = {
      'package.json': '{"type": "module"}',
      'a.js': 'export const f = () => 1;\n',
      'a.test.js': "import test from 'node:test';\nimport { f } from './a.js';\ntest('f', () => f());\n",
    };
    const result = await runGate(gate, base, {
      'a.js': `${base['a.js']}export const g = () => {\n  return 2;\n};\n`,
    });
    expect(result).toMatchObject({ outcome: 'failed', facts: { tool: 'node', coverage_base: 100 } });
  });
});
