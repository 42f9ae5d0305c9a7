import { beforeEach, describe, expect, test } from 'vitest';
import type { Gate, GateResult } from '../../../../gates/core/gate.ts';
import { lintGate } from '../../../../gates/gates/lint.ts';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../../gates/gates/type-check.ts';
import { type FileContents, type FileEdits, runGate } from '../../../support/patch-fixture.ts';
import { findProgram, listMissingPrograms, warmToolchains } from '../../../support/test-tools.ts';

interface Case {
  readonly what: string;
  readonly gate: Gate;
  /** The program that must be here. */
  readonly needs: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly outcome: GateResult['outcome'];
  /** `file:line rule`, with `(before)` for what was there before. */
  readonly findings: readonly string[];
}

const OLD = 'import os\n\n\ndef one():\n    return 1\n';
const GO = {
  'go.mod': 'module example.org/a\n\ngo 1.20\n',
  'a.go': 'package a\n\nfunc F() int { return 1 }\n',
};
const GO_TEST =
  'package a\n\nimport "testing"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal("not one")\n\t}\n}\n';
const CARGO = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n';

/** A function with two tests, one of which passes and one of which fails where it gives 1. */
const rustCode = (value: number, more = ''): string =>
  `pub fn f() -> i32 {\n    ${value}\n}\n${more}#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::f(), 1);\n    }\n    #[test]\n    fn three() {\n        assert_eq!(super::f(), 3);\n    }\n}\n`;

const CASES: readonly Case[] = [
  {
    what: 'ruff blames a patch for the lines that it wrote',
    gate: lintGate,
    needs: 'ruff',
    base: { 'a.py': OLD },
    edits: { 'a.py': `${OLD}\n\nimport sys\n` },
    outcome: 'failed',
    findings: ['a.py:8 F401', 'a.py:1 F401 (before)'],
  },
  {
    what: 'ruff does not blame a patch for what was there before',
    gate: lintGate,
    needs: 'ruff',
    base: { 'a.py': OLD },
    edits: { 'a.py': `${OLD}\n\ndef two():\n    return 2\n` },
    outcome: 'passed',
    findings: ['a.py:1 F401 (before)'],
  },
  {
    what: 'mypy blames a patch for what it breaks in a file that it does not touch',
    gate: typeCheckGate,
    needs: 'mypy',
    base: {
      'a.py': 'def f() -> int:\n    return 1\n',
      'b.py': 'from a import f\n\nX: int = f()\nY: str = 1\n',
    },
    edits: { 'a.py': 'def f() -> str:\n    return ""\n' },
    outcome: 'failed',
    findings: ['b.py:3 assignment', 'b.py:4 assignment (before)'],
  },
  {
    what: 'pytest tells a new failure from an old one',
    gate: testsGate,
    needs: 'pytest',
    base: {
      'a.py': 'X = 1\n',
      'test_a.py':
        'import a\n\ndef test_old():\n    assert a.X == 0\n\ndef test_new():\n    assert a.X == 1\n',
    },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'failed',
    findings: ['test_a.py:6 test_failed', 'test_a.py:3 test_failed (before)'],
  },
  {
    what: 'pytest passes a patch when only what failed before fails',
    gate: testsGate,
    needs: 'pytest',
    base: {
      'a.py': 'X = 1\n',
      'test_a.py': 'def test_old():\n    assert 0\n\ndef test_new():\n    assert 1\n',
    },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'passed',
    findings: ['test_a.py:1 test_failed (before)'],
  },
  {
    what: 'a pytest that is ended from inside, with exit 0, has not passed',
    gate: testsGate,
    needs: 'pytest',
    base: { 'a.py': 'X = 1\n', 'test_a.py': 'import a\n\ndef test_new():\n    assert a.X == 1\n' },
    edits: { 'a.py': 'import os\nos._exit(0)\n' },
    outcome: 'could_not_run',
    findings: [],
  },
  {
    what: 'go vet is read by its report',
    gate: lintGate,
    needs: 'go',
    base: GO,
    edits: {
      'a.go': 'package a\n\nimport "fmt"\n\nfunc F() int {\n\tfmt.Printf("%d", "x")\n\treturn 1\n}\n',
    },
    outcome: 'failed',
    findings: ['a.go:6 vet/printf'],
  },
  {
    what: 'go build names the line that does not compile',
    gate: typeCheckGate,
    needs: 'go',
    base: GO,
    edits: { 'a.go': 'package a\n\nfunc F() int { return "1" }\n' },
    outcome: 'failed',
    findings: ['a.go:3 compile'],
  },
  {
    what: 'go test names the failed test',
    gate: testsGate,
    needs: 'go',
    base: { ...GO, 'a_test.go': GO_TEST },
    edits: { 'a.go': 'package a\n\nfunc F() int { return 2 }\n' },
    outcome: 'failed',
    findings: ['null:null test_failed'],
  },
  {
    what: 'cargo check names the line that does not compile',
    gate: typeCheckGate,
    needs: 'cargo',
    base: { 'Cargo.toml': CARGO, 'src/lib.rs': 'pub fn f() -> i32 {\n    1\n}\n' },
    edits: { 'src/lib.rs': 'pub fn f() -> i32 {\n    "1"\n}\n' },
    outcome: 'failed',
    findings: ['src/lib.rs:2 E0308'],
  },
  {
    what: 'cargo test tells a new failure from an old one',
    gate: testsGate,
    needs: 'cargo',
    base: { 'Cargo.toml': CARGO, 'src/lib.rs': rustCode(1) },
    edits: { 'src/lib.rs': rustCode(2) },
    outcome: 'failed',
    findings: ['null:null test_failed', 'null:null test_failed (before)'],
  },
  {
    what: 'cargo test passes a patch when only what failed before fails',
    gate: testsGate,
    needs: 'cargo',
    base: { 'Cargo.toml': CARGO, 'src/lib.rs': rustCode(1) },
    edits: { 'src/lib.rs': rustCode(1, 'pub fn g() {}\n') },
    outcome: 'passed',
    findings: ['null:null test_failed (before)'],
  },
  {
    what: 'cargo test does not let a broken example in the documentation hide behind old failures',
    gate: testsGate,
    needs: 'cargo',
    base: { 'Cargo.toml': CARGO, 'src/lib.rs': rustCode(1) },
    edits: {
      'src/lib.rs': rustCode(
        1,
        '/// ```\n/// assert_eq!(a::g(), 2);\n/// ```\npub fn g() -> i32 {\n    1\n}\n',
      ),
    },
    outcome: 'failed',
    findings: ['null:null some_tests_failed', 'null:null test_failed (before)'],
  },
  {
    what: 'a test program of Rust that is ended from inside, with exit 0, has not passed',
    gate: testsGate,
    needs: 'cargo',
    base: { 'Cargo.toml': CARGO, 'src/lib.rs': rustCode(1) },
    edits: { 'src/lib.rs': rustCode(1).replace('{\n    1', '{\n    std::process::exit(0)') },
    outcome: 'could_not_run',
    findings: [],
  },
  {
    what: 'cargo test decides by its exit code where a test program has its own way to run',
    gate: testsGate,
    needs: 'cargo',
    base: {
      'Cargo.toml': `${CARGO}\n[[test]]\nname = "own"\nharness = false\n`,
      'tests/own.rs': 'fn main() {\n    assert!(std::env::args().len() == 1);\n}\n',
      'src/lib.rs': 'pub fn f() {}\n',
    },
    edits: { 'src/lib.rs': 'pub fn g() {}\n' },
    outcome: 'passed',
    findings: [],
  },
  {
    what: 'node --test names the failed test',
    gate: testsGate,
    needs: 'node',
    base: {
      'package.json': '{"type": "module"}',
      'a.test.js':
        "import test from 'node:test';\nimport { X } from './a.js';\ntest('x is one', (t) => t.assert.equal(X, 1));\n",
      'a.js': 'export const X = 1;\n',
    },
    edits: { 'a.js': 'export const X = 2;\n' },
    settings: { profiles: { javascript: { tests: 'node' } } },
    outcome: 'failed',
    findings: ['a.test.js:null test_failed'],
  },
];

const shown = (result: GateResult): string[] =>
  result.findings.map(
    ({ file, line, rule, message }) =>
      `${file}:${line} ${rule}${message.endsWith('(was there before the patch)') ? ' (before)' : ''}`,
  );

describe('the tools of a language', () => {
  const missing = listMissingPrograms(CASES);
  beforeEach(warmToolchains);

  for (const { what, gate, needs, base, edits, settings, outcome, findings } of CASES)
    test.skipIf(missing.includes(needs))(what, async () => {
      const result = await runGate(gate, base, edits, settings ? { settings } : {});
      expect(shown(result), result.detail).toEqual(findings);
      expect(result).toMatchObject({ outcome, kind: 'executed' });
      expect(result.facts?.['tool_version']).toMatch(/^\d+\.\d+/);
    });

  test('that are not here stop the gate from running, and say how to get them', async () => {
    const result = await runGate(
      lintGate,
      { 'go.mod': 'module a\n', '.golangci.yml': '' },
      { 'a.go': 'package a\n' },
    );
    expect(result).toMatchObject(
      findProgram('golangci-lint')
        ? { kind: 'executed' }
        : {
            outcome: 'could_not_run',
            detail: expect.stringContaining(
              'golangci-lint is not installed in the prepared checkout; to get it: install',
            ),
          },
    );
  });

  test('are taken by default only where somebody asked for the gate', async () => {
    const result = await runGate(
      lintGate,
      { 'a.py': '' },
      { 'a.py': 'import os\n' },
      { context: { explicitlyEnabled: false } },
    );
    expect(result.outcome).toBe('skipped');
  });

  test('can be switched off by language, and a name that is not known is an error', async () => {
    const run = (name: string) =>
      runGate(
        lintGate,
        { 'a.py': '' },
        { 'a.py': 'import os\n' },
        { settings: { profiles: { python: { lint: name } } } },
      );
    expect(await run('none')).toMatchObject({ outcome: 'could_not_run' });
    await expect(run('flake9')).rejects.toThrow('profiles.python.lint is "flake9"; known: ruff, none');
  });
});
