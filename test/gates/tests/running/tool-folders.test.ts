import { describe, expect, test } from 'vitest';
import { testsGate } from '../../../../gates/gates/tests.ts';
import type { ToolKind } from '../../../../gates/languages/language-tool.ts';
import { selectLanguageTools } from '../../../../gates/tests/running/choose-tools.ts';
import type { ToolProfilesSetting } from '../../../../gates/tests/running/tool-profile-settings.ts';
import { createSubject, type FileContents, type FileEdits, runGate } from '../../../support/patch-fixture.ts';

const PACKAGE = '{"scripts": {"test": "node --test"}}';
const crate = (name: string): string => `[package]\nname = "${name}"\n`;
const project = (name: string): FileContents => ({ [`${name}/go.mod`]: '', [`${name}/a.go`]: 'package a\n' });

interface Case {
  readonly what: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly kind?: ToolKind;
  readonly profiles?: ToolProfilesSetting;
  /** `folder: tool` */
  readonly runs: readonly string[];
}

/** A package of a workspace, with a script that tests it. */
const npmPackage = (name: string, needs: readonly string[] = []): FileContents => ({
  [`packages/${name}/package.json`]: JSON.stringify({
    name: `@x/${name}`,
    scripts: { test: 'node --test' },
    dependencies: Object.fromEntries(needs.map((each) => [`@x/${each}`, '*'])),
  }),
  [`packages/${name}/a.js`]: '',
});
const pythonProject = (name: string, needs: readonly string[] = []): FileContents => ({
  [`${name}/pyproject.toml`]: `[project]\nname = "${name}"\ndependencies = ${JSON.stringify(needs)}\n[tool.pytest.ini_options]\n`,
  [`${name}/a.py`]: '',
  [`${name}/tests/test_a.py`]: '',
});
const goModule = (name: string, needs: readonly string[] = []): FileContents => ({
  [`${name}/go.mod`]: `module x.org/${name}\n${needs.map((each) => `require x.org/${each} v0.0.0 // indirect\n`).join('')}`,
  [`${name}/a.go`]: 'package a\n',
  [`${name}/a_test.go`]: 'package a\n',
});

const CASES: readonly Case[] = [
  {
    what: 'the top where nothing has a manifest',
    base: { 'src/a.py': '' },
    edits: { 'src/a.py': 'x = 1\n' },
    runs: [': ruff'],
  },
  {
    what: 'the folder with the manifest where the top has none',
    base: { 'api/pyproject.toml': '', 'api/src/a.py': '', 'web/package.json': '{}', 'web/a.js': '' },
    edits: { 'api/src/a.py': 'x = 1\n', 'web/a.js': '1;\n' },
    runs: ['api: ruff', 'web: eslint'],
  },
  {
    what: 'the top where it configures the tool, though a folder has a manifest too',
    base: { 'package.json': '{}', 'biome.json': '{}', 'web/package.json': '{}', 'web/biome.json': '{}' },
    edits: { 'web/a.js': '1;\n' },
    runs: [': biome'],
  },
  {
    what: 'the folder that configures the tool, though the top has a manifest',
    base: { 'package.json': '{}', 'web/package.json': '{"devDependencies": {"vitest": "5"}}' },
    edits: { 'web/a.js': '1;\n', 'b.js': '1;\n' },
    kind: 'tests',
    runs: ['web: vitest'],
  },
  {
    what: 'the script of the folder before its tools',
    base: { 'web/package.json': '{"scripts": {"test": "x"}, "devDependencies": {"vitest": "5"}}' },
    edits: { 'web/a.js': '1;\n' },
    kind: 'tests',
    runs: ['web: npm'],
  },
  {
    what: 'the tool that the profile names before the script of the folder',
    base: { 'web/package.json': PACKAGE, 'web/vitest.config.ts': '' },
    edits: { 'web/a.js': '1;\n' },
    kind: 'tests',
    profiles: { javascript: { tests: 'vitest' } },
    runs: ['web: vitest'],
  },
  {
    what: 'the module of Go that a file is in, whatever module it lies in',
    base: { 'go.mod': '', ...project('tools'), 'a.go': 'package a\n' },
    edits: { 'tools/a.go': 'package b\n' },
    runs: ['tools: go'],
  },
  {
    what: 'a module of Go that the patch adds beside another one',
    base: project('a'),
    edits: { 'b/a.go': 'package b\n', 'b/go.mod': 'module b\n' },
    runs: ['b: go'],
  },
  {
    what: 'the linter of Go that the top configures, in the module',
    base: { '.golangci.yml': '', ...project('api') },
    edits: { 'api/a.go': 'package b\n' },
    runs: ['api: golangci-lint'],
  },
  {
    what: 'the workspace that a crate is in',
    base: { 'rs/Cargo.toml': '[workspace]\n', 'rs/a/Cargo.toml': crate('a'), 'rs/a/src/lib.rs': '' },
    edits: { 'rs/a/src/lib.rs': '\n' },
    runs: ['rs: clippy'],
  },
  {
    what: 'a crate by itself where there is no workspace',
    base: { 'Cargo.toml': crate('top'), 'a/Cargo.toml': crate('a'), 'a/src/lib.rs': '' },
    edits: { 'a/src/lib.rs': '\n' },
    runs: ['a: clippy'],
  },
  {
    what: 'every project where the patch touches no language',
    base: {
      'api/pyproject.toml': '',
      'api/a.py': '',
      'web/package.json': '{}',
      'web/test/package.json': '{}',
      'web/a.js': '',
    },
    edits: { 'README.md': 'x\n' },
    runs: ['api: ruff', 'web: eslint'],
  },
  {
    what: 'the packages of a workspace of npm that depend on what the patch touches, for tests',
    base: {
      'package.json': '{"workspaces": ["packages/*"]}',
      ...npmPackage('core'),
      ...npmPackage('http', ['core']),
      ...npmPackage('app', ['http']),
      ...npmPackage('other'),
    },
    edits: { 'packages/core/a.js': '1;\n' },
    kind: 'tests',
    runs: ['packages/core: npm', 'packages/app: npm', 'packages/http: npm'],
  },
  {
    what: 'the package of npm alone that no other one depends on',
    base: {
      'package.json': '{"workspaces": ["packages/*"]}',
      ...npmPackage('core'),
      ...npmPackage('http', ['core']),
    },
    edits: { 'packages/http/a.js': '1;\n' },
    kind: 'tests',
    runs: ['packages/http: npm'],
  },
  {
    what: 'the projects of Python that depend on the one that the patch touches, for tests',
    base: {
      ...pythonProject('core'),
      ...pythonProject('app', ['Core>=1']),
      ...pythonProject('web', ['app[all]']),
      ...pythonProject('other', ['corelib']),
    },
    edits: { 'core/a.py': 'a = 1\n' },
    kind: 'tests',
    runs: ['core: pytest', 'app: pytest', 'web: pytest'],
  },
  {
    what: 'the top of a workspace of Python once, for tests',
    base: {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["core", "app"]\n[tool.pytest.ini_options]\n',
      ...pythonProject('core'),
      ...pythonProject('app', ['core']),
    },
    edits: { 'core/a.py': 'a = 1\n' },
    kind: 'tests',
    runs: [': pytest'],
  },
  {
    what: 'the modules of Go that depend on the one that the patch touches, for tests',
    base: { 'go.work': '', ...goModule('core'), ...goModule('app', ['core']), ...goModule('other') },
    edits: { 'core/a.go': 'package b\n' },
    kind: 'tests',
    runs: ['core: go', 'app: go'],
  },
  {
    what: 'no folder that the patch takes away',
    base: { ...project('a'), ...project('b') },
    edits: { 'a/go.mod': null, 'a/a.go': null, 'b/a.go': 'package b\n' },
    runs: ['b: go'],
  },
];

describe('cargo test in a workspace', () => {
  const needs = (...names: string[]): string =>
    `[dependencies]\n${names.map((name) => `${name} = { path = "../${name}" }\n`).join('')}`;
  const WORKSPACE: FileContents = {
    'Cargo.toml': `[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n[workspace.dependencies]\nalias = { package = "core", path = "crates/core" }\n${crate('top')}[dependencies]\nouter = { path = "crates/outer" }\n`,
    'src/lib.rs': '',
    'crates/core/Cargo.toml': crate('core'),
    'crates/core/src/lib.rs': '',
    'crates/outer/Cargo.toml': `${crate('outer')}${needs('core')}`,
    'crates/outer/src/lib.rs': '',
    'crates/alone/Cargo.toml': crate('alone'),
    'crates/alone/src/lib.rs': '',
    'tools/bridge/Cargo.toml': `${crate('bridge')}[dependencies]\ncore = { path = "../../crates/core" }\n`,
    'tools/bridge/src/lib.rs': '',
    'crates/app/Cargo.toml': `${crate('app')}[dependencies]\nbridge = { path = "../../tools/bridge" }\n`,
    'crates/inherits/Cargo.toml': `${crate('inherits')}[dependencies]\nalias.workspace = true\n`,
    'crates/old/Cargo.toml': crate('old'),
    'crates/old/src/lib.rs': '',
  };
  test.each<[string, FileEdits, string | null]>([
    ['a crate that others depend on', { 'crates/core/src/lib.rs': '\n' }, '--workspace --exclude alone '],
    [
      'a crate by itself',
      { 'crates/alone/src/lib.rs': '\n' },
      '--workspace --exclude top --exclude core --exclude outer --exclude app --exclude inherits ',
    ],
    [
      'the crate at the top',
      { 'src/lib.rs': '\n' },
      '--workspace --exclude alone --exclude core --exclude outer --exclude app --exclude inherits ',
    ],
    ['what counts for all crates', { 'crates/core/src/lib.rs': '\n', 'Cargo.lock': '' }, '--workspace '],
    ['nothing of the workspace but its lock file', { 'Cargo.lock': '' }, '--workspace '],
    [
      'a crate that a member needs through a path crate outside `members`',
      { 'tools/bridge/src/lib.rs': '\n' },
      '--workspace --exclude top --exclude alone --exclude core --exclude outer --exclude inherits ',
    ],
  ])('is run for %s and its dependents', async (_, edits, wanted) => {
    const { tools } = await selectLanguageTools(await createSubject(WORKSPACE, edits), 'tests', {}, true);
    const lines = tools.filter(({ folder }) => folder === '').map(({ tool }) => tool.line);
    expect(lines).toHaveLength(1);
    const [options = null] =
      /(?<=cargo test --quiet )--workspace.*?(?=--no-fail-fast)/.exec(lines[0] ?? '') ?? [];
    const sorted = (text: string | null): string[] | null => text?.split('--').sort() ?? null;
    expect(sorted(options)).toEqual(sorted(wanted));
  });
});

test('the script of a package below the top is not let off by a patch that changes what it runs', async () => {
  const base = {
    'web/package.json': '{"scripts": {"test": "node tools/check.js"}}',
    'web/tools/check.js': "process.exit(require('../a.js') === 1 ? 0 : 1);\n",
    'web/a.js': 'module.exports = 1;\n',
  };
  const run = (edits: FileEdits) => runGate(testsGate, base, edits);
  expect(await run({ 'web/a.js': 'module.exports = 1; // one\n' })).toMatchObject({ outcome: 'passed' });
  expect(
    await run({ 'web/a.js': 'module.exports = 2;\n', 'web/tools/check.js': 'process.exit(0);\n' }),
  ).toMatchObject({
    outcome: 'failed',
    detail: expect.stringContaining('not with the base version of web/tools/check.js'),
  });
});

describe('a tool runs in', () => {
  test.each(CASES)('$what', async ({ base, edits, kind = 'lint', profiles = {}, runs }) => {
    const { tools, uncheckedFolders } = await selectLanguageTools(
      await createSubject(base, edits),
      kind,
      profiles,
      true,
    );
    expect(tools.map(({ folder, tool }) => `${folder}: ${tool.name}`)).toEqual(runs);
    expect(uncheckedFolders).toEqual([]);
  });

  test('at most five folders, and says which it leaves out', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const base = Object.assign({}, ...names.map(project)) as FileContents;
    const edits = Object.fromEntries(names.map((name) => [`${name}/a.go`, 'package b\n']));
    const { tools, uncheckedFolders } = await selectLanguageTools(
      await createSubject(base, edits),
      'lint',
      {},
      true,
    );
    expect(tools.map(({ folder }) => folder)).toEqual(names.slice(0, 5));
    expect(uncheckedFolders).toEqual(['f', 'g']);
  });

  test('at most five folders, and names dependents that it leaves out', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const base = {
      'package.json': '{"workspaces": ["packages/*"]}',
      ...npmPackage('core'),
      ...Object.assign({}, ...names.map((name) => npmPackage(name, ['core']))),
    } as FileContents;
    const patch = { 'packages/core/a.js': '1;\n' };
    const chosen = await selectLanguageTools(await createSubject(base, patch), 'tests', {}, true);
    expect(chosen.tools.map(({ folder }) => folder)).toEqual(
      ['core', 'a', 'b', 'c', 'd'].map((name) => `packages/${name}`),
    );
    expect(chosen.untestedDependents).toEqual(['packages/e', 'packages/f']);
  });
});
