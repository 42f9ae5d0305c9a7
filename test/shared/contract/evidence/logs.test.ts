import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LoggedTestRun } from '../../../../shared/contract/evidence/logs/logged-test-run.ts';
import { parseTestLog } from '../../../../shared/contract/evidence/logs/parse-test-log.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/test-logs');
const printed = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');

describe('what runners really print', () => {
  test.each<[string, string, (number | null)[], string]>([
    ['pytest.txt', 'pytest', [1, 2, 1], 'test_calc.py::Calc::test_rounds'],
    ['pytest-q.txt', 'pytest', [1, 2, 1], 'test_calc.py::Calc::test_rounds'],
    ['unittest.txt', 'unittest', [1, 1, 1], 'test_rounds (test_u.Calc.test_rounds)'],
    ['vitest.txt', 'vitest', [1, 1, 1], 'a.test.mjs > money > rounds'],
    ['jest.txt', 'jest', [1, 1, 1], 'money › rounds'],
    ['node-tap.txt', 'node --test', [1, 1, 1], 'rounds'],
    ['node-spec.txt', 'node --test', [1, 1, 1], 'rounds'],
    ['mocha.txt', 'mocha', [1, 1, 1], 'money'],
    ['go.txt', 'go test', [null, null, null], 'TestRounds'],
    ['go-v.txt', 'go test', [null, null, null], 'TestRounds'],
    ['cargo.txt', 'cargo test', [1, 1, 1], 'rounds'],
    ['junit.xml', 'junit', [1, 2, 1], ''],
  ])('%s is a claim of %s', (file, tool, counts, failing) => {
    const runs = parseTestLog(printed(file));
    expect(runs).toHaveLength(1);
    const [run] = runs;
    expect(run).toMatchObject({ tool, kind: 'claimed' });
    expect([run?.passed, run?.failed, run?.skipped]).toEqual(counts);
    if (failing !== '') expect(run?.failed_tests[0]).toBe(failing);
    expect(LoggedTestRun.parse(run)).toEqual(run);
  });

  test('are found in the events of a CLI, and with colours', () => {
    const event = JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', content: printed('pytest.txt') }] },
    });
    expect(parseTestLog(`${event}\n{"type":"result"}\n`)).toEqual(parseTestLog(printed('pytest.txt')));
    expect(parseTestLog('\u001b[31m2 failed\u001b[0m, 1 passed in 0.10s\n')).toMatchObject([
      { tool: 'pytest', passed: 1, failed: 2 },
    ]);
  });

  test('are kept in their order, the latest five, each with its own failures', () => {
    const twice = parseTestLog(`${printed('pytest.txt')}\n====== 4 passed in 0.02s ======\n`);
    expect(twice.map(({ failed, failed_tests: failing }) => [failed, failing.length])).toEqual([
      [2, 2],
      [0, 0],
    ]);
    const many = `${printed('unittest.txt')}\n${printed('jest.txt')}\n`.repeat(4);
    expect(parseTestLog(many).map(({ tool }) => tool)).toEqual([
      'jest',
      'unittest',
      'jest',
      'unittest',
      'jest',
    ]);
  });
});

describe('what is no end of a run', () => {
  test.each([
    'I would run pytest but skip it',
    'All 5 tests passed!',
    '5 passed, 0 failed',
    'Tests: all green',
    'test result: ok',
    '{"not": "json',
    'OK',
    '# pass 3',
    '  5 passing',
    '<testsuite name="x">',
    'ok  \tpkg',
  ])('%s', (line) => {
    expect(parseTestLog(line)).toEqual([]);
  });

  test('is any text: what is read is always within what is stored', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '2 failed, 1 passed in 0.1s',
        'FAIL: x',
        '  1) y',
        '  3 passing (1ms)',
        '# skipped 1',
        '# pass 4',
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const runs = parseTestLog(lines.join('\n'));
        expect(LoggedTestRun.array().max(5).parse(runs)).toEqual(runs);
      }),
      { numRuns: 100 },
    );
    for (const part of ['FAILED ', '1 passed ', '<testsuite ', '{"a":"', '✖ ', 'test '])
      expect(parseTestLog(part.repeat(50_000)).length).toBeLessThanOrEqual(5);
  });
});
