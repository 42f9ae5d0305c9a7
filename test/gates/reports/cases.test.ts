import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPossibleTestSourceName } from '../../../gates/core/test-result.ts';
import { findReportInOutput, readAnyReport } from '../../../gates/reports/read-any-report.ts';
import { REPORT_READERS, type ReportFormat } from '../../../gates/reports/report-readers.ts';
import type { ToolReport } from '../../../gates/reports/tool-report.ts';

const ROOT = '/room/tree';
const lines = (...values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

/** `file name outcome duration` of each case. */
const shown = ({ cases }: ToolReport): string[] =>
  (cases ?? []).map(
    ({ file, name, outcome, duration_ms }) => `${file} | ${name} | ${outcome} | ${duration_ms}`,
  );

const CASES: readonly {
  readonly what: string;
  readonly format: ReportFormat;
  readonly text: string;
  readonly cases: readonly string[];
}[] = [
  {
    what: 'JUnit of pytest',
    format: 'junit',
    text: '<testsuites><testsuite name="pytest"><testcase classname="t.a.TestX" name="test_p[a &lt; b]" file="t/a.py" line="1" time="0.25"/><testcase classname="t.a" name="s" file="t/a.py"><skipped type="pytest.xfail"/></testcase></testsuite></testsuites>',
    cases: ['t/a.py | t.a.TestX > test_p[a < b] | passed | 250', 't/a.py | t.a > s | skipped | null'],
  },
  {
    what: 'JUnit of node, whose failed to-do did not fail',
    format: 'junit',
    text: '<testsuites><testcase name="todo" classname="test" file="/room/tree/a.js" time="0.001"><skipped type="todo"/><failure message="x"/></testcase></testsuites>',
    cases: ['a.js | test > todo | skipped | 1'],
  },
  {
    what: 'JUnit whose suites only tell two cases apart',
    format: 'junit',
    text: '<testsuites><testsuite name="one"><testcase name="x" classname="one"/></testsuite><testsuite name="two"><testcase name="x" classname="test"/></testsuite></testsuites>',
    cases: ['null | one > x | passed | null', 'null | two > test > x | passed | null'],
  },
  {
    what: 'TAP with suites in suites, skipped and to-do tests',
    format: 'tap',
    text: lines(
      'noise before',
      'TAP version 13',
      '# Subtest: outer',
      '    # Subtest: inner',
      '        ok 1 - deep',
      '          ---',
      '          duration_ms: 2.5',
      '          ...',
      '        1..1',
      '    ok 1 - inner',
      '    not ok 2 - bad',
      '    ok 3 - later # SKIP no time',
      '    not ok 4 - todo # TODO',
      '    1..4',
      'not ok 1 - outer',
      'ok 2 - a \\# b',
      '1..2',
    ),
    cases: [
      'null | outer > inner > deep | passed | 2.5',
      'null | outer > bad | failed | null',
      'null | outer > later | skipped | null',
      'null | outer > todo | skipped | null',
      'null | a # b | passed | null',
    ],
  },
  {
    what: 'TAP of a suite that fails by itself',
    format: 'tap',
    text: 'TAP version 14\n    ok 1 - a\n    1..1\nnot ok 1 - suite\n1..1\n',
    cases: ['null | suite > a | passed | null', 'null | suite | failed | null'],
  },
  {
    what: 'TAP without a description, and of nothing',
    format: 'tap',
    text: 'TAP version 13\nok\nnot ok 2\n1..2\n',
    cases: ['null |  | passed | null', 'null |  | failed | null'],
  },
  { what: 'TAP of nothing', format: 'tap', text: 'TAP version 13\n1..0\n', cases: [] },
  {
    what: 'CTRF',
    format: 'ctrf',
    text: lines({
      reportFormat: 'CTRF',
      results: {
        tests: [
          { name: 'a', suite: ['s', 't'], status: 'passed', duration: 3, filePath: '/room/tree/x.ts' },
          { name: 'b', status: 'failed', duration: 1, message: 'no' },
          { name: 'c', status: 'pending', duration: 0 },
        ],
      },
    }),
    cases: ['x.ts | s > t > a | passed | 3', 'null | b | failed | 1', 'null | c | skipped | 0'],
  },
  {
    what: 'jest, with a file that could not be run',
    format: 'jest',
    text: lines({
      testResults: [
        {
          name: '/room/tree/a.test.js',
          status: 'failed',
          assertionResults: [
            { ancestorTitles: ['s'], title: 'x', status: 'failed', duration: 2, failureMessages: ['Error'] },
            { ancestorTitles: [], title: 'y', status: 'pending' },
          ],
        },
        { name: '/room/tree/b.test.js', status: 'failed', message: 'syntax', assertionResults: [] },
      ],
    }),
    cases: [
      'a.test.js | s > x | failed | 2',
      'a.test.js | y | skipped | null',
      'b.test.js | b.test.js | failed | null',
    ],
  },
  {
    what: 'the events of several test programs of Rust',
    format: 'cargo_test',
    text: lines(
      { type: 'suite', event: 'started', test_count: 2 },
      { type: 'test', event: 'started', name: 'tests::a' },
      { type: 'test', event: 'ok', name: 'tests::a', exec_time: 0.002 },
      { type: 'test', event: 'failed', name: 'tests::b', stdout: 'thread x panicked\nleft: 1\n' },
      { type: 'suite', event: 'failed' },
      { type: 'suite', event: 'started', test_count: 1 },
      { type: 'test', event: 'ignored', name: 'c' },
      { type: 'suite', event: 'ok' },
    ),
    cases: ['null | tests::a | passed | 2', 'null | tests::b | failed | null', 'null | c | skipped | null'],
  },
  {
    what: 'go test',
    format: 'go_test',
    text: lines(
      { Action: 'start', Package: 'x/a' },
      { Action: 'pass', Package: 'x/a', Test: 'TestF', Elapsed: 0.5 },
      { Action: 'skip', Package: 'x/a', Test: 'TestG' },
      { Action: 'pass', Package: 'x/a' },
    ),
    cases: ['null | x/a.TestF | passed | 500', 'null | x/a.TestG | skipped | null'],
  },
];

describe('the cases of a report', () => {
  for (const { what, format, text, cases } of CASES)
    test(`are read: ${what}`, async () => {
      const report = (await REPORT_READERS[format]())(text, ROOT);
      expect(shown(report)).toEqual(cases);
      expect(report.findings.length).toBe(
        (report.cases ?? []).filter(({ outcome }) => outcome === 'failed').length,
      );
    });

  test.each([
    ['a test program that was ended in the middle', 'cargo_test', '{"type":"suite","event":"started"}'],
    ['TAP without a test', 'tap', 'TAP version 13\nall is well\n'],
    ['CTRF without its list', 'ctrf', '{"results":{}}'],
    ['jest without its list', 'jest', '{}'],
  ] as const)('are not read: %s', async (_, format, text) => {
    const read = await REPORT_READERS[format]();
    expect(() => read(text, ROOT)).toThrow();
  });

  test('are read whatever the format is', async () => {
    for (const { format, text, cases } of CASES.filter(({ format }) => format !== 'cargo_test')) {
      const report = await readAnyReport(text, ROOT);
      expect(report.cases?.length, format).toBeGreaterThanOrEqual(cases.length);
    }
    const sarif = '{"version":"2.1.0","runs":[{"results":[{"ruleId":"R","message":{"text":"m"}}]}]}';
    expect((await readAnyReport(sarif, ROOT)).findings).toMatchObject([{ rule: 'R' }]);
    await expect(readAnyReport('all 12 tests passed', ROOT)).rejects.toThrow('neither JUnit XML');
  });

  test('of TAP without end are read in linear time', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `    not ok ${at + 1} - test ${at}`);
    const report = await readAnyReport(`TAP version 13\n${many.join('\n')}\nnot ok 1 - suite\n1..1\n`, ROOT);
    expect(report.findings).toHaveLength(50_000);
    await expect(readAnyReport(`TAP version 13\n${' '.repeat(1_000_000)}`, ROOT)).rejects.toThrow('no test');
    await expect(readAnyReport(`TAP version 13\nok ${'\\#'.repeat(500_000)}`, ROOT)).rejects.toThrow(
      'no test',
    );
  });
});

describe('results in the output of a command', () => {
  test.each([
    ['TAP', 'before\nTAP version 13\nok 1 - a\n1..1\nafter\n', 0, 1],
    ['JUnit XML', 'before <testsuites><testcase name="a"/></testsuites> after', 0, 1],
    ['a JUnit suite', 'before\n<testsuite name="s"><testcase name="a"/></testsuite>\nafter', 0, 1],
    ['output that is not all there', 'TAP version 13\nok 1 - a\n', 5, null],
    ['prose', '1 passed', 0, null],
    ['half of a report', '<testsuites><testsuite', 0, null],
  ])('%s', async (_, output, cut, cases) => {
    const { report } = await findReportInOutput(output, cut, ROOT);
    expect(report?.cases?.length ?? null).toBe(cases);
  });

  test('never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        await findReportInOutput(`TAP version 13\n${text}`, 0, ROOT);
        await findReportInOutput(`<testsuites>${text}`, 0, ROOT);
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  ['suite > adds up', 'adds up', true],
  ['t.a.TestX > test_p[1]', 'test_p', true],
  ['pkg/a.TestF/sub', 'TestF', true],
  ['tests::one', 'one', true],
  ['suite > adds up well', 'adds up', false],
  ['suite > test', '', false],
])('%s is the case %o: %s', (reported, written, expected) => {
  expect(isPossibleTestSourceName(reported, written)).toBe(expected);
});
