import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeCodeFile } from '../../../gates/code/code-file-analysis.ts';
import type { ImportReference } from '../../../gates/code/imports/import-reference.ts';
import { createGoResolver } from '../../../gates/code/resolve/go.ts';
import type { ImportResolver, RevisionFiles } from '../../../gates/code/resolve/import-resolver.ts';
import { createJavascriptResolver } from '../../../gates/code/resolve/javascript.ts';
import { parseJsonc } from '../../../gates/code/resolve/parse-jsonc.ts';
import { createPythonResolver } from '../../../gates/code/resolve/python.ts';
import { createRustResolver } from '../../../gates/code/resolve/rust.ts';
import { grammarOfPath, type Language, languageOfGrammar } from '../../../gates/core/language.ts';

const RESOLVERS: Readonly<Record<Language, (files: RevisionFiles) => ImportResolver>> = {
  python: createPythonResolver,
  javascript: createJavascriptResolver,
  go: createGoResolver,
  rust: createRustResolver,
};

/** What the imports of a line of code lead to, in a tree of these files. */
async function leadsTo(
  files: Readonly<Record<string, string>>,
  from: string,
  code: string,
): Promise<string[]> {
  const grammar = grammarOfPath(from) ?? 'python';
  const facts = await analyzeCodeFile(grammar, Buffer.from(code));
  const tree: RevisionFiles = {
    paths: Object.keys(files),
    has: (path) => path in files,
    moduleConfigs: new Map(Object.entries(files)),
  };
  const resolve = RESOLVERS[languageOfGrammar(grammar)](tree);
  const references: readonly ImportReference[] = 'imports' in facts ? facts.imports : [];
  return references.flatMap((reference) =>
    resolve(from, reference).map(({ module, names }) => {
      const list = names.map(({ name }) => name).join(' ');
      return list === '' || list === '*' ? module : `${module}: ${list}`;
    }),
  );
}

const python = Object.fromEntries(
  [
    'setup.py',
    'src/app/__init__.py',
    'src/app/a.py',
    'src/app/sub/__init__.py',
    'src/app/sub/b.py',
    'tools/run.py',
    'tools/lib.py',
    'ns/inner/c.py',
    'services/x/pyproject.toml',
    'services/x/app.py',
    'services/y/pyproject.toml',
    'services/y/app.py',
    'services/y/main.py',
    'both.py',
    'both/__init__.py',
  ].map((path) => [path, '']),
);

describe('Python', () => {
  test.each([
    ['src/app/a.py', 'import app.sub.b', ['src/app/sub/b.py']],
    ['src/app/a.py', 'from app import sub, X', ['src/app/sub/__init__.py', 'src/app/__init__.py: X']],
    ['src/app/a.py', 'from .sub import b as c', ['src/app/sub/b.py']],
    ['src/app/sub/b.py', 'from ..a import X, Y', ['src/app/a.py: X Y']],
    ['src/app/sub/b.py', 'from .. import *', ['src/app/__init__.py']],
    ['src/app/a.py', 'from .... import x', []],
    ['src/app/a.py', 'import sub', []],
    ['tools/run.py', 'import lib', ['tools/lib.py']],
    ['src/app/a.py', 'import lib', []],
    ['tools/run.py', 'import ns.inner.c, os', ['ns/inner/c.py']],
    ['services/y/main.py', 'import app', ['services/y/app.py']],
    ['tools/run.py', 'import both', ['both/__init__.py']],
    ['tools/run.py', 'import (broken', []],
    ['tools/run.py', '__import__("lib"); importlib.import_module(name)', ['tools/lib.py']],
    ['src/app/a.py', 'importlib.import_module(".sub", __package__)', []],
  ])('%s: %s', async (from, code, modules) => {
    expect(await leadsTo(python, from, code)).toEqual(modules);
  });
});

const javascript: Readonly<Record<string, string>> = {
  'tsconfig.base.json':
    '{ "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/*", "gen/*"], "exact": ["src/a"], "@app/x/*": ["src/x/special/*"] } } }',
  'tsconfig.json': '{ "extends": "./tsconfig.base" } // all of it',
  'circle/tsconfig.json': '{ "extends": "./tsconfig.json" }',
  'circle/a.ts': '',
  'src/a.ts': '',
  'src/b.tsx': '',
  'src/c.d.ts': '',
  'src/x/index.ts': '',
  'src/x/special/y.ts': '',
  'gen/z.ts': '',
  'src/data.json': '{}',
  'package.json':
    '{ "name": "root", "imports": { "#in/*": "./src/x/*.js", "#one": { "types": "./none.d.ts", "default": "./src/a.ts" } } }',
  'packages/p/package.json':
    '{ "name": "@s/p", "exports": { ".": "./dist/index.js", "./sub/*": { "import": "./dist/sub/*.js" }, "./private": null } }',
  'packages/p/src/index.ts': '',
  'packages/p/src/sub/d.ts': '',
  'packages/q/package.json': '{ "name": "q", "main": "lib/main.js" }',
  'packages/q/lib/main.js': '',
  'packages/q/deep/e.js': '',
};

describe('JavaScript and TypeScript', () => {
  test.each([
    ['src/b.tsx', "import { x } from './a.js'", ['src/a.ts: x']],
    ['src/b.tsx', "import d, * as n from './a'", ['src/a.ts: default *']],
    [
      'src/a.ts',
      "import './b.jsx'; import './c'; import './x'; import './x/index.js'",
      ['src/b.tsx', 'src/c.d.ts', 'src/x/index.ts', 'src/x/index.ts'],
    ],
    [
      'src/a.ts',
      "import d from './data.json'; import t from './a.ts?raw'",
      ['src/data.json: default', 'src/a.ts: default'],
    ],
    ['src/a.ts', "import '../../outside'; import '/etc/passwd'; import 'react'; import ''", []],
    [
      'src/a.ts',
      "import '@app/b'; import '@app/z'; import 'exact'; import '@app/x/y'",
      ['src/b.tsx', 'gen/z.ts', 'src/a.ts', 'src/x/special/y.ts'],
    ],
    ['src/a.ts', "import 'src/b'; import 'gen/z'", ['src/b.tsx', 'gen/z.ts']],
    ['circle/a.ts', "import '@app/b'", []],
    ['src/a.ts', "import '#in/special/y'; import '#one'; import '#none'", ['src/x/special/y.ts', 'src/a.ts']],
    [
      'src/a.ts',
      "import '@s/p'; import '@s/p/sub/d'; import '@s/p/private'; import '@s/p/other'",
      ['packages/p/src/index.ts', 'packages/p/src/sub/d.ts'],
    ],
    [
      'src/a.ts',
      "import 'q'; import 'q/deep/e.js'; import 'q/deep/e'",
      ['packages/q/lib/main.js', 'packages/q/deep/e.js', 'packages/q/deep/e.js'],
    ],
    [
      'src/a.ts',
      "export * from './b'; export { y as z } from './b'; export * as w from './b'",
      ['src/b.tsx', 'src/b.tsx: y', 'src/b.tsx'],
    ],
    [
      'src/a.ts',
      "import b = require('./b'); const c = require('./x'); import('./b')",
      ['src/b.tsx', 'src/x/index.ts', 'src/b.tsx'],
    ],
  ])('%s: %s', async (from, code, modules) => {
    expect(await leadsTo(javascript, from, code)).toEqual(modules);
  });

  test('JSON with comments is read as TypeScript reads it', () => {
    expect(parseJsonc('\ufeff{ "a": "//, }", /* , */ "b": [1, 2,], // end\n "c": "\\"/*", }')).toEqual({
      a: '//, }',
      b: [1, 2],
      c: '"/*',
    });
    expect(parseJsonc('{ "a": ')).toBeNull();
    for (const hostile of ['/*', '"', '",', '//']) expect(parseJsonc(hostile.repeat(400_000))).toBeNull();
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(parseJsonc(`/* a */ ${json} // b`)).toEqual(JSON.parse(json));
      }),
    );
  });
});

const go = {
  'go.mod': 'module example.org/app // main\n',
  'main.go': '',
  'internal/a/a.go': '',
  'internal/only/x_test.go': '',
  'tools/go.mod': 'module "example.org/app/tools"\n',
  'tools/t/t.go': '',
};

describe('Go', () => {
  test.each([
    ['main.go', 'import "example.org/app/internal/a"', ['internal/a']],
    ['internal/a/a.go', 'import "example.org/app"', ['.']],
    ['main.go', 'import "example.org/app/tools/t"', ['tools/t']],
    ['main.go', 'import "example.org/app/internal/only"', []],
    ['main.go', 'import "example.org/application"', []],
    ['main.go', 'import "fmt"', []],
  ])('%s: %s', async (from, code, modules) => {
    expect(await leadsTo(go, from, `package a\n\n${code}\n`)).toEqual(modules);
  });
});

const rust = {
  'Cargo.toml': '[workspace]\n[package]\nname = "my-app"\n[lib]\nname = "app_lib"\n',
  'src/lib.rs': '',
  'src/main.rs': '',
  'src/a.rs': '',
  'src/a/b.rs': '',
  'src/c/mod.rs': '',
  'src/c/d.rs': '',
  'src/odd/place.rs': '',
  'src/bin/tool.rs': '',
  'tests/it.rs': '',
  'tests/common/mod.rs': '',
  'other/Cargo.toml': '[package]\nname = "other-crate"\n',
  'other/src/lib.rs': '',
  'other/src/x.rs': '',
};

describe('Rust', () => {
  test.each([
    ['src/lib.rs', 'mod a; pub mod c;', ['src/a.rs', 'src/c/mod.rs']],
    ['src/lib.rs', '#[path = "odd/place.rs"] mod elsewhere;', ['src/odd/place.rs']],
    [
      'src/a.rs',
      'mod b; use crate::c::{self, d::{X, Y as Z}};',
      ['src/a/b.rs', 'src/c/mod.rs', 'src/c/d.rs: X', 'src/c/d.rs: Y'],
    ],
    ['src/a/b.rs', 'use super::S; use super::super::c::d; use self::none;', ['src/a.rs: S', 'src/c/d.rs']],
    ['src/c/d.rs', 'use super::*; fn f() { crate::a::b::g::<u8>(); }', ['src/c/mod.rs', 'src/a/b.rs: g']],
    [
      'src/a.rs',
      'mod inner { use super::b::X; use super::super::c::Y; }',
      ['src/a/b.rs: X', 'src/c/mod.rs: Y'],
    ],
    [
      'src/main.rs',
      'use app_lib::a::S; use other_crate::x; use std::fmt;',
      ['src/a.rs: S', 'other/src/x.rs'],
    ],
    ['src/bin/tool.rs', 'use app_lib::T;', ['src/lib.rs: T']],
    ['tests/it.rs', 'mod common; use app_lib::a;', ['tests/common/mod.rs', 'src/a.rs']],
    ['other/src/x.rs', 'use crate::Z;', ['other/src/lib.rs: Z']],
  ])('%s: %s', async (from, code, modules) => {
    expect(await leadsTo(rust, from, code)).toEqual(modules);
  });
});

test('whatever an import says, it leads to a file of the tree or nowhere', async () => {
  const piece = fc.constantFrom(
    '.',
    '..',
    '...',
    'src',
    'app',
    'a',
    'b',
    'sub',
    '@app',
    '#in',
    '*',
    'x',
    '/',
    '//',
    'index',
    'special',
    '\u202e',
  );
  const trees: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['src/app/a.py', python],
    ['src/a.ts', javascript],
    ['main.go', go],
    ['src/a.rs', rust],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...trees),
      fc.array(piece, { minLength: 1, maxLength: 6 }),
      ([from, files], parts) => {
        const language = languageOfGrammar(grammarOfPath(from) ?? 'python');
        const between = language === 'python' ? '.' : language === 'rust' ? '::' : '/';
        const tree: RevisionFiles = {
          paths: Object.keys(files),
          has: (path) => path in files,
          moduleConfigs: new Map(Object.entries(files)),
        };
        const reference = {
          kind: 'runtime',
          specifier: parts.join(between),
          names: [{ name: parts[0] ?? '', local: null }],
          reexports: false,
          line: 1,
        } as const;
        for (const { module } of RESOLVERS[language](tree)(from, reference))
          expect(
            Object.keys(files).some(
              (path) => path === module || path.startsWith(module === '.' ? '' : `${module}/`),
            ),
          ).toBe(true);
        return Promise.resolve();
      },
    ),
  );
});
