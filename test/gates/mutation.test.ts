import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { agentTestMutationGate } from '../../gates/gates/agent-test-mutation.ts';
import { mutationTestingGate } from '../../gates/gates/mutation-testing.ts';
import { parseMutationReport } from '../../gates/tests/mutation/mutation-report.ts';
import { parseMutationScore } from '../../gates/tests/mutation/run-mutation.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

describe('a score in prose', () => {
  test.each([
    ['Mutation score: 87.5%', 0.875],
    ['mutation_score = 0.4', 0.4],
    ['The mutation score is 0.750000 (6 passed, 2 failed, 0 duplicated, 0 skipped, total is 8)', 0.75],
    ['Mutation Score Indicator (MSI): 41%', 0.41],
    ['killed: 8, survived: 2', 0.8],
    ['3 survived\n9 killed', 0.75],
    ['Killed 7 of 10 mutants', 0.7],
    ['8/10 mutants killed', 0.8],
    ['30 mutants tested in 5s: 3 missed, 25 caught, 2 unviable', 25 / 28],
    ['⠋ 1/12  🎉 1  ⏰ 0  🤔 0  🙁 0  🔇 0\r⠙ 12/12  🎉 8  ⏰ 1  🤔 1  🙁 2  🔇 0', 0.75],
    ['killed 1, survived 1\nkilled 9, survived 1', 0.9],
    ['mutation score: 90%\nmutation score: 20%', 0.2],
  ])('%j is %d', (output, score) => {
    expect(parseMutationScore(output)).toBeCloseTo(score, 10);
  });

  test.each([
    '2026/11/21 10:30:00 starting',
    'Collected 12/12 tests',
    'src/1/2/killed.py',
    'killed.py:3: survived.py:4',
    'mutmut 3.2/3.3',
    'killed 2026-11-21, survived 2026-11-22',
    '1/2',
    'mutation score 2026-11-21',
    'mutation score v1.2.3',
    'mutation score: 150%',
    'killed 4',
    'killed 0, survived 0',
    'date 3/4 killed-list 5/6',
    '',
  ])('%j is none', (output) => {
    expect(parseMutationScore(output)).toBeNull();
  });

  test('is never taken from a date, a path or a version, whatever they are', () => {
    const part = fc.integer({ min: 0, max: 9_999 });
    fc.assert(
      fc.property(part, part, part, fc.constantFrom('/', '-', '.', ':'), (a, b, c, between) => {
        const strange = [a, b, c].join(between);
        expect(
          parseMutationScore(
            `${strange} run\nfile/${strange}/x.py\nv${strange}\nat ${strange} killed.py\nsurvived ${strange}`,
          ),
        ).toBeNull();
      }),
    );
  });

  test('is the share that was noticed, however the summary is put', () => {
    const count = fc.integer({ min: 0, max: 99_999 });
    fc.assert(
      fc.property(count, count, (killed, survived) => {
        fc.pre(killed + survived > 0);
        const share = killed / (killed + survived);
        for (const line of [
          `${killed} killed, ${survived} survived`,
          `Survived: ${survived} Killed: ${killed}`,
          `killed ${killed}/${killed + survived}`,
        ])
          expect(parseMutationScore(line)).toBeCloseTo(share, 10);
      }),
    );
  });

  test('is looked for in linear time', () => {
    for (const piece of ['killed ', 'mutation score ', '1/', '1 ', '\t', '🎉 1'])
      expect(parseMutationScore(piece.repeat(Math.floor(1_000_000 / piece.length)))).toBeNull();
  });
});

const mutant = (status: string, line: number) => ({
  status,
  mutatorName: 'X',
  location: { start: { line } },
});
const STRYKER = JSON.stringify({
  schemaVersion: '1.0',
  files: {
    'src/a.ts': {
      mutants: [mutant('Killed', 1), mutant('Timeout', 2), mutant('Survived', 3), mutant('CompileError', 4)],
    },
    'src/b.ts': { mutants: [mutant('NoCoverage', 1), mutant('Ignored', 2)] },
  },
});
const outcome = (summary: string, line: number) => ({
  summary,
  scenario: { Mutant: { file: 'src/lib.rs', name: 'replace f', span: { start: { line } } } },
});
const CARGO = JSON.stringify({
  outcomes: [
    { summary: 'Success', scenario: 'Baseline' },
    outcome('CaughtMutant', 1),
    outcome('MissedMutant', 7),
    outcome('Unviable', 3),
    outcome('Timeout', 4),
  ],
});
const GREMLINS = JSON.stringify({
  mutants_total: 4,
  files: [
    {
      file_name: 'a/a.go',
      mutations: [
        { line: 3, type: 'ARITHMETIC_BASE', status: 'KILLED' },
        { line: 4, type: 'ARITHMETIC_BASE', status: 'LIVED' },
        { line: 5, type: 'ARITHMETIC_BASE', status: 'NOT COVERED' },
        { line: 6, type: 'ARITHMETIC_BASE', status: 'NOT VIABLE' },
        { line: 7, type: 'ARITHMETIC_BASE', status: 'TIMED OUT' },
      ],
    },
  ],
});

describe('a report', () => {
  test.each([
    ['Stryker', STRYKER, 2, 2, ['src/a.ts:3', 'src/b.ts:1']],
    ['cargo-mutants', CARGO, 2, 1, ['src/lib.rs:7']],
    ['gremlins', GREMLINS, 1, 2, ['a/a.go:4', 'a/a.go:5']],
  ])('of %s says which changes survived', (_, text, killed, survived, places) => {
    const report = parseMutationReport(text);
    expect(report).toMatchObject({ killedCount: killed, survivedCount: survived });
    const alive = report?.mutants
      ?.filter((each) => !each.isKilled)
      .map(({ file, line }) => `${file}:${line}`);
    expect(alive).toEqual(places);
  });

  test.each([
    [
      'mutmut',
      { killed: 7, survived: 1, timeout: 1, no_tests: 1, suspicious: 0, skipped: 4, total: 14 },
      8,
      2,
    ],
    [
      'go-mutesting',
      { stats: { totalMutantsCount: 9, killedCount: 6, escapedCount: 2, notCoveredCount: 1 } },
      6,
      3,
    ],
  ])('of %s has counts', (_, json, killed, survived) => {
    expect(parseMutationReport(JSON.stringify(json))).toEqual({
      killedCount: killed,
      survivedCount: survived,
      mutants: null,
    });
  });

  test.each(['', '{}', '[]', 'killed 3', '{"killed":"3"}', '{"outcomes":{}}'])('is not %j', (text) => {
    expect(parseMutationReport(text)).toBeNull();
  });
});

const BASE: FileContents = {
  'src/a.py': 'X = 1\n',
  'src/b.py': 'Y = 1\n',
  'tests/test_a.py': 'import a\n',
  'src/__init__.py': '',
};
const SOURCE: FileEdits = { 'src/a.py': 'X = 2\n' };
const TEST: FileEdits = { 'tests/test_a.py': 'from src import a\n' };

describe('mutation_testing with a command', () => {
  const run = (command: string, more: Readonly<Record<string, unknown>> = {}) =>
    runGate(mutationTestingGate, BASE, SOURCE, { settings: { mutation_command: command, ...more } });

  test.each([
    ['prints a good score', 'echo "mutation score: 50%"', {}, 'passed', { score: 0.5, threshold: 0.5 }],
    [
      'prints a bad one and exits with 0',
      'echo "2026/11/21"; echo "4 killed, 6 survived"',
      {},
      'failed',
      { score: 0.4 },
    ],
    [
      'has to be better',
      'echo "mutation score: 60%"',
      { mutation_threshold: 0.9 },
      'failed',
      { threshold: 0.9 },
    ],
    ['prints none that can be read and ends well', 'echo 42/100; exit 0', {}, 'could_not_run', {}],
    ['made no mutant and ends well', 'echo 0/0 mutants killed', {}, 'could_not_run', {}],
    ['prints nothing at all and ends well', 'true', {}, 'could_not_run', {}],
    ['prints none and fails', 'echo 9/10; exit 1', {}, 'failed', {}],
    ['is not there', 'no-such-tool-at-all', {}, 'could_not_run', {}],
    [
      'writes a report',
      `mkdir -p reports/mutation; echo '${STRYKER.replaceAll('src/a.ts', 'src/a.py')}' > reports/mutation/mutation.json; echo "mutation score: 90%"; exit 1`,
      {},
      'passed',
      { killed: 2, survived: 1 },
    ],
    [
      'writes a report that its own output denies',
      `echo '{"killed":9,"survived":1}' > "$REPORT"; echo "mutation score: 1%"`,
      {},
      'failed',
      { score: 0.01 },
    ],
    [
      'leaves two reports',
      `mkdir mutants.out; echo '${CARGO.replaceAll('src/lib.rs', 'src/a.py')}' > mutants.out/outcomes.json; echo '{"killed":1,"survived":9}' > report.json`,
      {},
      'failed',
      { score: 0.1 },
    ],
    [
      'writes a report without changes',
      `echo '{"killed":0,"survived":0}' > "$REPORT"`,
      {},
      'could_not_run',
      {},
    ],
    [
      'is told the changed files',
      'test "$*" = ./src/a.py || exit 9; echo "mutation score: 100%"',
      {},
      'passed',
      {},
    ],
  ])('that %s', async (_, command, more, expected, facts) => {
    const result = await run(command, more);
    expect(result).toMatchObject({ outcome: expected, facts });
  });

  test('does not believe a report that the patch brings along', async () => {
    const edits = { ...SOURCE, 'reports/mutation/mutation.json': STRYKER };
    const result = await runGate(mutationTestingGate, BASE, edits, {
      settings: { mutation_command: 'echo "mutation score: 3%"' },
    });
    expect(result).toMatchObject({ outcome: 'failed', facts: { score: 0.03 } });
  });

  test('says nothing about a patch of tests alone', async () => {
    const result = await runGate(mutationTestingGate, BASE, TEST, {
      settings: { mutation_command: 'exit 1' },
    });
    expect(result.outcome).toBe('skipped');
  });
});

describe('mutation_testing with the tool of the language', () => {
  const withTool = (name: string, script: string): void => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
    vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  };

  test('could not run without it, and says how to get it', async () => {
    vi.stubEnv('PATH', '/usr/bin:/bin');
    const result = await runGate(mutationTestingGate, BASE, SOURCE);
    expect(result).toMatchObject({
      outcome: 'could_not_run',
      detail: 'mutmut is not installed in the prepared checkout; to get it: pip install "mutmut>=3"',
    });
  });

  test('limits it to the changed modules and reads its report', async () => {
    withTool(
      'mutmut',
      'case $1 in --version) echo 3.3.1;; run) echo "$2" > /dev/stderr; [ "$*" = "run a.*" ];; *) mkdir mutants; echo \'{"killed":1,"survived":2}\' > mutants/mutmut-cicd-stats.json;; esac',
    );
    const result = await runGate(mutationTestingGate, BASE, SOURCE);
    expect(result).toMatchObject({
      outcome: 'failed',
      detail: 'the tests notice 33.3 % of the changes, and must notice 50 %',
      facts: { tool: 'mutmut', tool_version: '3.3.1', killed: 1, survived: 2 },
    });
  });

  test('lists the survivors of the changed files only', async () => {
    withTool(
      'stryker',
      `case $1 in --version) echo 9.0.0;; *) [ "$*" = "run --reporters json --mutate src/a.ts" ] || exit 9; mkdir -p reports/mutation; echo '${STRYKER}' > reports/mutation/mutation.json;; esac`,
    );
    const result = await runGate(mutationTestingGate, {}, { 'src/a.ts': 'export const a = 1;\n' });
    expect(result).toMatchObject({ outcome: 'passed', facts: { killed: 2, survived: 1 } });
    expect(result.findings).toEqual([
      { file: 'src/a.ts', line: 3, rule: 'mutant_survived', message: 'no test notices this change: X' },
    ]);
  });
});

describe('agent_test_mutation', () => {
  const run = (edits: FileEdits, command: string) =>
    runGate(agentTestMutationGate, BASE, edits, { settings: { agent_test_mutation_command: command } });

  test('changes the code that the changed tests import, and asks for more', async () => {
    const command = 'test "$*" = ./src/a.py || exit 9; echo "mutation score: 69%"';
    expect(await run(TEST, command)).toMatchObject({
      outcome: 'failed',
      facts: { score: 0.69, threshold: 0.7 },
    });
  });

  test('says nothing about tests that import nothing of the project', async () => {
    const result = await run({ 'tests/test_new.py': 'import os\n' }, 'echo "mutation score: 99%"');
    expect(result).toMatchObject({
      outcome: 'skipped',
      detail: 'the changed tests import no code of the project',
    });
  });
});
