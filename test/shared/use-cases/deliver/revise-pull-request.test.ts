import { describe, expect, it } from 'vitest';
import type { StoredTests, Task } from '../../../../shared/contract/task/task.ts';
import type { ForgeChangeRequest } from '../../../../shared/control/forge/forge.ts';
import { addSeconds, task } from '../../../support/builders.ts';
import { at, ForgeDeployment, SHOP, sha } from '../../../support/forge/forge-deployment.ts';

const OWN: ForgeChangeRequest = {
  number: 7,
  title: 'Round up',
  body: '',
  author: 'assay[bot]',
  author_kind: 'bot',
  labels: [],
  is_draft: false,
  is_open: true,
  from_fork: false,
  branch: 'assay/T1',
  base: 'main',
  head_commit: sha(1),
  head_ref: 'refs/pull/7/head',
};

/** A deployment with one pull request of its own, and `ada` who may push. */
async function deploymentWithOwnPullRequest(
  present: Partial<ForgeChangeRequest> = {},
  tests: Partial<StoredTests> = {},
) {
  const deployment = new ForgeDeployment({ ...OWN, ...present });
  deployment.writers.add('ada');
  const delivery = {
    ...{ state: 'delivered' as const, base_commit: sha(8), tree: sha(9), branch: 'assay/T1', commit: sha(1) },
    ...{ reason: null, at: addSeconds(0).toISOString() },
  };
  await deployment.store.create(
    task(
      { id: 'T1', status: 'done', ended_at: addSeconds(0).toISOString(), delivery, ...tests },
      { title: 'Round up', description: 'Round 2.5 to 3.', repository: SHOP },
    ),
  );
  return deployment;
}

const comment = (login: string, body: string, id = 5) => ({
  action: 'created',
  issue: { number: 7, title: 'Round up', body: '', updated_at: at(10), pull_request: {} },
  comment: { id, body, created_at: at(10), author_association: 'MEMBER', user: { login } },
});
const review = (state: string, login = 'ada', id = 31) => ({
  action: 'submitted',
  pull_request: { number: 7 },
  review: { id, state, body: 'Not for negative numbers.', user: { login } },
});
const ended = async (deployment: ForgeDeployment, id: string): Promise<void> => {
  await deployment.store.apply(id, (each) => ({
    event: 'cancel',
    task: {
      ...each,
      status: 'cancelled',
      ended_at: addSeconds(50).toISOString(),
      version: each.version + 1,
    } as Task,
  }));
};

describe('revisions of a pull request that Assay opened', () => {
  it('begin at its branch, with the comment as fenced feedback, once however often the comment is told of', async () => {
    const deployment = await deploymentWithOwnPullRequest();
    const asked = comment('ada', '/assay fix negative numbers\nare rounded down', 5);
    const heard = await deployment.hear('issue_comment', asked);
    expect(heard).toMatchObject({ outcome: 'done', reason: 'revises a pull request' });
    expect(await deployment.hear('issue_comment', asked)).toMatchObject({
      outcome: 'ignored',
      task_id: heard.task_id,
    });
    const made = await deployment.store.require(heard.task_id ?? '');
    expect(made).toMatchObject({
      runner: 'managed',
      base_ref: 'assay/T1',
      delivery_mode: 'merge_queue',
      created_by: 'forge:ada',
      revision_of: { task_id: 'T1', number: 7, branch: 'assay/T1', generation: 1, request: 'comment-5' },
    });
    expect(made.description).toMatch(
      /^Round 2\.5 to 3\.\n\n## What a reviewer asks to change\n[\s\S]*<<<UNTRUSTED[^\n]*\n[\s\S]*negative numbers\nare rounded down[\s\S]*UNTRUSTED/,
    );
    expect(deployment.replies).toEqual([expect.stringContaining('revises this pull request: 1 of 3')]);
  });

  it('follow a review that requests changes, with its comments on the code, and no other review', async () => {
    const deployment = await deploymentWithOwnPullRequest();
    deployment.reviewComments = [{ path: 'round.js', line: 4, body: 'Use Math.ceil.' }];
    for (const state of ['approved', 'commented'])
      expect(await deployment.hear('pull_request_review', review(state))).toMatchObject({
        outcome: 'ignored',
      });
    const heard = await deployment.hear('pull_request_review', review('changes_requested'));
    const { description } = await deployment.store.require(heard.task_id ?? '');
    expect(description).toMatch(/Not for negative numbers\.\n\nround\.js:4: Use Math\.ceil\./);
  });

  it.each([
    ['by somebody who may not push', {}, 'eve'],
    ['on a pull request that is closed', { is_open: false }, 'ada'],
    ['on a pull request of somebody else', { branch: 'fix' }, 'ada'],
    ['on a branch of a fork that is named like ours', { from_fork: true }, 'ada'],
    ['on a branch named like that of a task that was not delivered', { branch: 'assay/T2' }, 'ada'],
  ])('are not started %s', async (_, present, login) => {
    const deployment = await deploymentWithOwnPullRequest(present);
    for (const [event, value] of [
      ['issue_comment', comment(login, '/assay fix it')],
      ['pull_request_review', review('changes_requested', login)],
    ] as const)
      expect(await deployment.hear(event, value)).toMatchObject({ outcome: 'ignored' });
    expect(deployment.replies.filter((each) => !each.includes('Nothing was started'))).toEqual([]);
  });

  it('run one at a time, and so many in all', async () => {
    const deployment = await deploymentWithOwnPullRequest();
    const ask = (id: number) => deployment.hear('issue_comment', comment('ada', `/assay fix ${id}`, id));
    for (const id of [1, 2, 3]) {
      const heard = await ask(id);
      expect(heard).toMatchObject({ outcome: 'done' });
      expect(await ask(id + 10)).toMatchObject({ outcome: 'ignored', task_id: heard.task_id });
      await ended(deployment, heard.task_id ?? '');
    }
    expect(await ask(4)).toMatchObject({ outcome: 'ignored', reason: expect.stringContaining('limit is 3') });
    expect(deployment.replies.at(-1)).toContain('max_revisions');
  });

  it('end with the pull request', async () => {
    const deployment = await deploymentWithOwnPullRequest();
    const { task_id } = await deployment.hear('issue_comment', comment('ada', '/assay fix it'));
    await deployment.change({
      ...{ action: 'closed', head: 1, second: 20 },
      fields: { head: { ref: 'assay/T1', sha: sha(1), repo: { full_name: 'acme/shop' } } },
    });
    expect(await deployment.store.require(task_id ?? '')).toMatchObject({ status: 'cancelled' });
  });

  it('are verified against the target branch when they are pushed, with what the task asked for', async () => {
    const deployment = await deploymentWithOwnPullRequest();
    const push = (head: number) =>
      deployment.change({
        ...{ action: 'synchronize', head, before: 1, second: 30 },
        fields: { head: { ref: 'assay/T1', sha: sha(head), repo: { full_name: 'acme/shop' } } },
      });
    expect(await push(1)).toMatchObject({ outcome: 'ignored', task_id: 'T1' });
    const { task_id } = await push(2);
    expect(await deployment.store.require(task_id ?? '')).toMatchObject({
      runner: 'pull_request',
      base_ref: 'main',
      description: 'Round 2.5 to 3.',
      pull_request: { head_commit: sha(2), base_branch: 'main' },
    });
  });

  it('are judged by the hidden tests and the exam of the task, as is what is pushed', async () => {
    const tests = {
      hidden_tests: { key: 'hidden/T1/tests-1.json', sha256: '1'.repeat(64), bytes: 10 },
      exam: { key: 'hidden/T1/exam-2.json', sha256: '2'.repeat(64), bytes: 20 },
    };
    const deployment = await deploymentWithOwnPullRequest({}, tests);
    const revision = await deployment.hear('issue_comment', comment('ada', '/assay fix it'));
    const pushed = await deployment.change({
      ...{ action: 'synchronize', head: 2, before: 1, second: 30 },
      fields: { head: { ref: 'assay/T1', sha: sha(2), repo: { full_name: 'acme/shop' } } },
    });
    for (const { task_id } of [revision, pushed])
      expect(await deployment.store.require(task_id ?? '')).toMatchObject(tests);
  });

  it('are verified in a merge queue, too, which waits for the check of each group', async () => {
    // Nothing in the settings selects it.
    const deployment = await deploymentWithOwnPullRequest({ author: 'machine', author_kind: 'person' });
    const { task_id } = await deployment.hear('merge_group', {
      action: 'checks_requested',
      merge_group: {
        ...{ head_sha: sha(3), head_ref: `refs/heads/gh-readonly-queue/main/pr-7-${sha(4)}` },
        ...{ base_sha: sha(4), base_ref: 'refs/heads/main' },
      },
    });
    expect(await deployment.store.require(task_id ?? '')).toMatchObject({
      base_ref: sha(4),
      description: 'Round 2.5 to 3.',
      pull_request: { kind: 'merge_group', head_commit: sha(3) },
    });
  });
});
