import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

interface Claim {
  readonly task: TaskView;
  readonly attempt: number;
  readonly token: string;
  readonly lease_until: number;
}
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const code = (answer: { body: unknown }): unknown => (answer.body as { code?: string }).code;

/** The patch that makes the test pass, as an agent elsewhere would make it. */
function work(): { base_commit: string; tree: string; patch: string; summary: string } {
  const folder = `${repository.folder}/elsewhere`;
  repository.git('clone', '-q', repository.bare, folder);
  repository.git('-C', folder, 'checkout', '-q', 'main');
  const base_commit = repository.git('-C', folder, 'rev-parse', 'HEAD');
  const target = `${folder}/src/sum.js`;
  writeFileSync(target, RIGHT);
  repository.git('-C', folder, 'add', '-A');
  const tree = repository.git('-C', folder, 'write-tree');
  const patch = `${repository.git('-C', folder, 'diff', '--cached', '--binary', '--full-index')}\n`;
  return { base_commit, tree, patch, summary: 'sum adds now' };
}

/** A patch that breaks what the tests of main look at, on a branch. */
function brokenOn(branch: string): { tree: string; patch: string; summary: string } {
  const folder = `${repository.folder}/broken-on-${branch}`;
  repository.git('clone', '-q', '-b', branch, repository.bare, folder);
  writeFileSync(`${folder}/src/sum.js`, 'exports.sum = () => 42;\n');
  repository.git('-C', folder, 'add', '-A');
  const tree = repository.git('-C', folder, 'write-tree');
  const patch = `${repository.git('-C', folder, 'diff', '--cached', '--binary', '--full-index')}\n`;
  return { tree, patch, summary: 'done' };
}

describe('an agent outside', () => {
  it('claims, heartbeats, hands in a patch, and the work is verified and delivered like any other', async () => {
    const { id } = await stack.submit({
      title: 'By hand',
      repository: repository.url,
      runner: 'external',
      role: 'frontend',
    });
    await stack.claimable(id);
    const claim = (await stack.call<Claim>('GET', '/tasks/next/frontend')).body;
    expect(claim.task.id).toBe(id);
    const heartbeat = await stack.call<{ status: string }>(
      'POST',
      `/tasks/${id}/heartbeat`,
      {},
      as(claim.token),
    );
    expect(heartbeat.body.status).toBe('in_progress');
    expect(
      (
        await stack.call(
          'POST',
          `/tasks/${id}/progress`,
          { message: 'halfway', percent: 50 },
          as(claim.token),
        )
      ).status,
    ).toBe(200);
    const handed = work();
    const first = await stack.call<TaskView>('POST', `/tasks/${id}/complete`, handed, as(claim.token));
    const second = await stack.call<TaskView>('POST', `/tasks/${id}/complete`, handed, as(claim.token));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.attempt_count).toBe(1);
    expect(await stack.ended(id)).toMatchObject({
      status: 'done',
      verdict: 'pass',
      branch: `assay/${id}`,
      cost_usd: null,
    });
  });

  it('is told with a problem when it uses a wrong token, another attempt, or a task that is not its own', async () => {
    const { id } = await stack.submit({
      title: 'Guarded',
      repository: repository.url,
      runner: 'external',
      role: 'guarded',
    });
    const other = await stack.submit({
      title: 'Other',
      repository: repository.url,
      runner: 'external',
      role: 'other',
    });
    await stack.claimable(id);
    const claim = (await stack.call<Claim>('POST', `/tasks/${id}/claim`, {})).body;
    const before = await stack.task(id);
    // By API Gateway, in its own word: no function of ours was asked.
    for (const [headers, status, message] of [
      [as('nonsense'), 403, 'Forbidden'],
      [{ authorization: '' }, 401, 'Unauthorized'],
      [as(claim.token.replace('.1.', '.2.')), 403, 'Forbidden'],
    ] as const)
      expect(await stack.call('POST', `/tasks/${id}/heartbeat`, {}, headers)).toMatchObject({
        status,
        body: { message },
      });
    expect(code(await stack.call('POST', `/tasks/${other.id}/heartbeat`, {}, as(claim.token)))).toBe(
      'forbidden',
    );
    expect(
      code(await stack.call('POST', '/tasks', { title: 'x', repository: repository.url }, as(claim.token))),
    ).toBe('forbidden');
    expect(code(await stack.call('POST', `/tasks/${id}/claim`, {}))).toBe('conflict');
    expect(code(await stack.call('POST', '/tasks/no-such-task/claim', {}))).toBe('not_found');
    expect(code(await stack.call('POST', `/tasks/${id}/complete`, { summary: ' ' }, as(claim.token)))).toBe(
      'invalid',
    );
    expect(await stack.task(id)).toEqual(before);
  });

  it('hands in a patch that does not apply: the attempt fails with that reason, nothing is delivered', async () => {
    const { id } = await stack.submit({
      title: 'Broken patch',
      repository: repository.url,
      runner: 'external',
      role: 'broken',
      budget: { max_attempts: 1 },
    });
    await stack.claimable(id);
    const claim = (await stack.call<Claim>('GET', '/tasks/next/broken')).body;
    const base_commit = repository.git('-C', repository.bare, 'rev-parse', 'main');
    const patch =
      'diff --git a/nowhere.js b/nowhere.js\n--- a/nowhere.js\n+++ b/nowhere.js\n@@ -1 +1 @@\n-x\n+y\n';
    expect(
      (
        await stack.call(
          'POST',
          `/tasks/${id}/complete`,
          { summary: 's', base_commit, tree: '1'.repeat(40), patch },
          as(claim.token),
        )
      ).status,
    ).toBe(200);
    expect(await stack.ended(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'patch_does_not_apply' },
    });
  });
});

describe('the base of a task', () => {
  it('is what the platform resolved: an agent that names a weak side branch is refused, and broken work fails on main', async () => {
    repository.commit('weak', { 'test/sum.test.js': "require('node:test').test('nothing', () => {});\n" });
    const { id } = await stack.submit({
      title: 'Judge me by another',
      repository: repository.url,
      runner: 'external',
      role: 'sly',
      budget: { max_attempts: 1 },
    });
    const { base_commit } = await stack.claimable(id);
    const main = repository.git('-C', repository.bare, 'rev-parse', 'main');
    const weak = repository.git('-C', repository.bare, 'rev-parse', 'weak');
    expect(base_commit).toBe(main);
    const { token } = (await stack.call<Claim>('GET', '/tasks/next/sly')).body;
    const broken = brokenOn('weak');
    const sly = await stack.call(
      'POST',
      `/tasks/${id}/complete`,
      { ...broken, base_commit: weak },
      as(token),
    );
    expect([sly.status, code(sly)]).toEqual([409, 'wrong_base']);
    expect((await stack.task(id)).status).toBe('claimed');
    const honest = await stack.call('POST', `/tasks/${id}/complete`, brokenOn('main'), as(token));
    expect(honest.status).toBe(200);
    expect(await stack.ended(id)).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      branch: null,
      base_commit: main,
    });
  });

  it('stays the one of the round, also when the branch moves on while somebody works', async () => {
    repository.commit('moving', { 'notes.md': 'one\n' });
    const { id } = await stack.submit({
      title: 'Moving',
      repository: repository.url,
      base_ref: 'moving',
      runner: 'external',
      role: 'moving',
    });
    const { base_commit } = await stack.claimable(id);
    repository.commit('moving', { 'notes.md': 'two\n' });
    expect((await stack.task(id)).base_commit).toBe(base_commit);
    const { token } = (await stack.call<Claim>('POST', `/tasks/${id}/claim`, {})).body;
    await stack.call('POST', `/tasks/${id}/fail`, { reason: 'gave up' }, as(token));
    await stack.until(id, 'another attempt', (task) => task.status === 'open');
    expect((await stack.task(id)).base_commit).toBe(base_commit);
    await stack.call('POST', `/tasks/${id}/fail`, { reason: 'enough' });
    expect((await stack.call('POST', `/tasks/${id}/retry`, {})).status).toBe(200);
    const { base_commit: anew } = await stack.claimable(id);
    expect(anew).toBe(repository.git('-C', repository.bare, 'rev-parse', 'moving'));
    expect(anew).not.toBe(base_commit);
  });
});

describe('a crowd', () => {
  it('of 20 claimers takes 200 tasks, each task once', async () => {
    const tasks = Array.from({ length: 200 }, (_, index) => ({
      title: `Crowd ${index}`,
      repository: repository.url,
      runner: 'external',
      role: 'crowd',
      priority: (index % 3) + 1,
    }));
    const made = await Promise.all(
      [tasks.slice(0, 100), tasks.slice(100)].map((part) =>
        stack.call<{ tasks: TaskView[] }>('POST', '/tasks/batch', { tasks: part }),
      ),
    );
    const ids = made.flatMap((answer) => answer.body.tasks.map((task) => task.id));
    expect(new Set(ids).size).toBe(200);
    await Promise.all(ids.map((id) => stack.claimable(id)));
    const claimed: string[] = [];
    const claimer = async (): Promise<void> => {
      for (;;) {
        const answer = await stack.call<Claim>('GET', '/tasks/next/crowd');
        if (answer.status === 404) return;
        expect(answer.status).toBe(200);
        claimed.push(answer.body.task.id);
      }
    };
    await Promise.all(Array.from({ length: 20 }, claimer));
    const inOrder = (list: string[]): string[] => [...list].sort((a, b) => (a < b ? -1 : 1));
    expect(inOrder(claimed)).toEqual(inOrder(ids));
  });
});

describe('what cannot work', () => {
  it.each([
    [
      'a repository that cannot be cloned',
      { repository: 'file:///no/such/repository.git' },
      'repository_unavailable',
    ],
    ['a base ref that does not exist', { base_ref: 'no-such-branch' }, 'base_ref_missing'],
  ])('%s ends the task with its reason, before any attempt', async (_name, fields, failure) => {
    const { id } = await stack.submit({
      title: 'Cannot work',
      repository: repository.url,
      adapter: agent(''),
      ...fields,
    });
    expect(await stack.ended(id)).toMatchObject({
      status: 'failed',
      attempt_count: 0,
      failure: { code: failure },
    });
  });

  it('a broken assay.yaml ends it naming the key and the line', async () => {
    repository.commit('broken-config', {
      'assay.yaml': 'version: 1\nquality_gates:\n  tests: true\n  test_comand: node --test\n',
    });
    const { id } = await stack.submit({
      title: 'Broken config',
      repository: repository.url,
      base_ref: 'broken-config',
      adapter: agent(writes('src/sum.js', RIGHT)),
    });
    const task = await stack.ended(id);
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'config_invalid' } });
    expect(task.failure?.message).toContain('test_comand');
    expect(task.failure?.message).toContain('assay.yaml:4');
  });
});
