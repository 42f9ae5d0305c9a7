import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ASSAY_VERSION } from '../../shared/lib/version.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The environment of a shell: what the npm around these tests has set would hide what is tested here. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD|FORCE_COLOR|NODE_OPTIONS|VITEST)/i.test(name),
  ),
);

test('npm adds nothing to standard output', () => {
  const { stdout, status } = spawnSync('npm', ['run', 'assay', '--', '--version'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: `${ASSAY_VERSION}\n`, status: 0 });
});

test('npm adds nothing when a command fails, and hands on its exit code', () => {
  const { stdout, status } = spawnSync('npm', ['run', 'assay', '--', 'tasks', '--json', '--limit', '0'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
});

test('files are meant from where the user stands, although npm moves to the package', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-npm-'));
  try {
    writeFileSync(join(cwd, 'task.yaml'), 'title: One\n');
    const { stderr, status } = spawnSync(
      'npm',
      ['--prefix', ROOT, 'run', 'assay', '--', 'submit', 'task.yaml'],
      {
        cwd,
        env,
        encoding: 'utf8',
      },
    );
    expect(stderr).toContain('task.yaml:1: repository is missing');
    expect(status).toBe(2);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
