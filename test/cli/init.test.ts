import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../gates/pipeline/configuration/parse-config.ts';
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
      'a_test.go': 'package shop\n',
    });
    const { stdout, code } = await init(dir);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}tests: true {2}# whether the tests still pass \(go\)/);
    expect(stdout).toContain('test_integrity: true');
    expect(stdout).not.toContain('profiles');
    expect(() => parseConfig(stdout)).not.toThrow();
  });

  test('has packages installed before scripts, which gates run in a clean checkout', async () => {
    const { dir, git } = createTestRepository({
      'package.json': manifest({ lint: 'test -e made', prepare: 'exit 1' }),
      'package-lock.json': LOCK,
      'a.js': '1\n',
    });
    const { stdout } = await init(dir, '--json');
    const { text } = JSON.parse(stdout) as { text: string };
    expect(parseConfig(text).gates.settings).toMatchObject({
      lint_command: 'npm ci --ignore-scripts && npm run --silent lint',
    });
    expect(git('status', '--porcelain')).toBe('');
  });

  test.each<[string, Record<string, string>, object | undefined]>([
    [
      'a server of pages is started',
      {
        'package.json': JSON.stringify({ scripts: { start: 'vite' }, devDependencies: { vite: '1.0.0' } }),
        'package-lock.json': LOCK,
      },
      { enabled: true, command: 'npm ci --ignore-scripts && npm start' },
    ],
    ['a page is served', { 'index.html': '<h1>Hello</h1>' }, { enabled: true, folder: '.' }],
    [
      'a program without pages is left alone',
      { 'package.json': JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { zod: '1' } }) },
      undefined,
    ],
  ])('proposes pictures of an application: %s', async (_, files, wanted) => {
    const { stdout } = await init(createTestRepository(files).dir, '--json');
    const { text } = JSON.parse(stdout) as { text: string };
    expect(parseConfig(text).gates.settings['screenshots']).toEqual(
      wanted && expect.objectContaining(wanted),
    );
  });

  test('says that nothing would speak for a change where there are no tests', async () => {
    const { dir } = createTestRepository({ 'README.md': '# shop\n' });
    const { stdout, stderr } = await init(dir);
    expect(() => parseConfig(stdout)).not.toThrow();
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

  test('puts nothing of a repository where it would be read as a setting', async () => {
    const { dir } = createTestRepository({
      'package.json': manifest({ lint: 'x', '\nenabled: false #': 'y' }),
      'package-lock.json': LOCK,
    });
    const { gates } = parseConfig((await init(dir)).stdout);
    expect(gates).toMatchObject({ enabled: true });
  });
});
