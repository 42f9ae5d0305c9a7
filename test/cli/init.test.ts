import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { detectWebApp } from '../../cli/init/detect-web-app.ts';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { assay } from './support.ts';

const manifest = (scripts: Record<string, string>) =>
  JSON.stringify({ name: 'shop', version: '1.0.0', scripts });
const LOCK = JSON.stringify({
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: { '': { name: 'shop', version: '1.0.0' } },
});
const init = (dir: string, ...args: string[]) => assay(['init', '--repo', dir, ...args]);

describe('assay init', () => {
  test('proposes what there is, with its reason, and a configuration that it reads itself', async () => {
    const { dir } = createTestRepository({
      'go.mod': 'module shop\n\ngo 1.21\n',
      'a.go': 'package shop\n',
      'a_test.go': 'package shop\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    });
    const { stdout, code } = await init(dir);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}tests: true {2}# 1 tests passed in /);
    expect(stdout).toContain('test_integrity: true');
    expect(stdout).toContain('- go mod download');
    expect(stdout).toMatch(/warm_up: .*\n {4}- go test -exec true \.\/\.\.\.\n/);
    expect(() => parseAssayConfig(stdout)).not.toThrow();
  });

  test('enables what passes on the base, and comments what fails with the reason', async () => {
    const { dir, git } = createTestRepository({
      'package.json': manifest({ lint: 'exit 3', typecheck: 'test -f a.js', test: 'exit 1' }),
      'package-lock.json': LOCK,
      'a.js': '1\n',
    });
    const { stdout, stderr } = await init(dir, '--json');
    const { text, environment } = JSON.parse(stdout) as { text: string; environment: object };
    expect(environment).toEqual({ setup: ['npm ci'], problem: null });
    const { gates } = parseAssayConfig(text);
    expect(gates.settings).toMatchObject({ type_check: true });
    expect(gates.settings).not.toHaveProperty('tests');
    // On by default, it would hold every patch.
    expect(gates.settings).toMatchObject({ lint: false });
    expect(text).toMatch(/^ {2}# lint: true {2}# .*exit 3/m);
    expect(text).toMatch(/^ {2}# tests: true {2}# failed: exit 1/m);
    expect(stderr).toContain('environment: npm ci');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('comments an environment that cannot be prepared', async () => {
    const { dir } = createTestRepository({
      'package.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        scripts: { test: 'true' },
        dependencies: { absent: 'file:./absent' },
      }),
      'package-lock.json': LOCK,
    });
    const { stdout } = await init(dir);
    expect(stdout).toContain('# The environment could not be prepared');
    expect(stdout).toContain('# environment:');
    expect(parseAssayConfig(stdout).gates.settings).not.toHaveProperty('tests');
  });

  test.each<[string, Record<string, string>, string | undefined]>([
    [
      'a server of pages is started',
      { 'package.json': JSON.stringify({ scripts: { start: 'vite' }, devDependencies: { vite: '1.0.0' } }) },
      'command: npm start',
    ],
    ['a page is served', { 'index.html': '<h1>Hello</h1>' }, 'folder: .'],
    [
      'a program without pages is left alone',
      { 'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { zod: '1' } }) },
      undefined,
    ],
  ])('knows how an application is shown: %s', (_, files, wanted) => {
    expect(detectWebApp(createTestRepository(files).dir)?.settings).toBe(wanted);
  });

  test('says that nothing would speak for a change where there are no tests', async () => {
    const { dir } = createTestRepository({ 'README.md': '# shop\n' });
    const { stdout, stderr } = await init(dir);
    expect(() => parseAssayConfig(stdout)).not.toThrow();
    expect(stdout).not.toContain('tests: true');
    expect(stderr).toContain('No tests were found');
  });

  test('compares with the branch that is there', async () => {
    const { dir, git } = createTestRepository({ 'a.js': '1\n' });
    git('checkout', '--quiet', '-b', "o'dd\u0023branch");
    expect((await init(dir)).stdout).toContain(`base_ref: "o'dd#branch"`);
  });

  test('writes once, and never over what is there', async () => {
    const { dir } = createTestRepository({ 'a.js': '1\n' });
    expect((await init(dir, '--write')).code).toBe(0);
    const written = readFileSync(join(dir, 'assay.yaml'), 'utf8');
    const again = await init(dir, '--write');
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('exists already')]);
    expect(readFileSync(join(dir, 'assay.yaml'), 'utf8')).toBe(written);
    const elsewhere = await init(join(dir, 'nowhere'), '--write');
    expect(elsewhere.code).toBe(2);
    expect(existsSync(join(dir, 'nowhere'))).toBe(false);
  });

  test('checks an existing configuration', async () => {
    const { dir } = createTestRepository({
      'package.json': manifest({ test: 'test -f made' }),
      'assay.yaml':
        'version: 1\nenvironment: { build: [touch made] }\nquality_gates: { tests: true, lint: false }\n',
    });
    const good = await init(dir, '--check');
    expect([good.code, good.stdout]).toEqual([0, expect.stringMatching(/^tests: ok: passed in /)]);
    writeFileSync(join(dir, 'assay.yaml'), 'version: 1\nquality_gates: { tests: true, lint: false }\n');
    const bad = await init(dir, '--check');
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringMatching(/^tests: of no use: failed: exit 1/)]);
  });

  test('keeps the prepared environment, which `assay cache` lists and removes', async () => {
    const { dir } = createTestRepository({
      'package.json': manifest({ test: 'true' }),
      'package-lock.json': LOCK,
    });
    await init(dir);
    const listed = await assay(['cache', 'list', '--repo', dir, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      environments: { entries: [{ bytes: expect.any(Number) }] },
    });
    expect((await assay(['cache', 'clean', '--repo', dir])).stdout).toMatch(/ MB removed\.$/m);
    const again = await assay(['cache', 'list', '--repo', dir, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ environments: { entries: [] } });
  });

  test('`assay cache` counts and removes what checks have made, drafts too, and nothing else', async () => {
    const { dir } = createTestRepository({ 'a.js': '1\n' });
    const results = join(dir, '.git', 'assay-cache');
    const environments = `${results}-environments`;
    const draft = join(environments, `draft-${randomUUID()}`);
    for (const folder of [results, draft, join(environments, 'mine')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(results, `gate-${'a'.repeat(64)}.json`), '{}');
    writeFileSync(join(results, 'package.json'), '{}');
    const cleaned = await assay(['cache', 'clean', '--repo', dir, '--json']);
    expect(JSON.parse(cleaned.stdout)).toMatchObject({ results: { entries: 1, bytes: 2 } });
    expect([readdirSync(results), readdirSync(environments)]).toEqual([['package.json'], ['mine']]);
  });

  test.each([['init'], ['cache', 'list']])(
    '`assay %s %s` says what to do where git refuses',
    async (...argv) => {
      const { dir } = createTestRepository({ 'a.js': '1\n' });
      vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
      const { code, stderr } = await assay([...argv, '--repo', dir]).finally(() => vi.unstubAllEnvs());
      expect([code, stderr]).toEqual([2, expect.stringContaining('safe.directory')]);
    },
  );

  test('comments the whole setup that fails, whatever its folder is called', async () => {
    const folder = `a${'\n\nquality_gates: { enabled: false }\n'.repeat(2)}`;
    const { dir } = createTestRepository({
      [`${folder}/package.json`]: '{}',
      [`${folder}/package-lock.json`]: '{',
    });
    const { stdout } = await init(dir);
    expect(stdout).toContain('# The environment could not be prepared');
    expect(parseAssayConfig(stdout)).toMatchObject({ environment: null, gates: { enabled: true } });
  });

  test('puts nothing of a repository where it would be read as a setting', async () => {
    const { dir } = createTestRepository({
      'package.json': manifest({ lint: 'echo "\n  enabled: false #"; exit 1', '\nenabled: false #': 'y' }),
    });
    const { gates } = parseAssayConfig((await init(dir)).stdout);
    expect(gates).toMatchObject({ enabled: true });
  });
});
