import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readProjectCodeRevisions } from '../../gates/code/project-code.ts';
import { isTestFile } from '../../gates/code/test-reachability.ts';
import { testExpansionGate } from '../../gates/gates/test-expansion.ts';
import { testsGate } from '../../gates/gates/tests.ts';
import {
  buildSelectedTestsCommand,
  selectAffectedTests,
} from '../../gates/rules/tests/selected-tests-command.ts';
import { createSubject, type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

const PYTHON: FileContents = {
  'src/app/__init__.py': '',
  'src/app/core.py': 'X = 1\n',
  'src/app/api.py': 'from app.core import X\n',
  'src/app/lonely.py': 'Y = 1\n',
  'src/app/named.py': 'Z = 1\n',
  'tests/helpers.py': 'from app import api\n',
  'tests/test_core.py': 'from app.core import X\n',
  'tests/test_api.py': 'import helpers\n',
  'tests/test_other.py': 'import os\n',
  'tests/test_named.py': 'print(1)\n',
  'tests/conftest.py': '',
  'README.md': 'a\n',
  'data/rows.sql': 'select 1;\n',
};
const OTHERS: FileContents = {
  'go.mod': 'module example.org/app\n',
  'a/a.go': 'package a\n',
  'a/a_test.go': 'package a\n',
  'b/b.go': 'package b\n\nimport "example.org/app/a"\n',
  'b/b_test.go': 'package b_test\n\nimport "example.org/app/b"\n',
  'web/x.ts': 'export const x = 1;\n',
  'web/y.ts': "export * from './x.js';\n",
  'web/y.test.ts': "import { x } from './y';\n",
  'web/z.spec.ts': "import './other';\n",
  'web/plugins.test.js': 'const name = process.argv[2];\nimport(name);\n',
  'crate/Cargo.toml': '[package]\nname = "c"\n',
  'crate/src/lib.rs': 'pub fn f() {}\n',
};

interface Case {
  readonly what: string;
  readonly base?: FileContents;
  readonly edits: FileEdits;
  /** Words of the reason for running everything, or the selected files. */
  readonly selects: string | readonly string[];
}

const CASES: readonly Case[] = [
  {
    what: 'a source: its tests, direct and through others',
    edits: { 'src/app/core.py': 'X = 2\n' },
    selects: ['tests/test_api.py', 'tests/test_core.py'],
  },
  {
    what: 'a source that is imported by others only',
    edits: { 'src/app/api.py': 'from app.core import X\nX\n' },
    selects: ['tests/test_api.py'],
  },
  {
    what: 'a test: itself',
    edits: { 'tests/test_other.py': 'import sys\n' },
    selects: ['tests/test_other.py'],
  },
  {
    what: 'a helper of the tests: those that use it',
    edits: { 'tests/helpers.py': 'A = 1\n' },
    selects: ['tests/test_api.py'],
  },
  {
    what: 'a source that no test imports, by name',
    edits: { 'src/app/named.py': 'Z = 2\n' },
    selects: ['tests/test_named.py'],
  },
  {
    what: 'a deleted source: the tests that imported it',
    edits: { 'src/app/core.py': null },
    selects: ['tests/test_api.py', 'tests/test_core.py'],
  },
  {
    what: 'prose beside a source',
    edits: { 'src/app/api.py': 'A = 1\n', 'README.md': 'b\n' },
    selects: ['tests/test_api.py'],
  },
  {
    what: 'a source without tests',
    edits: { 'src/app/lonely.py': 'Y = 2\n', 'src/app/core.py': 'X = 2\n' },
    selects: 'no test is found for src/app/lonely.py',
  },
  { what: 'set-up of the tests', edits: { 'tests/conftest.py': 'x = 1\n' }, selects: 'set-up code' },
  {
    what: 'data that is no code',
    edits: { 'data/rows.sql': 'select 2;\n' },
    selects: 'no code that we can follow',
  },
  {
    what: 'a source that cannot be read',
    edits: { 'src/app/core.py': 'X = (\n' },
    selects: 'cannot be read',
  },
  { what: 'prose alone', edits: { 'README.md': 'c\n' }, selects: 'nothing that any test imports' },
  {
    what: 'a deleted test alone',
    edits: { 'tests/test_other.py': null },
    selects: 'nothing that any test imports',
  },
  {
    what: 'a Go package: the packages of its tests and of those that import it',
    base: OTHERS,
    edits: { 'a/a.go': 'package a\n\nvar A = 1\n' },
    selects: ['./a', './b', 'web/plugins.test.js'],
  },
  {
    what: 'a TypeScript module, through a barrel; a test that loads anything is always among them',
    base: OTHERS,
    edits: { 'web/x.ts': 'export const x = 2;\n' },
    selects: ['web/plugins.test.js', 'web/y.test.ts'],
  },
  {
    what: 'Rust, whose tests are in the same files',
    base: OTHERS,
    edits: { 'crate/src/lib.rs': 'pub fn g() {}\n' },
    selects: 'tests of Rust',
  },
  {
    what: 'dependencies',
    base: OTHERS,
    edits: { 'go.mod': 'module example.org/app\n\ngo 1.24\n' },
    selects: 'where known dependencies come from',
  },
];

describe('the tests for a patch', () => {
  test.each(CASES)('$what', async ({ base = PYTHON, edits, selects }) => {
    const subject = await createSubject(base, edits);
    const selection = selectAffectedTests(
      await readProjectCodeRevisions(subject, Number.POSITIVE_INFINITY),
      subject.changes,
    );
    if (typeof selects === 'string')
      expect(selection).toMatchObject({ kind: 'all', reason: expect.stringContaining(selects) });
    else expect(selection).toMatchObject({ kind: 'files', files: selects });
  });
});

describe('a test command with {files} in it', () => {
  const lineOn = async (edits: FileEdits, which: 'tree' | 'base', base: FileContents = PYTHON) => {
    const subject = await createSubject(base, edits);
    return buildSelectedTestsCommand(subject, 'pytest -q {files} --last', subject[which], 60_000);
  };

  test('gets the selected tests, quoted', async () => {
    const edits = { 'src/app/core.py': 'X = 2\n', "tests/test_it's $(new).py": 'from app.core import X\n' };
    expect(await lineOn(edits, 'tree')).toBe(
      "pytest -q 'tests/test_api.py' 'tests/test_core.py' 'tests/test_it'\\''s $(new).py' --last",
    );
  });

  test('gets a test that the patch deletes where the tree still has it', async () => {
    const edits = { 'src/app/api.py': 'A = 1\n', 'tests/test_core.py': null };
    expect(await lineOn(edits, 'base')).toContain("'tests/test_core.py'");
    expect(await lineOn(edits, 'tree')).not.toContain('test_core');
  });

  test('runs everything when nobody can tell', async () => {
    expect(await lineOn({ 'tests/conftest.py': 'x = 1\n' }, 'tree')).toBe('pytest -q  --last');
  });

  test('is filled in by the tests gate, which runs all of any other command', async () => {
    const run = (command: string) =>
      runGate(
        testsGate,
        PYTHON,
        { 'src/app/api.py': 'A = 1\n' },
        { settings: { tests: true, test_command: command } },
      );
    expect(await run('echo {files} | grep -qx tests/test_api.py')).toMatchObject({
      outcome: 'passed',
      facts: { tests_selected: '1 of 4 test files import what was changed' },
    });
    expect((await run('test $(ls tests | wc -l) = 6')).outcome).toBe('passed');
  });
});

test('a file is a test by the conventions of the runners, wherever it lies', () => {
  const yes = [
    'test_a.py',
    'x/a_test.py',
    'a.test.ts',
    'a.spec.mjs',
    'x/__tests__/a.js',
    'a_test.go',
    'c/tests/it.rs',
    'src/tests.rs',
    'test.js',
    'a-test.tsx',
  ];
  const no = [
    'tests/helpers.py',
    'conftest.py',
    'contest.ts',
    'latest.js',
    'testing.go',
    'src/contests.rs',
    'x/__tests__/data.json',
  ];
  expect(yes.filter((path) => !isTestFile(path))).toEqual([]);
  expect(no.filter(isTestFile)).toEqual([]);
});

test('whatever chain of imports leads to a change, the test at its end is selected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat(), async (length, at) => {
      const changed = at % length;
      const chain = Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `m${index}.py`,
          index === 0 ? 'X = 1\n' : `import m${index - 1}\n`,
        ]),
      );
      const base = { ...chain, 'test_end.py': `import m${length - 1}\n`, 'test_else.py': 'import os\n' };
      const subject = await createSubject(base, { [`m${changed}.py`]: `${chain[`m${changed}.py`]}Y = 2\n` });
      const selection = selectAffectedTests(
        await readProjectCodeRevisions(subject, Number.POSITIVE_INFINITY),
        subject.changes,
      );
      expect(selection).toMatchObject({ kind: 'files', files: ['test_end.py'] });
    }),
    { numRuns: 8 },
  );
});

describe('test_expansion', () => {
  test('lists changed code that no test reaches, and never fails', async () => {
    const result = await runGate(
      testExpansionGate,
      { ...PYTHON, ...OTHERS },
      {
        'src/app/core.py': 'X = 2\n',
        'src/app/lonely.py': 'Y = 2\n',
        'src/app/named.py': 'Z = 2\n',
        'web/x.ts': 'export const x = 2;\n',
        'web/types.d.ts': 'export type T = 1;\n',
        'b/b.go': 'package b\n',
        'c/c.go': 'package c\n',
        'crate/src/lib.rs': 'pub fn f() {}\n#[cfg(test)]\nmod tests {}\n',
        'crate/src/other.rs': 'pub fn f() {}\n',
        'tests/test_other.py': '\n',
      },
    );
    expect(result.findings.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      'c/c.go: no test imports it',
      'crate/src/other.rs: no test imports it',
      'src/app/lonely.py: no test imports it',
      'src/app/named.py: no test imports it, though tests/test_named.py is named after it',
    ]);
    expect(result).toMatchObject({ outcome: 'passed', facts: { needs_coverage: 4 } });
  });
});
