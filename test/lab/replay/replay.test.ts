import { expect, test } from 'vitest';
import { findGitDir, listHistoryCommits } from '../../../lab/replay/history-commits.ts';
import { replayCommits } from '../../../lab/replay/replay-commits.ts';
import { renderReplayTable, summarizeReplay } from '../../../lab/replay/replay-report.ts';
import { createTestRepository } from '../../support/git-repository.ts';

const TEST =
  "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../src/add.mjs';\n";
const CONFIG = 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n';

test('real commits are judged against their parents, and what holds one is named with its place', async () => {
  const repository = createTestRepository({
    'src/add.mjs': 'export const add = (a, b) => a + b;\n',
    'test/add.test.mjs': `${TEST}test('adds', () => assert.equal(add(1, 2), 3));\n`,
  });
  repository.commit({ 'README.md': '# Words\n' }, 'words');
  const honest = repository.commit({ 'src/less.mjs': 'export const less = (a, b) => a - b;\n' }, 'honest');
  const skipping = repository.commit(
    { 'test/add.test.mjs': `${TEST}test.skip('adds', () => assert.equal(add(1, 2), 3));\n` },
    'skips',
  );
  const dir = findGitDir(repository.dir);
  const commits = listHistoryCommits(dir, 10);
  expect(commits.map(({ id }) => id)).toEqual([skipping, honest]);

  const report = summarizeReplay(
    await replayCommits({ dir, commits, config: CONFIG, parallel: 2, onDone: () => {} }),
  );
  expect(report).toMatchObject({ commits: 2, pass: 1, refer: 1, error: 0, read_only: 0 });
  expect(report.looked_at).toMatchObject({ tests_compared: 2, changed_test_files: 1 });
  expect(report.held.map(({ id }) => id)).toEqual([skipping]);
  expect(renderReplayTable(report)).toContain('test/add.test.mjs');
});

test('without commits that change code there is nothing to judge', () => {
  const repository = createTestRepository({ 'README.md': 'a\n' });
  repository.commit({ 'README.md': 'b\n' });
  expect(listHistoryCommits(findGitDir(repository.dir), 10)).toEqual([]);
});
