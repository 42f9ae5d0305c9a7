import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateContext, GateResult } from '../../../../gates/core/gate.ts';
import { lintGate } from '../../../../gates/gates/lint.ts';
import { testIntegrityGate } from '../../../../gates/gates/test-integrity.ts';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { createFileCache } from '../../../../gates/pipeline/cache/file-cache.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';
import { type FileContents, type FileEdits, runGate } from '../../../support/patch-fixture.ts';
import { listMissingPrograms } from '../../../support/test-tools.ts';

const HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\n";
const CODE = "const { sum, half } = require('../code.js');\n";
const SUM = "test('adds', () => assert.equal(sum(2, 3), 5));\n";
const HALF = "test('halves', () => assert.equal(half(4), 2));\n";

/** The base halves wrongly, and one test says so. */
const RED: FileContents = {
  'code.js': 'exports.sum = (a, b) => a + b;\nexports.half = (n) => n / 3;\n',
  'test/sum.test.js': `${HEAD}${CODE}${SUM}`,
  'test/half.test.js': `${HEAD}${CODE}${HALF}`,
};
const GREEN: FileContents = {
  ...RED,
  'code.js': 'exports.sum = (a, b) => a + b;\nexports.half = (n) => n / 2;\n',
};
const code = (sum: string, half = '(n) => n / 3', more = ''): string =>
  `exports.sum = ${sum};\nexports.half = ${half};\n${more}`;
const PLUS = '(a, b) => b + a';

const NO_PYTEST = listMissingPrograms([{ needs: 'pytest' }]).length > 0;

const COMMANDS: readonly (readonly [string, string])[] = [
  ['TAP in its output', 'node --test --test-reporter=tap'],
  ['JUnit XML in $REPORT', 'node --test --test-reporter=junit --test-reporter-destination="$REPORT"'],
];

const run = (base: FileContents, edits: FileEdits, command: string, context: Partial<GateContext> = {}) =>
  runGate(testsGate, base, edits, {
    settings: {
      tests: true,
      test_command: command,
      perturbed_environment: false,
      mutants: { enabled: false },
    },
    context,
  });

/** `rule (state)` of each finding of the comparison. */
const shown = ({ findings }: GateResult): string[] =>
  findings
    .filter(({ rule }) => !/^test_(modified|deleted|weakened|base_version_fails)$/.test(rule))
    .map(({ rule, baseline, message }) =>
      `${rule} ${baseline ?? '-'} ${/"|adds|halves|more|other/.exec(message)?.[0] ?? ''}`.trim(),
    );

interface Case {
  readonly what: string;
  readonly base?: FileContents;
  readonly edits: FileEdits;
  readonly outcome: GateResult['outcome'];
  readonly findings: readonly string[];
  /** It is another matter where a report names files. */
  readonly files?: true;
}

const CASES: readonly Case[] = [
  {
    what: 'a failure that the base has too does not fail a patch, and is reported',
    edits: { 'code.js': code(PLUS) },
    outcome: 'passed',
    findings: ['test_failed unchanged halves'],
  },
  {
    what: 'a new failure fails it, beside an old one',
    edits: { 'code.js': code('(a, b) => a - b') },
    outcome: 'failed',
    findings: ['test_failed new adds', 'test_failed unchanged halves'],
    files: true,
  },
  {
    what: 'a repaired failure is no failure, and a new one beside it is',
    edits: { 'code.js': code('(a, b) => a - b', '(n) => n / 2') },
    outcome: 'failed',
    findings: ['test_failed new adds'],
  },
  {
    what: 'a new failure on a green base fails it',
    base: GREEN,
    edits: { 'code.js': code(PLUS) },
    outcome: 'failed',
    findings: ['test_failed new halves'],
  },
  {
    what: 'a test that the patch writes has to pass, also where the base fails',
    edits: {
      'code.js': code(PLUS),
      'test/more.test.js': `${HEAD}${CODE}test('more', () => assert.equal(half(8), 4));\n`,
    },
    outcome: 'failed',
    findings: ['test_failed new more', 'test_failed unchanged halves'],
    files: true,
  },
  {
    what: 'a new test does not hide behind the name of an old failure',
    edits: {
      'code.js': code(PLUS, '(n) => n / 2'),
      'test/more.test.js': `${HEAD}${CODE}test('halves', () => assert.equal(sum(1, 1), 3));\n`,
    },
    outcome: 'failed',
    findings: ['test_failed new halves'],
    files: true,
  },
  {
    what: 'nor does it where the old failure is still there',
    edits: {
      'code.js': code(PLUS),
      'test/half.test.js': `${HEAD}${CODE}${HALF}test('halves', () => assert.equal(sum(1, 1), 3));\n`,
    },
    outcome: 'failed',
    findings: ['test_failed new halves', 'test_failed new halves'],
  },
  {
    what: 'a test that passes on the base must not be lost from a run that fails',
    edits: {
      'code.js': code(PLUS),
      // The runner of this file is ended before it has reported its test.
      'test/sum.test.js': `${HEAD}${CODE}if (Number('1')) process.exit(0);\n${SUM}`,
    },
    outcome: 'failed',
    findings: ['test_missing new adds', 'test_failed unchanged halves'],
    files: true,
  },
  {
    what: 'nor be skipped by what the code says',
    base: {
      ...RED,
      'code.js': code('(a, b) => a + b', undefined, 'exports.slow = false;\n'),
      'test/sum.test.js': `${HEAD}${CODE}const { slow } = require('../code.js');\ntest('adds', { skip: slow }, () => assert.equal(sum(2, 3), 5));\n`,
    },
    edits: { 'code.js': code('(a, b) => a - b', undefined, 'exports.slow = true;\n') },
    outcome: 'failed',
    findings: ['test_skipped new adds', 'test_failed unchanged halves'],
  },
  {
    what: 'a test that goes away with its subject is shown to a person',
    base: {
      ...RED,
      'old.js': 'exports.other = 1;\n',
      'test/old.test.js': `${HEAD}test('other', () => assert.equal(require('../old.js').other, 1));\n`,
    },
    edits: { 'old.js': null, 'test/old.test.js': null },
    outcome: 'could_not_run',
    findings: ['run_test_lost - other', 'run_old_test_fails - other', 'test_failed unchanged halves'],
    files: true,
  },
  {
    what: 'a renamed test is not missed, and its failure is still the old one',
    edits: { 'test/half.test.js': null, 'test/half-more.test.js': `${HEAD}${CODE}${HALF}` },
    outcome: 'passed',
    findings: ['test_failed unchanged halves'],
    files: true,
  },
];

describe('the tests, with', () => {
  for (const [how, command] of COMMANDS)
    for (const { what, base = RED, edits, outcome, findings } of CASES.filter(
      (each) => how.startsWith('TAP') || each.files,
    ))
      test(`${how}: ${what}`, async () => {
        const result = await run(base, edits, command);
        expect(shown(result), result.detail).toEqual(findings);
        expect(result).toMatchObject({ outcome, kind: 'executed' });
        expect(result.facts).toMatchObject({ baseline: 'run' });
      });
});

describe('the tests', () => {
  test('of which nobody names one hold for a person where the base fails too', async () => {
    const result = await run(RED, { 'code.js': code(PLUS) }, 'node --test > /dev/null 2>&1 && true');
    expect(result).toMatchObject({
      outcome: 'could_not_run',
      detail: expect.stringContaining('on the base too'),
    });
  });

  test('of which nobody names one fail where the base passes', async () => {
    const result = await run(GREEN, { 'code.js': code(PLUS) }, 'node --test > /dev/null 2>&1');
    expect(result).toMatchObject({ outcome: 'failed', facts: { baseline_outcome: 'passed' } });
  });

  test('that break as a whole fail, where the base names its tests', async () => {
    const command = `node -e "require('./code.js')" && node --test --test-reporter=tap`;
    const result = await run(RED, { 'code.js': 'process.exit(1);\n' }, command);
    expect(result).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('the run broke') });
  });

  test('that stop at the first failure say nothing about the rest', async () => {
    const command = 'node --test --test-reporter=tap # --bail';
    const result = await run(RED, { 'code.js': code(PLUS) }, command);
    expect(result.outcome).toBe('could_not_run');
    expect(shown(result)).toContain('stopped_early -');
  });

  test('that end with another code than on the base hold for a person', async () => {
    const command = 'node --test --test-reporter=tap || exit $(grep -c . code.js)0';
    const result = await run(RED, { 'code.js': code(PLUS, undefined, '// more\n') }, command);
    expect(result.outcome).toBe('could_not_run');
    expect(shown(result)).toContain('other_exit_code -');
  });

  test('that were not run, although the patch wrote them, are not believed to pass', async () => {
    const command = 'node --test --test-reporter=tap test/half.test.js test/sum.test.js';
    const edits = {
      'code.js': code(PLUS),
      'test/more.test.js': `${HEAD}${CODE}test('more', () => assert.ok(sum));\n`,
    };
    const result = await run(RED, edits, command);
    expect(result).toMatchObject({ outcome: 'could_not_run' });
    expect(shown(result)).toContain('test_not_run -');
  });

  test.skipIf(NO_PYTEST)('that are ended from inside, with exit 0, have not passed', async () => {
    const result = await run(
      {
        'code.py': 'X = 1\n',
        'test_code.py': 'import code_\n\ndef test_x():\n    assert code_.X\n',
        'code_.py': 'X = 1\n',
      },
      { 'code_.py': 'import os\ngetattr(os, "_ex" + "it")(0)\n' },
      'python3 -m pytest -q -p no:cacheprovider',
    );
    expect(result).toMatchObject({ outcome: 'could_not_run', detail: expect.stringContaining('no report') });
  });

  test('whose report the code under test may have written again hold for a person', async () => {
    const forge = "process.on('exit', () => require('node:fs').writeFileSync(process.env.REPORT, ''));\n";
    const result = await run(
      RED,
      { 'code.js': code(PLUS, undefined, forge) },
      'node --test --test-reporter=tap',
    );
    expect(result.outcome).toBe('could_not_run');
    expect(shown(result)).toContain('report_named -');
  });

  test('fail for a patch that changes nothing, whatever the base says', async () => {
    const result = await run(RED, {}, 'node --test --test-reporter=tap');
    expect(result).toMatchObject({ outcome: 'failed' });
  });

  test('that a report calls failed have failed, whatever the exit code says', async () => {
    const command = 'node --test --test-reporter=tap || true';
    expect(await run(GREEN, { 'code.js': code(PLUS) }, command)).toMatchObject({ outcome: 'failed' });
  });

  test('that a forged report calls passed have failed where the exit code says so', async () => {
    const command = 'echo "TAP version 13\nok 1 - all is well\n1..1"; node --test > /dev/null 2>&1';
    const result = await run(GREEN, { 'code.js': code(PLUS) }, command);
    expect(result).toMatchObject({ outcome: 'failed', findings: expect.any(Array) });
  });

  test('that leave no report in $REPORT, although they should, have not passed', async () => {
    const result = await run(
      GREEN,
      { 'code.js': code(PLUS, '(n) => n / 2') },
      'node --test > /dev/null; : "$REPORT"',
    );
    expect(result).toMatchObject({ outcome: 'could_not_run', detail: expect.stringContaining('no report') });
  });

  test('of which none ran have not passed', async () => {
    const result = await run(
      GREEN,
      { 'code.js': code(PLUS) },
      'node --test --test-reporter=tap nowhere/*.js || true',
    );
    expect(result.outcome).not.toBe('passed');
  });

  test('hand on every case with its outcome and time', async () => {
    const result = await run(GREEN, { 'code.js': code(PLUS, '(n) => n / 2') }, COMMANDS[1]?.[1] ?? '');
    expect(result).toMatchObject({ outcome: 'passed', detail: '2 tests ran' });
    expect(result.tests?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'test > adds', file: 'test/sum.test.js', outcome: 'passed', duration_ms: expect.any(Number) },
      {
        name: 'test > halves',
        file: 'test/half.test.js',
        outcome: 'passed',
        duration_ms: expect.any(Number),
      },
    ]);
  });

  test('that the patch takes away are compared with the base too', async () => {
    const edits = { 'test/half.test.js': `${HEAD}${CODE}` };
    const result = await run(RED, edits, 'node --test --test-reporter=tap');
    // It fails on the base, and would fail still: a person is asked why it went.
    expect(result).toMatchObject({ outcome: 'could_not_run', findings: [{ rule: 'run_old_test_fails' }] });
    const integrity = await runGate(testIntegrityGate, RED, edits, {
      settings: { tests: true, test_command: 'node --test --test-reporter=tap' },
    });
    expect(integrity.findings.map(({ rule }) => rule)).toEqual(['test_removed']);
  });
});

describe('what the base says', () => {
  const SURROUNDINGS = { build: 'b', node: 'v', image: null, environment: {} };
  const asked = (folder: string): number => readFileSync(join(folder, 'asked'), 'utf8').length;
  const counting = (folder: string, line: string): string => `printf x >> ${join(folder, 'asked')}; ${line}`;
  const TAP = 'node --test --test-reporter=tap';

  test('is asked once for all runs that depend on the same', async () => {
    const folder = createTemporaryFolder();
    const baselineCache = createFileCache(join(folder, 'memory'));
    const context = { baselineCache, executionEnvironment: SURROUNDINGS };
    const line = counting(folder, TAP);
    await run(GREEN, { 'code.js': code(PLUS, '(n) => n / 2') }, line, context);
    expect(asked(folder)).toBe(2);
    await run(RED, { 'code.js': code(PLUS) }, line, context);
    expect(asked(folder)).toBe(4);
    const again = await run(RED, { 'code.js': code('(a, b) => a - b') }, line, context);
    // The base is not asked again; the new failure is confirmed by a second run.
    expect(asked(folder)).toBe(6);
    expect(again).toMatchObject({ outcome: 'failed', facts: { baseline: 'kept', baseline_tests: 2 } });
    await run(RED, { 'code.js': code(PLUS) }, line, {
      ...context,
      executionEnvironment: { ...SURROUNDINGS, build: 'c' },
    });
    expect(asked(folder)).toBe(8);
  });

  test('is kept nowhere when nobody knows what it depends on', async () => {
    const folder = createTemporaryFolder();
    const baselineCache = createFileCache(join(folder, 'memory'));
    await run(RED, { 'code.js': code(PLUS) }, counting(folder, TAP), {
      baselineCache,
      executionEnvironment: null,
    });
    await run(RED, { 'code.js': code(PLUS) }, counting(folder, TAP), {
      baselineCache,
      executionEnvironment: null,
    });
    expect(asked(folder)).toBe(4);
  });

  test('is not kept when it could not be determined', async () => {
    const folder = createTemporaryFolder();
    const baselineCache = createFileCache(join(folder, 'memory'));
    const context = { baselineCache, executionEnvironment: SURROUNDINGS, timeoutMs: 3_000 };
    const line = counting(folder, `if grep -q 'a + b' code.js; then sleep 60; fi; ${TAP}`);
    // The patch, the base, and the patch again: what fails once may be flaky.
    for (const times of [3, 6]) {
      const result = await run(RED, { 'code.js': code('(a, b) => a - b') }, line, context);
      expect(result).toMatchObject({ outcome: 'failed', facts: { baseline_outcome: 'timed_out' } });
      expect(asked(folder)).toBe(times);
    }
  });

  test('counts for lint too, which reads SARIF from $REPORT', async () => {
    const sarif = (...lines: number[]): string =>
      JSON.stringify({
        version: '2.1.0',
        runs: [
          {
            results: lines.map((startLine) => ({
              ruleId: 'R',
              message: { text: 'bad' },
              locations: [{ physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine } } }],
            })),
          },
        ],
      });
    const look = (before: string, after: string) =>
      runGate(
        lintGate,
        { 'a.js': '1\n2\n', 'out.json': before },
        { 'a.js': '1\n2\n3\n', 'out.json': after },
        { settings: { lint_command: 'cp out.json "$REPORT"; exit 1' } },
      );
    expect(await look(sarif(1), sarif(1))).toMatchObject({
      outcome: 'passed',
      findings: [{ rule: 'R', line: 1, baseline: 'unchanged' }],
    });
    expect(await look(sarif(1), sarif(1, 3))).toMatchObject({ outcome: 'failed' });
    expect(await look('', '')).toMatchObject({ outcome: 'could_not_run' });
  });
});
