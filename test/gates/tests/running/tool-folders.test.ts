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
    what: 'no folder that the patch takes away',
    base: { ...project('a'), ...project('b') },
    edits: { 'a/go.mod': null, 'a/a.go': null, 'b/a.go': 'package b\n' },
    runs: ['b: go'],
  },
];

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
});
