import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pushNewBranch } from '../../../functions/deliver/deliver-work.ts';
import { fetchBaseCommit, resolveTree } from '../../../workspace/git/fetch-commits.ts';
import { buildGitEnvironment } from '../../../workspace/git/git-environment.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { writeCommit } from '../../../workspace/git/write-commit.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

const repository = createTestRepository({ 'a.txt': 'a\n' });
let store: GitStore;
let base: string;
let tree: string;
beforeAll(async () => {
  ({ store, commit: base } = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: 'main',
    allowFile: true,
  }));
  tree = await resolveTree(store, base);
});
const commit = (message = 'Do it\n\nBody\n') =>
  writeCommit(store, {
    tree,
    parent: base,
    message,
    author: 'Assay <assay@example.org>',
    at: '2026-01-02T03:04:05.678Z',
  });
const push = (branch: string, id: string) =>
  pushNewBranch(store, { url: repository.url, branch, commit: id, authorization: null, allowFile: true });

test('the same work makes the same commit, whenever and wherever it is made', async () => {
  const id = await commit();
  const again = await fetchBaseCommit(join(createTemporaryFolder(), 's'), {
    url: repository.url,
    ref: base,
    allowFile: true,
  });
  store = again.store;
  expect(await commit()).toBe(id);
  expect(await commit('Other')).not.toBe(id);
});

describe('a branch', () => {
  test('is created, and pushing it again changes nothing', async () => {
    const id = await commit();
    expect(await push('assay/one', id)).toBeNull();
    expect(repository.git('log', '-1', '--format=%an <%ae> %aI %cI %s', 'assay/one')).toBe(
      'Assay <assay@example.org> 2026-01-02T03:04:05+00:00 2026-01-02T03:04:05+00:00 Do it',
    );
    expect(await push('assay/one', id)).toBeNull();
  });

  test('that is something else already is left alone', async () => {
    repository.git('branch', 'assay/two', 'main');
    expect(await push('assay/two', await commit('Two'))).toEqual({
      refused: `branch assay/two exists already, at ${base}`,
    });
    expect(repository.git('rev-parse', 'assay/two')).toBe(base);
  });

  test.each([
    ['below another one', 'main/under', 'main'],
    ['far below another one', 'main/far/under', 'main'],
    ['above another one', 'topic', 'topic/below'],
  ])('that lies %s is refused, and the other one is named', async (_, branch, other) => {
    if (other !== 'main') repository.git('branch', other, 'main');
    expect(await push(branch, await commit('Three'))).toEqual({
      refused: `branch ${other} blocks ${branch}: git cannot have both; rename or delete ${other}`,
    });
  });

  test('that is the target moves on from where it is expected, and from nowhere else', async () => {
    repository.git('branch', 'assay/own', 'main');
    const id = await commit('On top');
    const onto = (at: string, next: string) =>
      pushNewBranch(store, {
        ...{ url: repository.url, branch: 'assay/own', commit: next, authorization: null, allowFile: true },
        target: { branch: 'assay/own', at },
      });
    expect(await onto(base, id)).toBeNull();
    expect(await onto(base, id)).toBeNull();
    expect(await onto(base, await commit('Another'))).toEqual({ moved: id });
    expect(repository.git('rev-parse', 'assay/own')).toBe(id);
    repository.git('branch', '-D', 'assay/own');
    expect(await onto(base, id)).toEqual({ refused: 'there is no branch assay/own' });
  });

  test('that the remote does not take is refused with its reason', async () => {
    expect(
      await pushNewBranch(store, {
        url: repository.url,
        branch: 'assay/three',
        commit: await commit('Three'),
        authorization: null,
        allowFile: true,
        target: { branch: 'main', at: base },
      }),
    ).toEqual({ refused: 'the push was refused: branch is currently checked out' });
  });

  test('on a remote that is gone is not refused but unavailable', async () => {
    await expect(
      pushNewBranch(store, {
        url: 'file:///no/such',
        branch: 'x',
        commit: await commit(),
        authorization: null,
        allowFile: true,
      }),
    ).rejects.toMatchObject({ failureClass: 'repository_unavailable' });
  });
});

test('a credential is given to one repository only, in the environment of git and nowhere else', () => {
  const environment = buildGitEnvironment({
    url: 'https://git.example.org/a/b.git',
    authorization: 'Basic c2VjcmV0\r\nX: y',
  });
  const at = Object.entries(environment).find(([, value]) => value.includes('c2VjcmV0'));
  expect(at?.[1]).toBe('Authorization: Basic c2VjcmV0X: y');
  expect(environment[at?.[0].replace('VALUE', 'KEY') ?? '']).toBe(
    'http.https://git.example.org/a/b.git.extraHeader',
  );
  expect(
    JSON.stringify(buildGitEnvironment({ url: 'ssh://git@example.org/a', authorization: 'secret' })),
  ).not.toContain('secret');
});
