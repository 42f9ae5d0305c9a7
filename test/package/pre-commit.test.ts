import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../infra/build.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { findProgram } from '../support/test-tools.ts';

const [hook] = parse(readFileSync(join(REPOSITORY_ROOT, '.pre-commit-hooks.yaml'), 'utf8')) as [
  { id: string; entry: string; language: string },
];
const env = { ...process.env, NO_COLOR: '1', PRE_COMMIT_HOME: createTemporaryFolder() };
const sample = () =>
  createTestRepository({
    'assay.yaml': 'version: 1\nquality_gates:\n  tests: true\n  test_command: node --test\n',
    'add.mjs': 'export const add = (a, b) => a + b;\n',
    'add.test.mjs':
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './add.mjs';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
  });

test('the hook stops a commit that breaks a test, and lets one that does not', () => {
  expect(statSync(join(REPOSITORY_ROOT, hook.entry)).mode & 0o111).not.toBe(0);
  const { dir, write } = sample();
  const run = () => spawnSync(join(REPOSITORY_ROOT, hook.entry), [], { cwd: dir, env, encoding: 'utf8' });
  write({ 'add.mjs': 'export const add = (a, b) => b + a;\n' });
  expect(run()).toMatchObject({ status: 0 });
  write({ 'add.mjs': 'export const add = (a, b) => a - b;\n' });
  const stopped = run();
  expect(stopped.status).toBe(1);
  expect(stopped.stdout).toContain('verdict fail');
});

const preCommit = findProgram('pre-commit');
if (preCommit === null) console.warn('SKIPPED 1 test of the pre-commit hook for want of pre-commit');
test.skipIf(preCommit === null)('pre-commit itself takes the definition', () => {
  const file = join(createTemporaryFolder(), 'hooks.yaml');
  writeFileSync(file, readFileSync(join(REPOSITORY_ROOT, '.pre-commit-hooks.yaml')));
  execFileSync(preCommit ?? '', ['validate-manifest', file], { env });
});
