import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCargoTestText } from '../../../gates/reports/cargo-test-text.ts';
import { REPORT_READERS, type ReportFormat } from '../../../gates/reports/report-readers.ts';
import type { ReportReader, ToolReport } from '../../../gates/reports/tool-report.ts';
import { readUnittestOutput } from '../../../gates/reports/unittest.ts';
import { buildBaselineResult } from '../../../gates/tests/comparing/baseline-result.ts';
import { findRemovedPassingTests } from '../../../gates/tests/comparing/compare-tests.ts';
import { evaluateTestRun } from '../../../gates/tests/comparing/evaluate-run.ts';
import { createPatchTestLookup } from '../../../gates/tests/comparing/patch-tests.ts';
import type { CompletedCommandRun } from '../../../gates/tests/running/command-run.ts';

const ROOT = '/room/tree';
const lines = (...values: readonly unknown[]): string =>
  `${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')}\n`;

type Outcome = 'pass' | 'fail';
/** Outcomes of the tests `a`, `b` and `c`. */
type Outcomes = readonly [Outcome, Outcome, Outcome];
const NAMES = ['a', 'b', 'c'] as const;
const count = (outcomes: Outcomes, of: Outcome): number => outcomes.filter((each) => each === of).length;

/** A report of each format that names tests, as the runner writes it. */
const WRITERS: Readonly<
  Record<string, { readonly read: () => Promise<ReportReader>; write(outcomes: Outcomes): string }>
> = {
  junit: {
    read: REPORT_READERS.junit,
    write: (outcomes) =>
      lines(
        '<testsuites>',
        `<testsuite name="s" tests="3" failures="${count(outcomes, 'fail')}">`,
        ...outcomes.map(
          (outcome, at) =>
            `<testcase classname="t" name="${NAMES[at]}">\n${outcome === 'fail' ? '<failure message="no">\ntrace\n</failure>\n' : ''}</testcase>`,
        ),
        '</testsuite>',
        '</testsuites>',
      ),
  },
  tap: {
    read: REPORT_READERS.tap,
    write: (outcomes) =>
      lines(
        'TAP version 13',
        ...outcomes.map((outcome, at) => `${outcome === 'fail' ? 'not ok' : 'ok'} ${at + 1} - ${NAMES[at]}`),
        '1..3',
        '# tests 3',
      ),
  },
  ctrf: {
    read: REPORT_READERS.ctrf,
    write: (outcomes) =>
      JSON.stringify(
        {
          reportFormat: 'CTRF',
          results: {
            summary: { tests: 3, failed: count(outcomes, 'fail') },
            tests: outcomes.map((outcome, at) => ({ name: NAMES[at], status: `${outcome}ed` })),
          },
        },
        null,
        1,
      ),
  },
  jest: {
    read: REPORT_READERS.jest,
    write: (outcomes) =>
      JSON.stringify(
        {
          numTotalTests: 3,
          numFailedTests: count(outcomes, 'fail'),
          numRuntimeErrorTestSuites: 0,
          testResults: [
            {
              name: `${ROOT}/a.test.js`,
              status: outcomes.includes('fail') ? 'failed' : 'passed',
              assertionResults: outcomes.map((outcome, at) => ({
                ancestorTitles: [],
                title: NAMES[at],
                status: `${outcome}ed`,
              })),
            },
          ],
        },
        null,
        1,
      ),
  },
  go_test: {
    read: REPORT_READERS.go_test,
    write: (outcomes) =>
      lines(
        { Action: 'start', Package: 'p' },
        ...outcomes.flatMap((outcome, at) => {
          const of = { Package: 'p', Test: `Test_${NAMES[at]}` };
          return [
            { Action: 'run', ...of },
            { Action: 'output', ...of, Output: `--- ${outcome.toUpperCase()}: ${of.Test} (0.00s)\n` },
            { Action: outcome, ...of },
          ];
        }),
        { Action: outcomes.includes('fail') ? 'fail' : 'pass', Package: 'p' },
      ),
  },
  cargo_test: {
    read: REPORT_READERS.cargo_test,
    write: (outcomes) =>
      lines(
        { type: 'suite', event: 'started', test_count: 3 },
        ...outcomes.map((outcome, at) => ({
          type: 'test',
          event: outcome === 'fail' ? 'failed' : 'ok',
          name: NAMES[at],
        })),
        {
          type: 'suite',
          event: outcomes.includes('fail') ? 'failed' : 'ok',
          passed: count(outcomes, 'pass'),
          failed: count(outcomes, 'fail'),
        },
      ),
  },
  unittest: {
    read: async () => readUnittestOutput,
    write: (outcomes) =>
      lines(
        ...outcomes.map(
          (outcome, at) => `${NAMES[at]} (t.T.${NAMES[at]}) ... ${outcome === 'fail' ? 'FAIL' : 'ok'}`,
        ),
        '',
        '-'.repeat(70),
        'Ran 3 tests in 0.001s',
        '',
        outcomes.includes('fail') ? `FAILED (failures=${count(outcomes, 'fail')})` : 'OK',
      ),
  },
  cargo_text: {
    read: async () => readCargoTestText,
    write: (outcomes) =>
      lines(
        '     Running unittests src/lib.rs (target/debug/deps/x-1)',
        'running 3 tests',
        ...outcomes.map((outcome, at) => `test ${NAMES[at]} ... ${outcome === 'fail' ? 'FAILED' : 'ok'}`),
        `test result: ok. ${count(outcomes, 'pass')} passed; ${count(outcomes, 'fail')} failed; 0 ignored; 0 measured`,
      ),
  },
};

const NO_CHANGE = createPatchTestLookup([]);

function runOf(read: ReportReader, text: string, exitCode: number): CompletedCommandRun {
  let report: ToolReport | null = null;
  try {
    report = read(text, ROOT);
  } catch {
    // As where a command leaves no report that can be read.
  }
  const processResult = { exitCode, output: '', truncatedBytes: 0 } as CompletedCommandRun['processResult'];
  const outcome = exitCode === 0 ? 'passed' : 'failed';
  const cases = report?.cases ?? null;
  const explained = report !== null && (exitCode === 0 || report.findings.length > 0) ? report : null;
  return { processResult, report: explained, cases, outcome, detail: `exit ${exitCode}` };
}

/** Whether a run passes, compared with the same on the base: nothing failed, and nothing is missing. */
async function passes(run: CompletedCommandRun, base: CompletedCommandRun): Promise<boolean> {
  const baseline = buildBaselineResult(base);
  const { outcome } = await evaluateTestRun(run, {
    getBaseline: async () => baseline,
    readPatchTests: async () => NO_CHANGE,
  });
  return (
    outcome === 'passed' &&
    run.cases !== null &&
    findRemovedPassingTests(run.cases, baseline, NO_CHANGE).length === 0
  );
}

/** Where the patched tree breaks `b`: the base passes, or another test fails there too. */
const SCENARIOS: readonly { readonly base: Outcomes; readonly patched: Outcomes; readonly exit: number }[] = [
  { base: ['pass', 'pass', 'pass'], patched: ['pass', 'fail', 'pass'], exit: 0 },
  { base: ['pass', 'pass', 'fail'], patched: ['pass', 'fail', 'fail'], exit: 1 },
  { base: ['pass', 'pass', 'fail'], patched: ['pass', 'fail', 'fail'], exit: 0 },
];

describe.each(Object.entries(WRITERS))(
  'a torn report never improves the outcome: %s',
  (_, { read, write }) => {
    test.each(SCENARIOS)('base $base, patched tree $patched, exit $exit', async ({ base, patched, exit }) => {
      const reader = await read();
      const onBase = runOf(reader, write(base), base.includes('fail') && exit === 1 ? 1 : 0);
      const whole = write(patched);
      expect(await passes(runOf(reader, whole, exit), onBase)).toBe(false);
      const all = whole.split('\n');
      for (let from = 0; from < all.length; from++)
        for (let to = from + 1; to <= all.length; to++) {
          const torn = [...all.slice(0, from), ...all.slice(to)].join('\n');
          expect(await passes(runOf(reader, torn, exit), onBase), torn).toBe(false);
        }
      await fc.assert(
        fc.asyncProperty(fc.nat(whole.length), async (length) => {
          expect(await passes(runOf(reader, whole.slice(0, length), exit), onBase)).toBe(false);
        }),
      );
    });

    test('and one that is whole and good passes', async () => {
      const reader = await read();
      const good = write(['pass', 'pass', 'pass']);
      expect(await passes(runOf(reader, good, 0), runOf(reader, good, 0))).toBe(true);
    });
  },
);

const at = (uri: string) => [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }];
const SARIF = { runs: [{ results: [{ ruleId: 'R', message: { text: 'm' }, locations: at('a.py') }] }] };
const ESLINT = [
  { filePath: 'a.js', errorCount: 1, warningCount: 0, messages: [{ ruleId: 'r', severity: 2 }] },
];

/** Reports of checkers, each with one finding: a document whose lists must be there. */
const CHECKERS: readonly (readonly [ReportFormat, unknown])[] = [
  ['sarif', SARIF],
  ['semgrep', SARIF],
  ['golangci', SARIF],
  ['eslint', ESLINT],
  ['eslint_warnings', ESLINT],
  ['gitlab', [{ check_name: 'r', severity: 'critical', location: { path: 'a.js' } }]],
  [
    'pyright',
    { generalDiagnostics: [{ file: 'a.py', severity: 'error', message: 'm' }], summary: { errorCount: 1 } },
  ],
  ['bandit', { results: [{ filename: 'a.py', test_id: 'B1', issue_text: 'm' }], errors: [] }],
  ['pip_audit', { dependencies: [{ name: 'a', version: '1', vulns: [{ id: 'X', fix_versions: [] }] }] }],
  [
    'npm_audit',
    {
      vulnerabilities: { a: { via: [{ name: 'a', title: 't', url: 'x/GHSA' }] } },
      facts: { vulnerabilities: { total: 1 } },
    },
  ],
  [
    'cargo_audit',
    {
      vulnerabilities: { count: 1, list: [{ advisory: { id: 'R' }, package: { name: 'a', version: '1' } }] },
    },
  ],
  ['knip', { files: [], issues: [{ file: 'a.ts', exports: [{ name: 'x', line: 1 }] }] }],
];

describe('a torn report of a checker has no fewer findings', () => {
  test.each(CHECKERS)('%s', async (format, document) => {
    const read = await REPORT_READERS[format]();
    const text = JSON.stringify(document);
    expect(read(text, ROOT).findings).toHaveLength(1);
    for (let length = 0; length < text.length; length++)
      expect(() => read(text.slice(0, length), ROOT), text.slice(0, length)).toThrow();
  });

  test.each([
    ['a SARIF run without results', 'sarif', { runs: [{}] }],
    ['a SARIF document without runs', 'sarif', { runs: [] }],
    [
      'a SARIF run that did not succeed',
      'sarif',
      { runs: [{ results: [], invocations: [{ executionSuccessful: false }] }] },
    ],
    ['a file of eslint without messages', 'eslint', [{ filePath: 'a.js' }]],
    [
      'fewer messages of eslint than it counts',
      'eslint',
      [{ filePath: 'a.js', errorCount: 1, messages: [] }],
    ],
    [
      'fewer errors of pyright than it counts',
      'pyright',
      { generalDiagnostics: [], summary: { errorCount: 2 } },
    ],
    ['a run of pyright on no file', 'pyright', { generalDiagnostics: [], summary: { filesAnalyzed: 0 } }],
    ['a document of knip without issues', 'knip', { files: [] }],
    [
      'fewer packages than npm audit counts',
      'npm_audit',
      { vulnerabilities: {}, metadata: { vulnerabilities: { total: 1 } } },
    ],
    ['fewer holes than cargo audit counts', 'cargo_audit', { vulnerabilities: { count: 1, list: [] } }],
  ] as const)('is none: %s', async (_, format, document) => {
    const read = await REPORT_READERS[format]();
    expect(() => read(JSON.stringify(document), ROOT)).toThrow();
  });

  test('is none: a torn line of cargo, go build or mypy', async () => {
    for (const [format, text] of [
      ['cargo', '{"reason":"compiler-mess\n{"reason":"build-finished"}\n'],
      ['cargo_errors', '{"reason":"compiler-mess\n{"reason":"build-finished"}\n'],
      ['go_build', '{"Action":"build-out\n'],
      ['go_vet', '{\n"p": {\n'],
      ['mypy', '{"file": "a.py"'],
    ] as const) {
      const read = await REPORT_READERS[format]();
      expect(() => read(text, ROOT), format).toThrow();
    }
    const tsc = await REPORT_READERS.tsc();
    expect(tsc('a.ts(1 error TS2322: m\n', ROOT).findings).toHaveLength(1);
  });
});

describe('a report that states a problem of its own', () => {
  test.each([
    [
      'an error of a suite',
      '<testsuite name="s"><error message="hook"/><testcase name="a"/></testsuite>',
      's (suite)',
    ],
    [
      'an error of the whole run',
      '<testsuites><failure/><testsuite name="s"/></testsuites>',
      'the test run (suite)',
    ],
  ])('has a failed case: %s', async (_, text, name) => {
    const read = await REPORT_READERS.junit();
    expect(read(text, ROOT).cases).toContainEqual(expect.objectContaining({ name, outcome: 'failed' }));
  });

  test.each([
    ['status="notrun" result="suppressed"', 'skipped'],
    ['status="disabled"', 'skipped'],
    ['result="skipped"', 'skipped'],
    ['status="fail"', 'failed'],
    ['status="run" result="completed"', 'passed'],
  ])('says what became of a case: %s', async (attributes, outcome) => {
    const read = await REPORT_READERS.junit();
    const { cases } = read(`<testsuite name="s"><testcase name="a" ${attributes}/></testsuite>`, ROOT);
    expect(cases).toMatchObject([{ outcome }]);
  });

  test.each([
    ['tests that are not there', '<testsuite name="s" tests="2"><testcase name="a"/></testsuite>'],
    ['failures that are not there', '<testsuite name="s" failures="1"><testcase name="a"/></testsuite>'],
  ])('is none: %s', async (_, text) => {
    const read = await REPORT_READERS.junit();
    expect(() => read(text, ROOT)).toThrow('states');
  });

  test('is read where a runner counts assertions, as Catch2 does', async () => {
    const read = await REPORT_READERS.junit();
    const text = '<testsuite name="s" tests="9" hostname="tbd"><testcase name="a"/></testsuite>';
    expect(read(text, ROOT).cases).toHaveLength(1);
  });

  test.each([
    ['bailed out', 'TAP version 13\nok 1 - a\nBail out! database is gone\n1..1\n', 'database is gone'],
    ['ran fewer tests than planned', 'TAP version 13\n1..4\nok 1 - a\n', '1 of 4'],
    ['has no plan', 'TAP version 13\nok 1 - a\n', 'without a plan'],
    ['ran fewer subtests than planned', 'TAP version 14\n    ok 1 - x\n    1..2\nok 1 - a\n1..1\n', '1 of 2'],
    ['stopped before a second run', 'TAP version 13\nok 1 - a\nTAP version 13\n1..0\n', 'without a plan'],
  ])('is none: TAP that %s', async (_, text, why) => {
    const read = await REPORT_READERS.tap();
    expect(() => read(text, ROOT)).toThrow(why);
  });
});

describe('output of the code under test', () => {
  test('between the name and the result of a test of unittest tears nothing', () => {
    const text = lines(
      'test_a (t.T.test_a) ... parsing 12',
      'more',
      'ok',
      'test_b (t.T.test_b) ... no line endFAIL',
      '',
      '='.repeat(70),
      'FAIL: test_b (t.T.test_b)',
      '-'.repeat(70),
      'Ran 2 tests in 0.001s',
      '',
      'FAILED (failures=1)',
    );
    expect(readUnittestOutput(text, ROOT).cases).toMatchObject([
      { name: 't.T.test_a', outcome: 'passed' },
      { name: 't.T.test_b', outcome: 'failed' },
    ]);
  });

  test('in which the end of a Go test stands does not hide it', async () => {
    const read = await REPORT_READERS.go_test();
    const of = { Package: 'p', Test: 'TestA' };
    const { cases } = read(
      lines(
        { Action: 'start', Package: 'p' },
        { Action: 'run', ...of },
        { Action: 'output', ...of, Output: '..--- PASS: TestA (0.00s)\n' },
        { Action: 'pass', Package: 'p' },
      ),
      ROOT,
    );
    expect(cases).toMatchObject([{ name: 'p.TestA', outcome: 'passed' }]);
  });
});
