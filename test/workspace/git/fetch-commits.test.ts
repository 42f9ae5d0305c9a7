import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOutTree } from '../../../workspace/git/checkout-tree.ts';
import { createCheckoutGit } from '../../../workspace/git/create-checkout-git.ts';
import { fetchBaseCommit } from '../../../workspace/git/fetch-commits.ts';
import { readSingleLine, runGitInStore } from '../../../workspace/git/git-store.ts';
import { runGit } from '../../../workspace/git/run-git.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

const repository = createTestRepository({ 'a.txt': 'a\n' });
const first = repository.git('rev-parse', 'HEAD');
repository.git('tag', '-a', 'v1', '-m', 'one');
const second = repository.commit({ 'a.txt': 'b\n' });
repository.git('branch', 'feature/x');
const fetch = (ref: string, url = repository.url, allowFile = true) =>
  fetchBaseCommit(join(createTemporaryFolder(), 'store'), { url, ref, allowFile });

describe('a base', () => {
  test.each([
    ['a branch', 'main', second],
    ['a branch with a slash', 'feature/x', second],
    ['an annotated tag, which is the commit that it names', 'v1', first],
    ['a commit that no branch points to', first, first],
    ['a full ref', 'refs/heads/main', second],
  ])('may be %s', async (_, ref, commit) => {
    expect((await fetch(ref)).commit).toBe(commit);
  });

  test('comes without its history', async () => {
    const { store } = await fetch('main');
    expect(readSingleLine((await runGitInStore(store, ['rev-list', '--count', second])).stdout)).toBe('1');
  });

  test.each([
    ['a branch that is not there', 'nope', repository.url, 'base_ref_missing'],
    ['a commit that is not there', '1'.repeat(40), repository.url, 'base_ref_missing'],
    [
      'a blob instead of a commit',
      repository.git('rev-parse', 'HEAD:a.txt'),
      repository.url,
      'base_ref_missing',
    ],
    ['a repository that is not there', 'main', 'file:///no/such/repository', 'repository_unavailable'],
    ['an option instead of a URL', 'main', '--upload-pack=touch /tmp/hacked', 'repository_unavailable'],
    ['a protocol that runs commands', 'main', 'ext::sh -c touch% /tmp/hacked', 'repository_unavailable'],
  ])('that is %s is refused', async (_, ref, url, failureClass) => {
    await expect(fetch(ref, url)).rejects.toMatchObject({ failureClass });
    expect(existsSync('/tmp/hacked')).toBe(false);
  });

  test('in a file:// repository is refused unless it was asked for', async () => {
    await expect(fetch('main', repository.url, false)).rejects.toMatchObject({
      failureClass: 'repository_unavailable',
    });
  });

  test('of an empty repository is missing', async () => {
    const empty = createTemporaryFolder();
    repository.git('init', '--quiet', '--bare', empty);
    await expect(fetch('main', `file://${empty}`)).rejects.toMatchObject({
      failureClass: 'base_ref_missing',
    });
  });
});

test('what a repository wants to have run when it is checked out is not run', async () => {
  const evil = createTestRepository({ 'a.txt': 'a\n', '.gitattributes': '* filter=evil\n' });
  const marker = join(createTemporaryFolder(), 'ran');
  const hook = join(evil.dir, '.git/hooks/post-checkout');
  writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(hook, 0o755);
  evil.git('config', 'filter.evil.smudge', `touch ${marker}`);
  const { store, commit } = await fetch('main', evil.url);
  const at = createTemporaryFolder();
  await checkOutTree(store, commit, join(at, 'tree'), join(at, 'index'));
  expect(readFileSync(join(at, 'tree/a.txt'), 'utf8')).toBe('a\n');
  expect(existsSync(marker)).toBe(false);
});

test('a planted .git answers git, and what is done to it does not reach the store', async () => {
  const { store, commit } = await fetch('main');
  const at = createTemporaryFolder();
  const checkout = join(at, 'tree');
  await checkOutTree(store, commit, checkout, join(at, 'index'));
  await createCheckoutGit({
    checkout,
    format: store.format,
    borrowFrom: join(store.dir, 'objects'),
    commit,
    index: join(at, 'index'),
  });
  const ask = async (...args: string[]) =>
    readSingleLine(
      (
        await runGit(args, {
          cwd: checkout,
          env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null' },
        })
      ).stdout,
    );
  expect(await ask('rev-parse', 'HEAD')).toBe(commit);
  expect(await ask('status', '--porcelain')).toBe('');
  writeFileSync(join(checkout, 'a.txt'), 'changed\n');
  expect(await ask('diff', '--name-only')).toBe('a.txt');
  await ask('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qam', 'mine');
  expect(await ask('log', '--format=%s')).toBe('mine\nchange');
  mkdirSync(join(checkout, '.git/hooks'), { recursive: true });
  expect((await runGitInStore(store, ['fsck', '--strict'])).code).toBe(0);
  expect((await runGitInStore(store, ['rev-parse', '--verify', '--quiet', 'HEAD'])).code).not.toBe(0);
});
