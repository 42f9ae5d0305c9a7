import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { findTool } from '../../cli/gates/find-tool.ts';
import type { GateListEntry } from '../../cli/gates/list-gates.ts';
import { runCli } from '../../cli/run-cli.ts';
import { JSON_OUTPUTS } from '../../docs/generator/cli.ts';
import { BUILT_IN_GATES } from '../../gates/gates/gate-registry.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const dir = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
    chmodSync(join(dir, name), 0o755);
  }
  return dir;
}

async function list(cwd: string, ...args: string[]) {
  const written = { out: '', err: '' };
  const stream = (to: 'out' | 'err', columns?: number) => ({
    write: (text: string) => {
      written[to] += text;
    },
    isTTY: false,
    columns,
  });
  const code = await runCli(['gates', 'list', ...args], {
    env: {},
    cwd,
    stdout: stream('out', 80),
    stderr: stream('err'),
    readStdin: async () => '',
  });
  return { code, ...written };
}
const listed = async (dir: string): Promise<GateListEntry[]> =>
  (JSON.parse((await list(dir, '--json')).out) as { gates: GateListEntry[] }).gates;

describe('assay gates list', () => {
  test('names every registered gate, also where nothing is configured', async () => {
    const gates = await listed(folder({}));
    expect(gates.map(({ name }) => name)).toEqual(BUILT_IN_GATES.map(({ name }) => name));
    expect(gates.every(({ enabled }) => !enabled)).toBe(true);
  });

  test('names our own counter where no tool for it is here', async () => {
    vi.stubEnv('PATH', createTemporaryFolder());
    const complexity = async (files: Readonly<Record<string, string>>) =>
      (await listed(folder(files))).find(({ name }) => name === 'complexity_check');
    expect(await complexity({})).toMatchObject({ tools: [{ tool: 'assay', found: true, command: null }] });
    expect(await complexity({ 'node_modules/.bin/lizard': '#!/bin/sh\n' })).toMatchObject({
      tools: [{ tool: 'lizard', found: true }],
    });
  });

  test('says which tool of the project a gate would use, and whether it is there', async () => {
    const gates = await listed(
      folder({
        'assay.yaml': 'quality_gates: { tests: true, type_check_command: no-such-checker --strict }\n',
        'package.json': '{"scripts":{"lint":"our-lint ."}}',
        'node_modules/.bin/our-lint': '#!/bin/sh\n',
      }),
    );
    expect(gates.find(({ name }) => name === 'lint')).toEqual({
      name: 'lint',
      flag: 'lint',
      source: 'built_in',
      on_by_default: true,
      enabled: true,
      required: true,
      condition: 'always',
      tools: [{ tool: 'our-lint', found: true, get: null, command: 'npm run --silent lint', folder: '' }],
    });
    expect(gates.find(({ name }) => name === 'type_check')).toMatchObject({
      enabled: false,
      tools: [{ tool: 'no-such-checker', found: false }],
    });
    expect(gates.find(({ name }) => name === 'tests')).toMatchObject({
      enabled: true,
      tools: [],
    });
    expect(gates.find(({ name }) => name === 'import_cycle')).toMatchObject({
      tools: [{ tool: 'assay', found: true }],
    });
    expect(gates.find(({ name }) => name === 'review_rubric')).toMatchObject({
      tools: [{ tool: 'model', found: false }],
    });
  });

  test('shows a tool for each language and project of a checkout, and how to get what is missing', async () => {
    vi.stubEnv('PATH', `${createTemporaryFolder()}:${process.env['PATH']}`);
    const dir = folder({
      'assay.yaml': 'quality_gates: { profiles: { python: { lint: ruff } } }\n',
      'api/pyproject.toml': '',
      'api/a.py': '',
      'web/package.json': '{"scripts":{"lint":"our-lint ."}}',
      'web/src/a.js': '',
      'web/node_modules/.bin/our-lint': '#!/bin/sh\n',
      '.gitignore': 'node_modules/\n',
    });
    execFileSync('git', ['-C', dir, 'init', '--quiet']);
    const lint = (await listed(dir)).find(({ name }) => name === 'lint');
    expect(lint?.tools).toMatchObject([
      { tool: 'ruff', folder: 'api' },
      { tool: 'our-lint', found: true, folder: 'web' },
    ]);
    const { out } = await list(dir);
    expect(out).toMatch(/^lint .*ruff in api.*\n +our-lint in web +yes/m);
  });

  test('shows the pipeline first and as it is written', async () => {
    const gates = await listed(
      folder({
        'assay.yaml':
          'quality_gates:\n  pipeline:\n    - { name: tests, command: "true-tool x", required: false, condition: "changed: src/**" }\n    - name: lint\n',
      }),
    );
    expect(gates.slice(0, 2)).toMatchObject([
      {
        name: 'tests',
        tools: [{ tool: 'true-tool' }],
        required: false,
        condition: 'changed: src/**',
        enabled: true,
      },
      { name: 'lint', enabled: true },
    ]);
  });

  test('prints a table that fits the terminal', async () => {
    const { out, code } = await list(folder({ 'assay.yaml': 'version: 1\n' }));
    expect(code).toBe(0);
    expect(out).toMatch(/^GATE +RUNS +REQUIRED/m);
    expect(out).toMatch(/^lint +yes +yes +always/m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    ['a configuration that cannot be used', { 'assay.yaml': 'version: 2\n' }, [], 'assay.yaml:1: version'],
    ['a folder that is not there', {}, ['--repo', 'nowhere'], 'nowhere cannot be read'],
  ])('refuses %s', async (_, files, args, message) => {
    const { code, err } = await list(folder(files), ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('has the documented JSON', async () => {
    const json = JSON_OUTPUTS.get('gates list');
    const [documented] = (JSON.parse(json?.example ?? '') as { gates: object[] }).gates;
    expect(Object.keys(documented ?? {})).toEqual(Object.keys((await listed(folder({})))[0] ?? {}));
  });
});

describe('the program of a command line', () => {
  test.each([
    ['ruff check .', 'ruff'],
    ['NO_COLOR=1 env time mypy .', 'mypy'],
    ['npx --yes eslint .', 'eslint'],
    ['npm test', 'vitest'],
    ['npm run --silent lint', 'biome'],
    ['npm run other', 'npm'],
    ['./scripts/check.sh --all', './scripts/check.sh'],
    ['cd web && make', null],
    ['', null],
  ])('%s is %s', async (command, name) => {
    const scripts = JSON.stringify({ scripts: { test: 'vitest run', lint: 'biome ci .' } });
    expect((await findTool(command, '/nowhere', '', scripts, '')).name).toBe(name);
  });

  test('is looked for on the path', async () => {
    const dir = folder({ 'bin/some-tool': '' });
    expect(await findTool('some-tool', '/nowhere', '', null, join(dir, 'bin'))).toEqual({
      name: 'some-tool',
      found: true,
    });
  });
});
