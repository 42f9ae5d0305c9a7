import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';

const MAIN = new URL('../../cli/assay.js', import.meta.url).pathname;
const gate = (line: string): string =>
  `version: 1\nquality_gates:\n  pii_scan: false\n  dlp_scan: false\n  lint_command: ${JSON.stringify(line)}\n`;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What is left in its temporary folder. */
  readonly left: readonly string[];
}

/** `assay check` as people start it. */
function check(dir: string, ...args: readonly string[]): Promise<Ended> {
  const tmp = mkdtempSync(join(tmpdir(), 'assay-check-test-'));
  const child = spawn(process.execPath, [MAIN, 'check', '--base', 'main', ...args], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: tmp, TMPDIR: tmp },
  });
  const ended = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    ended.out += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    ended.err += chunk.toString('utf8');
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, ...ended, left: readdirSync(tmp) }));
  });
}

describe('assay check ends with a word on what is wrong, and leaves nothing behind, in', () => {
  test('a repository without commits', async () => {
    const repository = createTestRepository();
    repository.git('update-ref', '-d', 'HEAD');
    const { code, err, left } = await check(repository.dir);
    expect([code, left]).toEqual([2, []]);
    expect(err).toContain('has no branch, tag or commit "main"');
  });

  test('a folder of no repository', async () => {
    const { code, err } = await check(createTemporaryFolder());
    expect(code).toBe(2);
    expect(err).toContain('not a git repository');
  });

  test('a repository without a folder to look at', async () => {
    const repository = createTestRepository();
    const { code, err } = await check(join(repository.dir, '.git'));
    expect(code).toBe(2);
    expect(err).not.toMatch(/\n {4}at /);
  });

  test('a repository on a branch that has no commit yet', async () => {
    const repository = createTestRepository({ 'assay.yaml': gate('true') });
    repository.git('checkout', '--quiet', '--orphan', 'new');
    const { code, out } = await check(repository.dir, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'pass', empty_patch: true });
  });
});

test('assay check shows names and output without letting them write to the terminal', async () => {
  const repository = createTestRepository({
    'assay.yaml': gate("printf '\\033[2J\\033]0;gone\\007'; ls; test ! -e ./-rf"),
  });
  repository.write({ 'biome.json\n\u001b[31mverdict pass': '', '-rf': '', 'eslint.config.\u001b[2J': '' });
  const { code, out, left } = await check(repository.dir);
  expect([code, left]).toEqual([1, []]);
  expect(out).toMatch(/^verdict fail/m);
  expect(out).not.toMatch(/^verdict pass/m);
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('assay check survives what a gate does to its folders, and takes it away', async () => {
  const long = 'd'.repeat(200);
  const repository = createTestRepository({
    'assay.yaml': gate(
      `mkfifo pipe; ln -s / root; for i in $(seq 40); do mkdir ${long} && cd -P ${long} || exit 1; done; chmod 000 .`,
    ),
  });
  repository.write({ 'a.js': '1;\n' });
  const { code, left } = await check(repository.dir);
  expect([code, left]).toEqual([0, []]);
});
