import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { complexityCheckGate } from '../../gates/gates/complexity-check.ts';
import { computeRelativeGrowth, parseComplexity } from '../../gates/tests/measure/parse-complexity.ts';
import { runGate } from '../support/patch-fixture.ts';
import { listMissingPrograms, warmToolchains } from '../support/test-tools.ts';

const SIMPLE = 'def f(x):\n    return x\n';
const COMPLEX = 'def f(x):\n    if x:\n        return 1\n    if x > 2:\n        return 2\n    return x\n';

describe('the average complexity', () => {
  test.each<[string, string, number]>([
    ['a bare number', ' 3.5\n', 3.5],
    ['JSON with an average', '{"average_complexity": 2}', 2],
    ['JSON with another name for it', '{"mean_complexity": 4}', 4],
    [
      'the lists of radon',
      '{"a.py": [{"complexity": 1}, {"complexity": 4}], "b.py": [{"complexity": 1}]}',
      2,
    ],
    ['a plain list', '[{"complexity": 3}]', 3],
    ['the rows of lizard', '5,2,9,0,5,"f@1-2@a.js","a.js","f","f ( )",1,2\n5,4,9,0,5,"g"\n', 3],
    ['no function', '{}', 0],
    ['no row', '', 0],
  ])('is read from %s', (_, text, average) => {
    expect(parseComplexity(text).average).toBe(average);
  });

  test('is not read from prose', () => {
    expect(() => parseComplexity('Average complexity: A (1.5)')).toThrow();
  });

  test('does not grow where there was nothing, and else by its share', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        (base, share) => {
          expect(computeRelativeGrowth(0, base)).toBe(0);
          expect(computeRelativeGrowth(base, base * (1 + share))).toBeCloseTo(share, 6);
        },
      ),
    );
  });
});

describe('the check of complexity', () => {
  const run = (
    command: string,
    settings: Readonly<Record<string, unknown>> = {},
    base = { 'a.py': '10\n' },
  ) =>
    runGate(
      complexityCheckGate,
      base,
      { 'a.py': '12\n' },
      { settings: { complexity_command: command, ...settings } },
    );

  test('allows as much as the threshold and no more', async () => {
    expect(await run('cat')).toMatchObject({
      outcome: 'passed',
      facts: { ratio: 0.2, complexity_base: 10 },
    });
    expect(await run('cat "$@"', { complexity_threshold: 0.19 })).toMatchObject({ outcome: 'failed' });
  });

  test('does not count where the base has none', async () => {
    const result = await runGate(
      complexityCheckGate,
      { 'b.txt': '' },
      { 'a.py': '12\n' },
      { settings: { complexity_command: 'cat' } },
    );
    expect(result).toMatchObject({ outcome: 'passed', facts: { complexity_base: 0, ratio: 0 } });
  });

  test('could not run when the base cannot be measured, and fails when the patch cannot', async () => {
    expect(await run('grep -h 12')).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('the base could not be measured'),
    });
    expect(await run('grep -h 10')).toMatchObject({ outcome: 'failed', facts: { command: 'grep -h 10' } });
    expect(await run('echo many')).toMatchObject({ outcome: 'could_not_run' });
    expect(await run('no-such-program')).toMatchObject({ outcome: 'could_not_run' });
  });

  const CASES = [{ needs: 'radon' }, { needs: 'lizard' }];
  const missing = listMissingPrograms(CASES);
  beforeEach(warmToolchains);

  test.skipIf(missing.includes('radon'))('measures Python with radon', async () => {
    expect(await runGate(complexityCheckGate, { 'a b.py': SIMPLE }, { 'a b.py': COMPLEX })).toMatchObject({
      outcome: 'failed',
      facts: { tool: 'radon', complexity: 3, complexity_base: 1, ratio: 2 },
    });
    expect(
      await runGate(complexityCheckGate, { 'a.py': SIMPLE }, { 'a.py': `${SIMPLE}X = 1\n` }),
    ).toMatchObject({
      outcome: 'passed',
    });
  });

  test.skipIf(missing.includes('radon'))('is not silenced by code that nobody can read', async () => {
    expect(await runGate(complexityCheckGate, { 'a.py': SIMPLE }, { 'a.py': 'def f(:\n' })).toMatchObject({
      outcome: 'failed',
      findings: [{ file: 'a.py', rule: 'not_measured' }],
    });
  });

  test.skipIf(missing.includes('lizard'))('measures other languages with lizard', async () => {
    const result = await runGate(
      complexityCheckGate,
      { 'a.go': 'package a\n\nfunc F() int { return 1 }\n' },
      { 'a.go': 'package a\n\nfunc F(x int) int {\n\tif x > 1 {\n\t\treturn 2\n\t}\n\treturn 1\n}\n' },
    );
    expect(result).toMatchObject({
      outcome: 'failed',
      facts: { tool: 'lizard', complexity: 2, complexity_base: 1 },
    });
  });

  describe('without any tool', () => {
    beforeEach(() => vi.stubEnv('PATH', '/usr/bin:/bin'));
    const BRANCHES: readonly [string, string, string, number][] = [
      ['Python', 'a.py', COMPLEX, 3],
      ['Python', 'b.py', 'def f(x):\n    return [y for y in x if y and y > 1 or x]\n', 5],
      ['JavaScript', 'a.js', 'const f = (x) => (x && x > 1 ? 1 : (x ?? 2));\nfunction g() {}\n', 2.5],
      [
        'TypeScript',
        'a.ts',
        'class A { m(x: number) { switch (x) { case 1: case 2: return 1; default: return 2; } } }\n',
        3,
      ],
      [
        'Go',
        'a.go',
        'package a\n\nfunc F(x int) int {\n\tfor x > 1 || x < 0 {\n\t\tif x == 2 {\n\t\t\treturn 2\n\t\t}\n\t}\n\treturn 1\n}\n',
        4,
      ],
      [
        'Rust',
        'a.rs',
        'fn f(x: i32) -> i32 {\n    match x { 1 => 1, _ => { if x > 2 { 2 } else { 3 } } }\n}\n',
        4,
      ],
    ];
    test.each(BRANCHES)('counts the branches of %s in %s itself', async (_, path, text, complexity) => {
      const result = await runGate(complexityCheckGate, { 'x.md': '' }, { [path]: text });
      expect(result).toMatchObject({ outcome: 'passed', facts: { tool: 'assay', complexity } });
    });

    test('fails when the code became more complex, and is not silenced by code that nobody can read', async () => {
      const run = (text: string) => runGate(complexityCheckGate, { 'a.py': SIMPLE }, { 'a.py': text });
      expect(await run(COMPLEX)).toMatchObject({ outcome: 'failed', facts: { tool: 'assay', ratio: 2 } });
      expect(await run(`${SIMPLE}X = 1\n`)).toMatchObject({ outcome: 'passed' });
      expect(await run('def f(:\n')).toMatchObject({ outcome: 'failed', findings: [{ file: 'a.py' }] });
    });
  });
});
