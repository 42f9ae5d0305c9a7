import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../shared/version.ts';

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
  expect({ stdout, status }).toEqual({ stdout: `${VERSION}\n`, status: 0 });
});

test('npm adds nothing when a command fails, and hands on its exit code', () => {
  const { stdout, status } = spawnSync('npm', ['run', 'assay', '--', 'tasks', '--json', '--limit', '0'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
});
