import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REPORT_READERS, type ReportFormat } from '../../../gates/reports/report-readers.ts';
import { countTestsRun } from '../../../gates/reports/tool-report.ts';

interface Case {
  readonly what: string;
  readonly format: ReportFormat;
  readonly text: string;
  /** `file:line rule message` */
  readonly complaints: readonly string[];
  readonly tests?: number;
}

const json = (...values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join('\n');
const sarifOf = (...results: readonly unknown[]) => json({ version: '2.1.0', runs: [{ results }] });
const at = (uri: string, startLine: number) => [
  { physicalLocation: { artifactLocation: { uri }, region: { startLine } } },
];

const ESLINT = json([
  {
    filePath: '/room/tree/src/a.js',
    messages: [
      { ruleId: 'no-var', severity: 2, line: 1, message: 'no' },
      { ruleId: 'semi', severity: 1, line: 2, message: 'hm' },
      { ruleId: null, severity: 2, line: 3, message: 'Parsing error' },
    ],
  },
]);

const CASES: readonly Case[] = [
  {
    what: "vulture's lines, with what is not one left out",
    format: 'vulture',
    text: "./a b.py:3: unused variable 'x' (100% confidence, 1 line)\nerror: no such file\n",
    complaints: ["a b.py:3 vulture unused variable 'x'"],
  },
  {
    what: 'what knip says of files, exports and types, in its old form and its new one',
    format: 'knip',
    text: json({
      files: ['old.ts'],
      issues: [
        {
          file: 'a.ts',
          files: [{ name: 'a.ts' }],
          exports: [{ name: 'b', line: 2 }],
          types: [{ name: 'T' }],
        },
      ],
    }),
    complaints: [
      'old.ts:1 knip nothing imports this file',
      'a.ts:1 knip nothing imports this file',
      'a.ts:2 knip the export b is not used',
      'a.ts:1 knip the type T is not used',
    ],
  },
  {
    what: 'a SARIF result with an absolute address below the checkout',
    format: 'sarif',
    text: sarifOf({
      ruleId: 'F401',
      message: { text: 'unused' },
      locations: at('file:///room/tree/a%20b.py', 3),
    }),
    complaints: ['a b.py:3 F401 unused'],
  },
  {
    what: 'a SARIF result that leads out of the checkout',
    format: 'sarif',
    text: sarifOf({ ruleId: 'X', message: { text: 'm' }, locations: at('../../etc/passwd', 3) }),
    complaints: ['null:3 X m'],
  },
  {
    what: 'a SARIF result without a place, and one that is suppressed',
    format: 'sarif',
    text: sarifOf(
      { rule: { id: 'Y' }, message: { text: 'm' } },
      { ruleId: 'Z', suppressions: [{ kind: 'external' }] },
    ),
    complaints: ['null:null Y m'],
  },
  {
    what: 'JUnit of pytest, whose lines count from 0',
    format: 'junit',
    text: '<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="3"><testcase classname="t.a" name="test_x" file="t/a.py" line="4"><failure message="assert 1 &lt; 0&#10;more">trace</failure></testcase><testcase classname="t.a" name="ok" file="t/a.py" line="8"/><testcase name="s"><skipped/></testcase></testsuite></testsuites>',
    complaints: ['t/a.py:5 test_failed t.a > test_x: assert 1 < 0 more'],
    tests: 2,
  },
  {
    what: 'JUnit of vitest, whose suites are files',
    format: 'junit',
    text: '<testsuites><testsuite name="test/a.test.ts"><testcase classname="test/a.test.ts" name="sum"><error>no</error></testcase></testsuite></testsuites>',
    complaints: ['test/a.test.ts:null test_failed test/a.test.ts > sum: no'],
    tests: 1,
  },
  {
    what: 'JUnit of node --test, with suites in suites and a suite of one',
    format: 'junit',
    text: '<testsuites><testsuite name="outer"><testsuite name="inner"><testcase name="x" classname="test" file="/room/tree/a.test.js"><failure message="bad"/></testcase></testsuite></testsuite></testsuites>',
    complaints: ['a.test.js:null test_failed test > x: bad'],
    tests: 1,
  },
  {
    what: 'eslint, errors only',
    format: 'eslint',
    text: ESLINT,
    complaints: ['src/a.js:1 no-var no', 'src/a.js:3 syntax Parsing error'],
  },
  {
    what: 'eslint with its warnings',
    format: 'eslint_warnings',
    text: ESLINT,
    complaints: ['src/a.js:1 no-var no', 'src/a.js:2 semi hm', 'src/a.js:3 syntax Parsing error'],
  },
  {
    what: 'the code-quality report of biome',
    format: 'gitlab',
    text: json([
      { check_name: 'lint/x', description: 'd', location: { path: './a.ts', lines: { begin: 7 } } },
    ]),
    complaints: ['a.ts:7 lint/x d'],
  },
  {
    what: 'pyright, whose lines count from 0',
    format: 'pyright',
    text: json({
      generalDiagnostics: [
        {
          file: '/room/tree/a.py',
          severity: 'error',
          message: 'no',
          rule: 'reportX',
          range: { start: { line: 0 } },
        },
        { file: '/room/tree/a.py', severity: 'warning', message: 'hm', range: { start: { line: 1 } } },
      ],
    }),
    complaints: ['a.py:1 reportX no'],
  },
  {
    what: 'mypy',
    format: 'mypy',
    text: `${json({ file: 'a.py', line: 2, message: 'no', code: 'arg-type', severity: 'error' }, { file: 'a.py', line: 2, message: 'see', severity: 'note' })}\n`,
    complaints: ['a.py:2 arg-type no'],
  },
  {
    what: 'bandit, with a file that it could not read',
    format: 'bandit',
    text: json({
      results: [{ filename: './a.py', line_number: 4, test_id: 'B602', issue_text: 'shell' }],
      errors: [{ filename: './b.py', reason: 'syntax error while parsing AST from file' }],
    }),
    complaints: ['a.py:4 B602 shell', 'b.py:null not_scanned syntax error while parsing AST from file'],
  },
  {
    what: 'the compiler of Rust',
    format: 'cargo',
    text: json(
      {
        reason: 'compiler-message',
        message: {
          level: 'warning',
          code: { code: 'clippy::x' },
          message: 'w',
          spans: [{ is_primary: true, file_name: 'src/lib.rs', line_start: 2 }],
        },
      },
      { reason: 'compiler-message', message: { level: 'error', message: 'aborting', spans: [] } },
      { reason: 'build-finished', success: true },
    ),
    complaints: ['src/lib.rs:2 clippy::x w'],
  },
  {
    what: 'the compiler of Go',
    format: 'go_build',
    text: json(
      { Action: 'build-output', Output: '# example.org/a\n' },
      { Action: 'build-output', Output: './b.go:3:23: cannot use "x"\n' },
      { Action: 'build-fail' },
    ),
    complaints: ['b.go:3 compile cannot use "x"'],
  },
  {
    what: 'go vet, with names of packages between the objects',
    format: 'go_vet',
    text: '# a\n{\n\t"a": {\n\t\t"printf": [\n\t\t\t{"posn": "/room/tree/a.go:6:14", "message": "wrong"}\n\t\t]\n\t}\n}\n# b\n{}\n',
    complaints: ['a.go:6 vet/printf wrong'],
  },
  {
    what: 'go test, which names a subtest only',
    format: 'go_test',
    text: json(
      { Action: 'start', Package: 'x/a' },
      { Action: 'output', Package: 'x/a', Test: 'TestF/sub', Output: '    a_test.go:9: bad\n' },
      { Action: 'fail', Package: 'x/a', Test: 'TestF/sub' },
      { Action: 'fail', Package: 'x/a', Test: 'TestF' },
      { Action: 'pass', Package: 'x/a', Test: 'TestG' },
      { Action: 'fail', Package: 'x/a' },
    ),
    complaints: ['null:null test_failed x/a.TestF/sub: bad (a_test.go:9)'],
    tests: 3,
  },
  {
    what: 'go test, of a package that does not compile',
    format: 'go_test',
    text: json(
      { Action: 'start', Package: 'x/a' },
      { Action: 'output', Package: 'x/a', Output: 'FAIL\tx/a [build failed]\n' },
      { Action: 'fail', Package: 'x/a' },
    ),
    complaints: ['null:null package_failed x/a: FAIL\tx/a [build failed]'],
    tests: 0,
  },
  {
    what: 'tsc',
    format: 'tsc',
    text: "src/a.ts(3,7): error TS2322: Type 'string' is not assignable.\n  More of it.\n",
    complaints: ["src/a.ts:3 TS2322 Type 'string' is not assignable."],
  },
  {
    what: 'tsc, with a name like its own form, and without a place',
    format: 'tsc',
    text: "a (1).ts(3,7): error TS2322: No.\nerror TS2688: Cannot find the types of 'node'.\n",
    complaints: ['a (1).ts:3 TS2322 No.', "null:null TS2688 Cannot find the types of 'node'."],
  },
  {
    what: 'the code-quality report of biome, without its warnings',
    format: 'gitlab',
    text: json(
      ['info', 'minor', 'major', 'critical', 'blocker'].map((severity) => ({
        check_name: severity,
        description: 'd',
        severity,
        location: { path: 'a.ts', lines: { begin: 1 } },
      })),
    ),
    complaints: ['a.ts:1 critical d', 'a.ts:1 blocker d'],
  },
  {
    what: 'semgrep, with what a comment suppresses, and a file that it could not parse',
    format: 'semgrep',
    text: json({
      version: '2.1.0',
      runs: [
        {
          invocations: [
            {
              toolExecutionNotifications: [
                {
                  descriptor: { id: 'Syntax error' },
                  message: { text: 'Syntax error at line a b.js:7:\n `f(` was unexpected' },
                },
              ],
            },
          ],
          results: [
            {
              ruleId: 'R',
              message: { text: 'm' },
              locations: at('a.js', 1),
              suppressions: [{ kind: 'inSource' }],
            },
            { ruleId: 'S', message: { text: 'm' }, suppressions: [{ kind: 'external' }] },
          ],
        },
      ],
    }),
    complaints: ['a.js:1 R m', 'a b.js:7 not_scanned Syntax error at line a b.js:7:\n `f(` was unexpected'],
  },
  {
    what: 'golangci-lint, which puts what does not compile on the first line',
    format: 'golangci',
    text: sarifOf({
      ruleId: 'typecheck',
      message: { text: ': # example.org/a\nb/ü x.go:3:23: cannot use "1"' },
      locations: at('b/ü x.go', 1),
    }),
    complaints: ['b/ü x.go:3 typecheck cannot use "1"'],
  },
  {
    what: 'pip-audit, with what it skipped',
    format: 'pip_audit',
    text: json({
      dependencies: [
        { name: 'a', version: '1', vulns: [] },
        { name: 'b', skip_reason: 'not found' },
      ],
    }),
    complaints: ['null:null not_audited not found'],
  },
  {
    what: 'pip-audit',
    format: 'pip_audit',
    text: json({
      dependencies: [
        { name: 'a', version: '1', vulns: [{ id: 'PYSEC-1', fix_versions: ['2'] }] },
        { name: 'b', version: '1', vulns: [] },
      ],
    }),
    complaints: ['null:null PYSEC-1 a 1: PYSEC-1, fixed in 2'],
  },
  {
    what: 'npm audit',
    format: 'npm_audit',
    text: json({
      vulnerabilities: {
        a: {
          via: [
            {
              name: 'b',
              title: 'T',
              url: 'https://github.com/advisories/GHSA-1',
              range: '<2',
              severity: 'high',
            },
          ],
        },
        c: { via: ['a'] },
      },
    }),
    complaints: ['null:null GHSA-1 b <2: T (high)'],
  },
  {
    what: 'cargo audit',
    format: 'cargo_audit',
    text: json({
      vulnerabilities: {
        list: [{ advisory: { id: 'RUSTSEC-1', title: 'T' }, package: { name: 'a', version: '1' } }],
      },
    }),
    complaints: ['null:null RUSTSEC-1 a 1: T'],
  },
];

/** Formats of which an empty text is no report; of the others it is one without complaints. */
const NEVER_EMPTY: readonly ReportFormat[] = [
  'sarif',
  'junit',
  'cargo',
  'cargo_errors',
  'go_test',
  'eslint',
  'eslint_warnings',
  'gitlab',
  'pyright',
  'bandit',
  'pip_audit',
  'npm_audit',
  'cargo_audit',
];

describe('a report', () => {
  for (const { what, format, text, complaints, tests } of CASES)
    test(`is read: ${what}`, async () => {
      const report = (await REPORT_READERS[format]())(text, '/room/tree');
      expect(
        report.findings.map(({ file, line, rule, message }) => `${file}:${line} ${rule} ${message}`),
      ).toEqual(complaints);
      expect(report.cases === null ? null : countTestsRun(report.cases)).toBe(tests ?? null);
    });

  for (const format of NEVER_EMPTY)
    test(`that is empty is none: ${format}`, async () => {
      const read = await REPORT_READERS[format]();
      expect(() => read('', '/room/tree')).toThrow();
      expect(() => read('{}', '/room/tree')).toThrow();
    });

  test('of an audit that had no network is none', async () => {
    const read = await REPORT_READERS.npm_audit();
    expect(() =>
      read('{"message": "request failed", "error": {"code": "ENOTFOUND"}}', '/room/tree'),
    ).toThrow();
  });

  test('is read in the time that its length takes, however hostile its lines', async () => {
    const long = 'a('.repeat(500_000);
    for (const format of [
      'semgrep',
      'golangci',
      'tsc',
      'go_vet',
      'cargo',
      'go_test',
      'go_build',
      'junit',
    ] as const) {
      const read = await REPORT_READERS[format]();
      const text = format === 'go_build' ? json({ Action: 'build-output', Output: `${long}\n` }) : long;
      try {
        expect(read(text, '/room/tree').findings).toEqual([]);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });

  test.each<[string, ReportFormat, string]>([
    ['audited nothing', 'pip_audit', json({ dependencies: [{ name: 'a', skip_reason: 'not found' }] })],
    ['went on without its configuration', 'tsc', "tsconfig.json(1,2): error TS1005: '}' expected.\n"],
    ['had nothing to check', 'tsc', 'error TS18003: No inputs were found.\n'],
  ])('is none of a tool that %s', async (_, format, text) => {
    const read = await REPORT_READERS[format]();
    expect(() => read(text, '/room/tree')).toThrow();
  });

  test('with relative paths is about the folder that the tool ran in', async () => {
    const read = await REPORT_READERS.tsc();
    const text = ['a.ts', '../lib/b.ts', '../../c.ts', '/room/tree/d.ts']
      .map((path) => `${path}(1,1): error TS1: m\n`)
      .join('');
    const { findings } = read(text, { root: '/room/tree', folder: 'web' });
    expect(findings.map(({ file }) => file)).toEqual(['web/a.ts', 'lib/b.ts', null, 'd.ts']);
  });

  test.each(CASES.map(({ what, format, text }) => [what, format, text] as const))(
    'that is written in a subfolder names files below it: %s',
    async (_, format, text) => {
      const read = await REPORT_READERS[format]();
      const top = read(text, '/room/tree').findings.map(({ file }) => file);
      const below = read(text, { root: '/room/tree', folder: 'sub' }).findings.map(({ file }) => file);
      for (const [index, file] of top.entries())
        if (file !== null) expect([file, `sub/${file}`]).toContain(below[index]);
      const relative = top.filter((file) => file !== null && !text.includes('/room/tree/'));
      for (const [index, file] of top.entries())
        if (relative.includes(file)) expect(below[index]).toBe(`sub/${file}`);
    },
  );

  test('never names a file outside of the checkout', async () => {
    const read = await REPORT_READERS.sarif();
    fc.assert(
      fc.property(fc.string(), (uri) => {
        const [first] = read(
          sarifOf({ ruleId: 'X', message: { text: 'm' }, locations: at(uri, 1) }),
          '/room/tree',
        ).findings;
        // `.. ` is a name like any other.
        expect(first?.file?.split('/')[0]).not.toBe('..');
        expect(first?.file?.startsWith('/') ?? false).toBe(false);
      }),
    );
  });
});
