import { describe, expect, test } from 'vitest';
import { importCycleGate } from '../../gates/gates/import-cycle.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

interface Case {
  readonly what: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly outcome: 'passed' | 'failed' | 'could_not_run' | 'skipped';
  /** `rule: message` of each finding. */
  readonly findings?: readonly string[];
}

const CARGO = '[package]\nname = "my-crate"\nversion = "0.1.0"\n';
const GO_MOD = 'module example.org/app\n';

const CASES: readonly Case[] = [
  {
    what: 'a new circle of two Python modules',
    base: { 'src/app/__init__.py': '', 'src/app/a.py': 'from app import b\n', 'src/app/b.py': 'X = 1\n' },
    edits: { 'src/app/b.py': 'from app.a import y\nX = 1\n' },
    outcome: 'failed',
    findings: ['import_cycle: src/app/b.py -> src/app/a.py -> src/app/b.py'],
  },
  {
    what: 'a circle of relative imports through a package',
    base: { 'p/__init__.py': 'from .a import A\n', 'p/a.py': 'A = 1\n' },
    edits: { 'p/a.py': 'from . import VERSION\nA = 1\n', 'p/__init__.py': 'from .a import A\nVERSION = 2\n' },
    outcome: 'failed',
    findings: ['import_cycle: p/a.py -> p/__init__.py -> p/a.py'],
  },
  {
    what: 'a circle that was there before, in a module that was changed',
    base: { 'a.py': 'import b\n', 'b.py': 'import a\n' },
    edits: { 'b.py': 'import a\nX = 1\n' },
    outcome: 'passed',
    findings: ['import_cycle: b.py -> a.py -> b.py (was there before the patch)'],
  },
  {
    what: 'a second circle inside of one that was there before',
    base: { 'a.py': 'import b\n', 'b.py': 'import c\n', 'c.py': 'import a\n' },
    edits: { 'b.py': 'import c\nimport a\n' },
    outcome: 'failed',
    findings: ['import_cycle: b.py -> a.py -> b.py'],
  },
  {
    what: 'a renamed module of a circle that was there before',
    base: { 'a.py': 'import b\nONE = 1\nTWO = 2\n', 'b.py': 'import a\n' },
    edits: { 'a.py': null, 'z.py': 'import b\nONE = 1\nTWO = 2\n', 'b.py': 'import z\n' },
    outcome: 'passed',
  },
  {
    what: 'a circle for type checkers only',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import A\n' },
    outcome: 'passed',
    findings: ['import_cycle_type_only: b.py -> a.py -> b.py (in part for types only)'],
  },
  {
    what: 'a circle behind a flag of one’s own that only looks like the one of typing',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'TYPE_CHECKING = True\nif TYPE_CHECKING:\n    from a import A\n' },
    outcome: 'failed',
  },
  {
    what: 'a circle behind the flag of typing, set to something else',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: {
      'b.py':
        'from typing import TYPE_CHECKING\nTYPE_CHECKING = not TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n',
    },
    outcome: 'failed',
  },
  {
    what: 'a circle in the branch for run time',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\nelse:\n    import a\n' },
    outcome: 'failed',
  },
  {
    what: 'a circle that is closed only when a function is called',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'def f():\n    import a\n    return a\n' },
    outcome: 'passed',
    findings: ['import_cycle_deferred: b.py -> a.py -> b.py (in part only when a function is called)'],
  },
  {
    what: 'a circle only when the module is run as a program',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'if __name__ == "__main__":\n    import a\n' },
    outcome: 'passed',
  },
  {
    what: 'a name in letters that Python takes for others',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'import ａ\n' },
    outcome: 'failed',
  },
  {
    what: 'a module that is loaded by its name in a call',
    base: { 'a.py': 'import b\n', 'b.py': '' },
    edits: { 'b.py': 'import importlib\nA = importlib.import_module("a")\n' },
    outcome: 'failed',
  },
  {
    what: 'a new circle of TypeScript modules, in its JavaScript names',
    base: {
      'src/a.ts': "import { b } from './b.js';\nexport const a = b;\n",
      'src/b.ts': 'export const b = 1;\n',
    },
    edits: { 'src/b.ts': "import { a } from './a.js';\nexport const b = () => a;\n" },
    outcome: 'failed',
    findings: ['import_cycle: src/b.ts -> src/a.ts -> src/b.ts'],
  },
  {
    what: 'a circle through a barrel that passes everything on',
    base: { 'src/index.ts': "export * from './a';\n", 'src/a.ts': 'export const a = 1;\n' },
    edits: {
      'src/b.ts': "import { a } from '.';\nexport const b = a;\n",
      'src/index.ts': "export * from './a';\nexport { b } from './b';\n",
    },
    outcome: 'failed',
  },
  {
    what: 'a circle through an alias of tsconfig.json, with comments in it',
    base: {
      'tsconfig.json': '{ /* paths */ "compilerOptions": { "paths": { "@/*": ["./src/*"], }, }, }',
      'src/a.ts': "import '@/b';\n",
      'src/b.ts': '',
    },
    edits: { 'src/b.ts': "import '@/a';\n" },
    outcome: 'failed',
  },
  {
    what: 'a circle through packages of a workspace',
    base: {
      'packages/a/package.json': '{"name":"@x/a","exports":{".":{"import":"./dist/index.js"}}}',
      'packages/a/src/index.ts': "import '@x/b';\n",
      'packages/b/package.json': '{"name":"@x/b","main":"./src/main.ts"}',
      'packages/b/src/main.ts': '',
    },
    edits: { 'packages/b/src/main.ts': "import '@x/a';\n" },
    outcome: 'failed',
    findings: ['import_cycle: packages/b/src/main.ts -> packages/a/src/index.ts -> packages/b/src/main.ts'],
  },
  {
    what: 'a circle of type imports',
    base: {
      'a.ts': "import { b } from './b';\nexport type A = typeof b;\n",
      'b.ts': 'export const b = 1;\n',
    },
    edits: {
      'b.ts': "import type { A } from './a';\nimport { type A as Z } from './a';\nexport const b = 1;\n",
    },
    outcome: 'passed',
    findings: ['import_cycle_type_only: b.ts -> a.ts -> b.ts (in part for types only)'],
  },
  {
    what: 'a circle of require, its name put together from parts',
    base: { 'a.js': "const b = require('./b');\n", 'b.js': '' },
    edits: { 'b.js': "const a = require('.' + '/a');\n" },
    outcome: 'failed',
  },
  {
    what: 'a specifier in escape sequences',
    base: { 'a.js': "import './b.js';\n", 'b.js': '' },
    edits: { 'b.js': "import '\\u002e/\\x61.js';\n" },
    outcome: 'failed',
  },
  {
    what: 'a new circle of Go packages',
    base: {
      'go.mod': GO_MOD,
      'a/a.go': 'package a\n\nimport "example.org/app/b"\n\nvar A = b.B\n',
      'b/b.go': 'package b\n\nvar B = 1\n',
    },
    edits: { 'b/c.go': 'package b\n\nimport (\n\tq "example.org/app/a"\n)\n\nvar C = q.A\n' },
    outcome: 'failed',
    findings: ['import_cycle: b -> a -> b'],
  },
  {
    what: 'a Go test that imports a package which imports the one it tests',
    base: {
      'go.mod': GO_MOD,
      'a/a.go': 'package a\n\nimport "example.org/app/b"\n\nvar A = b.B\n',
      'b/b.go': 'package b\n\nvar B = 1\n',
    },
    edits: { 'b/b_test.go': 'package b_test\n\nimport "example.org/app/a"\n\nvar _ = a.A\n' },
    outcome: 'passed',
  },
  {
    what: 'a new circle of Rust modules',
    base: {
      'Cargo.toml': CARGO,
      'src/lib.rs': 'mod a;\nmod b;\n',
      'src/a.rs': 'use crate::b::B;\npub struct A(B);\n',
      'src/b.rs': 'pub struct B;\n',
    },
    edits: { 'src/b.rs': 'pub struct B;\npub fn f(_: &super::a::A) {}\n' },
    outcome: 'failed',
    findings: ['import_cycle: src/b.rs -> src/a.rs -> src/b.rs'],
  },
  {
    what: 'a Rust module that uses the one it lies in',
    base: {
      'Cargo.toml': CARGO,
      'src/lib.rs': 'mod a;\npub use a::A;\npub struct S;\n',
      'src/a.rs': 'pub struct A;\n',
    },
    edits: { 'src/a.rs': 'use crate::S;\npub struct A(S);\n' },
    outcome: 'passed',
  },
  {
    what: 'Rust tests in the same file',
    base: {
      'Cargo.toml': CARGO,
      'src/lib.rs': 'mod a;\nmod b;\n',
      'src/a.rs': 'use crate::b::B;\npub struct A(B);\n',
      'src/b.rs': 'pub struct B;\n',
    },
    edits: { 'src/b.rs': 'pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n' },
    outcome: 'passed',
  },
  {
    what: 'a file that no longer parses',
    base: { 'a.py': 'import b\n', 'b.py': 'X = 1\n' },
    edits: { 'b.py': 'X = (\nimport a\n' },
    outcome: 'failed',
    findings: ['does_not_parse: no longer parses', 'import_cycle: b.py -> a.py -> b.py'],
  },
  {
    what: 'a new file that does not parse',
    base: { 'a.ts': '' },
    edits: { 'b.ts': 'function ( {\n' },
    outcome: 'could_not_run',
    findings: ['does_not_parse: does not parse'],
  },
  {
    what: 'valid TypeScript that our grammar does not know',
    base: { 'a.ts': 'export const a = 1;\n' },
    edits: {
      'a.ts':
        'export type A = { get x(): string; set x(y) };\nexport const f = <const T,>(x: T) => x;\nimport defer * as q from "q";\n',
    },
    outcome: 'passed',
    findings: ['does_not_parse: uses syntax that our parser does not know'],
  },
  {
    what: 'a file that did not parse before either',
    base: { 'a.py': 'print "old"\nx = (\n' },
    edits: { 'a.py': 'print "old"\nx = (\ny = 1\n' },
    outcome: 'passed',
    findings: ['does_not_parse: does not parse (was there before the patch)'],
  },
  {
    what: 'a file in another encoding than its text says',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': '# coding: utf-7\nX = 1\n' },
    outcome: 'could_not_run',
    findings: ['not_readable: declares the encoding utf-7, which is not read here'],
  },
  {
    what: 'a file that became too large to look at',
    base: { 'a.js': 'export {};\n' },
    edits: { 'a.js': `${'// long\n'.repeat(270_000)}import './a.js';\n` },
    outcome: 'could_not_run',
    findings: ['not_readable: is larger than 2 MB'],
  },
  {
    what: 'nothing but text',
    base: { 'README.md': 'a\n' },
    edits: { 'README.md': 'b\n' },
    outcome: 'skipped',
  },
];

describe('import_cycle', () => {
  test.each(CASES)('$what: $outcome', async ({ base, edits, outcome, findings }) => {
    const result = await runGate(importCycleGate, base, edits);
    expect([result.outcome, result.detail]).toEqual([outcome, expect.any(String)]);
    if (findings) expect(result.findings.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(findings);
  });

  test('says where the import stands, and how many imports nobody can follow', async () => {
    const result = await runGate(
      importCycleGate,
      { 'a.js': "import './b.js';\n", 'b.js': '' },
      { 'b.js': "const name = process.argv[2];\nawait import(name);\n\nimport './a.js';\n" },
    );
    expect(result.findings.map(({ file, line }) => [file, line])).toEqual([['b.js', 4]]);
    expect(result.facts).toMatchObject({ imports_unknown: 1, files: 2, findings_error: 1 });
  });

  test('runs the project’s command instead, when there is one', async () => {
    const run = (command: string) =>
      runGate(
        importCycleGate,
        { 'a.py': '' },
        { 'a.py': 'import a\n' },
        { settings: { import_cycle_command: command } },
      );
    expect(await run('exit 0')).toMatchObject({ outcome: 'passed', kind: 'executed' });
    expect(await run('echo circle; exit 1')).toMatchObject({ outcome: 'failed' });
  });

  test('says so when the time is over', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`m${at}.py`, `x = ${at}\n`.repeat(2_000)]),
    );
    const result = await runGate(
      importCycleGate,
      files,
      { 'm0.py': 'y = 1\n' },
      { context: { timeoutMs: 0 } },
    );
    expect(result.outcome).toBe('timed_out');
  });
});
