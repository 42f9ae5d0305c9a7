import { describe, expect, test } from 'vitest';
import { deadCodeGate } from '../../gates/gates/dead-code.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

interface Case {
  readonly what: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  /** `file:line rule` of each finding that fails the gate; none: it passes. */
  readonly fails?: readonly string[];
  readonly reports?: readonly string[];
}

const GO = { 'go.mod': 'module example.org/app\n' };
const CARGO = { 'Cargo.toml': '[package]\nname = "app"\n' };

const UNUSED: readonly Case[] = [
  {
    what: 'Python imports that are not used, and those that are in annotations, strings and __all__',
    base: {},
    edits: {
      'a.py':
        'from __future__ import annotations\nimport os\nimport sys as _sys\nimport json, re\nfrom x import (Y,\n  Z)\nfrom t import A, B, C\n__all__ = ["C"]\nv: "A" = re.compile("json")\ndef f(b: "list[B]") -> None: ...\nprint(v)\n',
    },
    fails: ['a.py:2 unused_import', 'a.py:4 unused_import', 'a.py:5 unused_import', 'a.py:5 unused_import'],
  },
  {
    what: 'imports of a package that passes them on',
    base: {},
    edits: { 'p/__init__.py': 'from .a import A\n', 'p/a.py': 'A = 1\n' },
  },
  {
    what: 'an import that was not used before either',
    base: { 'a.py': 'import os\nx = 1\n' },
    edits: { 'a.py': '# moved down\nimport os\nx = 2\n' },
    reports: ['a.py:2 unused_import'],
  },
  {
    what: 'an import whose last use the patch takes away',
    base: { 'a.py': 'import os\nx = os.sep\n' },
    edits: { 'a.py': 'import os\nx = 1\n' },
    fails: ['a.py:1 unused_import'],
  },
  {
    what: 'imports of TypeScript: by value, by type, in JSX, in JSDoc, re-exported, and not at all',
    base: {},
    edits: {
      'a.tsx':
        "import React, { useState as s, useMemo } from 'react';\nimport type { T, U } from './t';\nimport * as ns from './ns';\nimport './effect';\nimport { Box, V, W } from './box';\nexport { W };\n/** See {@link V}. */\nexport const a = (t: T) => <Box on={s} />;\n",
    },
    fails: ['a.tsx:1 unused_import', 'a.tsx:2 unused_import', 'a.tsx:3 unused_import'],
  },
  {
    what: 'a name in escape sequences is the same name',
    base: {},
    edits: { 'a.js': "import { used } from './b.js';\nexport const x = us\\u0065d;\n" },
  },
  {
    what: 'Go imports: by name, by alias, blank, with dots, and not at all',
    base: GO,
    edits: {
      'a.go':
        'package a\n\nimport (\n\t"fmt"\n\tq "strings"\n\t_ "embed"\n\t. "math"\n\t"gopkg.in/yaml.v3"\n\t"k8s.io/api/core/v1"\n\t"os"\n)\n\nvar A = q.ToUpper(yaml.X)\nvar B v1.Pod\nfunc C() { fmt.Println(A) }\n',
    },
    fails: ['a.go:10 unused_import'],
  },
  {
    what: 'Rust imports of functions and modules; traits are used without their name',
    base: CARGO,
    edits: {
      'src/lib.rs':
        'use std::io::Write;\nuse std::mem::{swap, take};\npub use std::fmt;\npub fn f(a: &mut u8, b: &mut u8) { swap(a, b); }\n',
    },
    fails: ['src/lib.rs:2 unused_import'],
  },
];

const UNREACHABLE: readonly Case[] = [
  {
    what: 'Python statements after return, raise, break and continue; not an empty generator',
    base: {},
    edits: {
      'a.py':
        'def a():\n    return 1\n    print(1)\ndef b():\n    for x in y:\n        if x:\n            break\n            c()\n        continue\n        # note\n        d()\ndef c():\n    raise ValueError\n    e()\ndef g():\n    return\n    yield\ndef h():\n    while False:\n        yield\n',
    },
    fails: [
      'a.py:3 unreachable_code',
      'a.py:8 unreachable_code',
      'a.py:11 unreachable_code',
      'a.py:14 unreachable_code',
    ],
  },
  {
    what: 'JavaScript statements after return and throw; not functions, types, or the break of a case',
    base: {},
    edits: {
      'a.ts':
        'export function a(x: number) {\n  switch (x) {\n    case 1:\n      return 1;\n      break;\n    case 2:\n      throw x;\n      b();\n  }\n  return b();\n  function b() { return 2; }\n  type T = number;\n  var later;\n}\nexport const c = () => { return; { a(1); } };\n',
    },
    fails: ['a.ts:8 unreachable_code', 'a.ts:15 unreachable_code'],
  },
  {
    what: 'Go statements after return and panic, in cases too; not a label',
    base: GO,
    edits: {
      'a.go':
        'package a\n\nfunc A(x int) int {\n\tswitch x {\n\tcase 1:\n\t\tpanic("no")\n\t\tA(2)\n\t}\n\tgoto end\nend:\n\tA(4)\n\treturn 1\n\tA(3)\n}\n',
    },
    fails: ['a.go:7 unreachable_code', 'a.go:13 unreachable_code'],
  },
  {
    what: 'Rust statements after return, break and panic!; not items',
    base: CARGO,
    edits: {
      'src/lib.rs':
        'pub fn a() -> u8 {\n    loop {\n        break;\n        a();\n    }\n    if a() > 1 {\n        panic!("no");\n        a()\n    } else {\n        return 1;\n        fn b() {}\n    }\n}\n',
    },
    fails: ['src/lib.rs:4 unreachable_code', 'src/lib.rs:8 unreachable_code'],
  },
  {
    what: 'conditions that are the same each time, however they are written',
    base: {},
    edits: {
      'a.py':
        'def a(x):\n    if False: b()\n    if x and not True: c()\n    if 1 == 2: d()\n    if x: pass\n    elif True: e()\n    else: f()\n    while 0: g()\n    while True: h()\n    if "": i()\n    if x or False: j()\n',
      'b.js':
        'export function a(x) {\n  if (!1) b();\n  if (x && (false)) c();\n  if (true) { d(); } else { e(); }\n  if ("a" === "b") f();\n  if (void 0) g();\n  do { h(); } while (false);\n}\n',
      'go.mod': 'module m\n',
      'c.go':
        'package m\n\nfunc A(x bool) {\n\tif false && x {\n\t\tA(x)\n\t}\n\tfor false {\n\t}\n\tfor {\n\t}\n}\n',
      'd.rs': 'pub fn a() { if !true { a(); } while false {} while true {} }\n',
    },
    fails: [
      'a.py:2 constant_condition',
      'a.py:3 constant_condition',
      'a.py:4 constant_condition',
      'a.py:7 constant_condition',
      'a.py:8 constant_condition',
      'a.py:10 constant_condition',
      'b.js:2 constant_condition',
      'b.js:3 constant_condition',
      'b.js:4 constant_condition',
      'b.js:5 constant_condition',
      'b.js:6 constant_condition',
      'c.go:4 constant_condition',
      'c.go:7 constant_condition',
      'd.rs:1 constant_condition',
      'd.rs:1 constant_condition',
    ],
  },
  {
    what: 'a return that the patch puts before code that was there',
    base: { 'a.py': 'def a():\n    b()\n    c()\n' },
    edits: { 'a.py': 'def a():\n    return\n    b()\n    c()\n' },
    fails: ['a.py:3 unreachable_code'],
  },
  {
    what: 'dead code that was there before, now indented',
    base: { 'a.py': 'def a():\n    return 1\n    b( 1 )\n' },
    edits: { 'a.py': 'if x:\n  def a():\n      return 1\n      b( 1 )\n' },
    reports: ['a.py:4 unreachable_code'],
  },
];

const NO_CALLERS: readonly Case[] = [
  {
    what: 'private Python names without callers; not dunders, decorated ones, those used elsewhere or by name',
    base: { 'b.py': 'from a import _shared\n' },
    edits: {
      'a.py':
        'def _shared(): pass\ndef _lonely(): return _lonely()\nclass _Gone: pass\ndef __getattr__(n): pass\n@app.route\ndef _view(): pass\nclass A:\n    def _used(self): return self._by_name\n    def _unused(self): return self._used()\nclass B(Base):\n    def _hook(self): pass\ndef _named(): pass\ndef _visit_a(): pass\nprint(getattr(x, "_named"), getattr(x, "_visit_" + y), A, B)\n',
    },
    fails: ['a.py:2 no_callers', 'a.py:3 no_callers', 'a.py:9 no_callers'],
    reports: ['a.py:11 no_callers'],
  },
  {
    what: 'TypeScript functions and methods that nobody outside can call',
    base: {},
    edits: {
      'a.ts':
        'export const a = () => used();\nfunction used() { return 1; }\nfunction unused() { return unused(); }\nconst arrow = () => 1;\nclass Local {}\nexport class C {\n  #p() {}\n  #q() { this.#q(); }\n  private r() {}\n  private s() { return this.r(); }\n  constructor() { this.#p(); }\n}\nfunction later() {}\nexport { later as now };\n',
      'script.js': 'function onLoad() {}\n',
    },
    fails: [
      'a.ts:3 no_callers',
      'a.ts:4 no_callers',
      'a.ts:5 no_callers',
      'a.ts:8 no_callers',
      'a.ts:10 no_callers',
    ],
  },
  {
    what: 'Go names in lower case, looked for in the whole package',
    base: { ...GO, 'p/b.go': 'package p\n\nvar B = helper()\n' },
    edits: {
      'p/a.go':
        'package p\n\nfunc helper() int { return 1 }\nfunc lonely() {}\nfunc init() {}\nfunc Public() {}\ntype thing struct{}\n',
      'p/a_test.go': 'package p\n\nfunc setUp() {}\n',
    },
    fails: ['p/a.go:4 no_callers', 'p/a.go:7 no_callers'],
  },
  {
    what: 'private Rust functions; not those of traits, tests and callbacks',
    base: CARGO,
    edits: {
      'src/lib.rs':
        'fn used() {}\nfn unused() {}\npub fn f() { used(); S.p(); }\nstruct S;\nimpl S { fn p(&self) {} fn q(&self) {} }\nimpl Clone for S { fn clone(&self) -> S { S } }\n#[no_mangle]\nfn callback() {}\n#[cfg(test)]\nmod tests { #[test] fn t() {} fn helper() {} }\n',
    },
    fails: ['src/lib.rs:2 no_callers', 'src/lib.rs:5 no_callers'],
  },
  {
    what: 'a private function that was moved from another file without its callers',
    base: { 'a.py': 'def _f(): pass\n', 'b.py': 'X = 1\n' },
    edits: { 'a.py': 'Y = 1\n', 'b.py': 'X = 1\ndef _f(): pass\n' },
  },
];

const LOST: readonly Case[] = [
  {
    what: 'a Python function that others import, call through its module, or call in the same file',
    base: {
      'p/__init__.py': '',
      'p/a.py': 'def f(): pass\ndef g(): pass\ndef h(): f()\n',
      'b.py': 'from p.a import f\nf()\n',
      'c.py': 'import p.a\nimport p.a as q\np.a.g()\nq.f()\n',
    },
    edits: { 'p/a.py': 'def h(): f()\n' },
    fails: ['b.py:1 lost_caller', 'c.py:3 lost_caller', 'c.py:4 lost_caller', 'p/a.py:1 lost_caller'],
  },
  {
    what: 'a Python function that is removed with its callers, and a name that means something anyhow',
    base: { 'a.py': 'def f(): pass\ndef open(x): pass\n', 'b.py': 'from a import f\nf()\n' },
    edits: { 'a.py': 'print(open("x"))\n', 'b.py': 'print()\n' },
  },
  {
    what: 'a name that the module still has: by import, by condition, by a hook for any name',
    base: {
      'a.py': 'def f(): pass\n',
      'b.py': 'from a import f\nf()\n',
      'c.py': 'def f(): pass\n',
      'd.py': 'def g(): pass\n',
      'e.py': 'from d import g\ng()\n',
    },
    edits: {
      'a.py': 'try:\n    from c import f\nexcept ImportError:\n    f = None\n',
      'd.py': 'def __getattr__(name): return name\n',
    },
  },
  {
    what: 'a Python module that is deleted while others import it, and one that became a package',
    base: {
      'a.py': 'X = 1\n',
      'p/__init__.py': '',
      'p/m.py': 'Y = 1\n',
      'b.py': 'import a\nfrom p import m\nprint(a, m)\n',
      'q.py': 'Z = 1\n',
      'c.py': 'from q import Z\nprint(Z)\n',
    },
    edits: { 'a.py': null, 'p/m.py': null, 'q.py': null, 'q/__init__.py': 'Z = 1\n' },
    fails: ['b.py:1 lost_caller', 'b.py:2 lost_caller'],
  },
  {
    what: 'TypeScript exports: named, default, through a namespace, through a barrel',
    base: {
      'a.ts': 'export const f = 1;\nexport default function d() {}\nexport interface I {}\n',
      'index.ts': "export * from './a';\n",
      'b.ts': "import d, { f } from './a';\nd(); f;\n",
      'c.ts': "import * as a from './a';\nimport type { I } from '.';\nexport const x: I = a.f;\n",
    },
    edits: { 'a.ts': 'export const g = 1;\n' },
    fails: ['b.ts:1 lost_caller', 'b.ts:1 lost_caller', 'c.ts:2 lost_caller', 'c.ts:3 lost_caller'],
  },
  {
    what: 'an export that comes from another place now',
    base: { 'a.ts': 'export const f = 1;\n', 'b.ts': "import { f } from './a';\nexport const g = f;\n" },
    edits: {
      'a.ts': "export { f } from './c';\nexport * from 'elsewhere';\n",
      'c.ts': 'export const f = 1;\n',
    },
  },
  {
    what: 'a deleted TypeScript module that a test still imports',
    base: { 'src/a.ts': 'export const f = 1;\n', 'test/a.test.ts': "import { f } from '../src/a.js';\nf;\n" },
    edits: { 'src/a.ts': null },
    fails: ['test/a.test.ts:1 lost_caller'],
  },
  {
    what: 'CommonJS exports, and a module whose exports nobody can tell',
    base: {
      'a.js': 'exports.f = 1;\nexports.g = 2;\n',
      'b.js': "const a = require('./a');\nconst { f } = require('./a');\na.f; f;\n",
      'c.js': 'module.exports = { h: 1 };\n',
      'd.js': "import { h } from './c.js';\nexport const k = h;\n",
    },
    edits: { 'c.js': 'module.exports = make();\n' },
  },
  {
    what: 'a Go function that another package, its own package and its tests still call',
    base: {
      ...GO,
      'a/a.go': 'package a\n\nfunc F() {}\nfunc g() {}\nfunc K() { g() }\n',
      'a/b.go': 'package a\n\nfunc B() { g() }\n',
      'a/a_test.go': 'package a\n\nfunc T() { g() }\n',
      'c/c.go': 'package c\n\nimport x "example.org/app/a"\n\nfunc C() { x.F() }\n',
    },
    edits: { 'a/a.go': 'package a\n\nfunc K() {}\n' },
    fails: ['a/a_test.go:3 lost_caller', 'a/b.go:3 lost_caller', 'c/c.go:5 lost_caller'],
  },
  {
    what: 'a Go function that moved to another file of its package',
    base: {
      ...GO,
      'a/a.go': 'package a\n\nfunc F() {}\n',
      'c/c.go': 'package c\n\nimport "example.org/app/a"\n\nfunc C() { a.F() }\n',
    },
    edits: { 'a/a.go': null, 'a/z.go': 'package a\n\nfunc F() {}\n' },
  },
  {
    what: 'a Rust item that other modules use, and a module that is gone',
    base: {
      ...CARGO,
      'src/lib.rs': 'mod a;\nmod b;\nmod c;\n',
      'src/a.rs': 'pub fn f() {}\npub struct S;\n',
      'src/b.rs': 'use crate::a::{f, S};\npub fn g(_: S) { f(); crate::a::f(); }\n',
      'src/c.rs': '',
    },
    edits: { 'src/a.rs': 'pub struct S;\n', 'src/c.rs': null },
    fails: ['src/b.rs:1 lost_caller', 'src/b.rs:2 lost_caller', 'src/lib.rs:3 lost_caller'],
  },
];

const CASES: readonly (readonly [string, readonly Case[]])[] = [
  ['unused imports', UNUSED],
  ['code that is never reached', UNREACHABLE],
  ['private names without callers', NO_CALLERS],
  ['lost callers', LOST],
];

describe.each(CASES)('dead_code, %s', (_, cases) => {
  test.each(cases)('$what', async ({ base, edits, fails = [], reports }) => {
    const result = await runGate(deadCodeGate, base, edits);
    const all = result.findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
    const failing = Number(result.facts?.['findings_error']);
    expect(all.slice(0, failing).sort()).toEqual([...fails].sort());
    if (reports) expect(all.slice(failing)).toEqual(reports);
    expect(result.outcome).toBe(fails.length > 0 ? 'failed' : 'passed');
    expect(result.blocks).toBe(fails.some((each) => each.endsWith('lost_caller')));
  });
});
