import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORGE_LABELS } from '../../shared/control/forge/forge-report.ts';
import { taskIdOfPullRequest } from '../../shared/control/forge/pull-request-tasks.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import { FakeGitHub } from '../support/forge/fake-github.ts';
import { GITHUB_CONTRACT } from '../support/forge/openapi-contract.ts';
import { ScriptedForge } from '../support/forge/scripted-forge.ts';
import { PrivateGit } from './support/private-git.ts';
import { type PullRequest, PullRequests } from './support/pull-requests.ts';
import { PROJECT, Repository, RIGHT, WRONG } from './support/repository.ts';
import { type Answer, Stack } from './support/stack.ts';

const SECRET = 'the secret of the webhook of GitHub';
let stack: Stack;
let shop: Repository;
let server: PrivateGit;
let gitHub: ScriptedForge;
let pulls: PullRequests;
const atGitHub = new FakeGitHub(
  (token) =>
    server.given.find((each) => each.token === token)?.permissions['checks'] === 'write' &&
    server.given.find((each) => each.token === token)?.repositories.join() === 'shop',
);

beforeAll(async () => {
  shop = new Repository(PROJECT);
  shop.commit('no-gates', {
    'assay.yaml': 'version: 1\nquality_gates:\n  enabled: false\n',
    'notes.md': 'one\n',
  });
  // Later commits on main begin there again.
  shop.git('-C', join(shop.folder, 'work'), 'checkout', '-q', 'main');
  mkdirSync(join(shop.folder, 'acme'));
  symlinkSync(shop.bare, join(shop.folder, 'acme', 'shop.git'));
  pulls = new PullRequests(shop, atGitHub);
  server = await PrivateGit.start(shop.folder);
  gitHub = await ScriptedForge.start(atGitHub.script, GITHUB_CONTRACT);
  const [app] = (JSON.parse(server.secret('acme')) as { credentials: object[] }).credentials;
  stack = await Stack.start({
    NODE_EXTRA_CA_CERTS: server.certificate,
    ASSAY_GIT_CREDENTIALS: JSON.stringify({ credentials: [app] }),
    ASSAY_FORGES: JSON.stringify([
      {
        url: server.url('acme'),
        forge: 'github',
        api_url: gitHub.url,
        pull_requests: { unverified: 'action_required' },
      },
    ]),
    ASSAY_FORGE_CREDENTIALS: JSON.stringify({ credentials: [{ ...app, webhook_secret: SECRET }] }),
  });
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([server.stop(), gitHub.stop()]);
  shop.remove();
});

function tell(event: string, value: object): Promise<Answer<ForgeEventResult>> {
  const body = JSON.stringify({
    repository: { clone_url: server.url('acme/shop.git'), default_branch: 'main' },
    sender: { login: 'ada' },
    ...value,
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return stack.call('POST', '/webhooks/github', body, {
    authorization: '',
    'x-github-event': event,
    'x-hub-signature-256': `sha256=${signature}`,
  });
}
const tellPull = (action: string, pull_request: PullRequest, fields: object = {}) =>
  tell('pull_request', { action, pull_request, ...fields });
const comment = (number: number, login: string, body: string, id: number) =>
  tell('issue_comment', {
    action: 'created',
    issue: { number, title: 't', body: '', updated_at: new Date().toISOString(), pull_request: {} },
    comment: {
      id,
      body,
      created_at: new Date(Date.now() + 2_000).toISOString(),
      author_association: 'MEMBER',
      user: { login },
    },
  });

const idOf = ({ number, head }: PullRequest): string =>
  taskIdOfPullRequest(server.url('acme/shop.git'), { kind: 'pull_request', number, head_commit: head.sha });
const told = (what: () => void): Promise<void> => vi.waitFor(what, { timeout: 30_000, interval: 50 });
const commentsOn = (number: number): string[] =>
  atGitHub.comments.filter(({ issue }) => issue === number).map(({ body }) => body);
const checkOn = ({ head }: PullRequest): string | undefined =>
  atGitHub.runs.findLast(({ head_sha }) => head_sha === head.sha)?.conclusion;
describe('a pull request of an agent elsewhere', () => {
  it('gets a red check on a bad head and a green one on a good head, with one comment', async () => {
    atGitHub.issues.set(12, { title: 'sum is wrong', body: 'sum(2, 2) must be 4.' });
    const bad = pulls.push(7, { 'src/sum.js': WRONG }, { body: 'Fixes #12 and closes #99.' });
    const answers = await Promise.all([1, 2, 3].map(() => tellPull('opened', bad)));
    expect(answers.map(({ status, body }) => (status === 200 ? 200 : body))).toEqual([200, 200, 200]);
    const failed = await stack.ended(idOf(bad));
    expect(failed).toMatchObject({
      status: 'failed',
      runner: 'pull_request',
      attempt_count: 1,
      branch: null,
      pull_request: { number: 7, head_commit: bad.head.sha, author: 'helpful[bot]', issues: [12] },
    });
    expect(failed.description).toBe(
      'Fixes #12 and closes #99.\n\n## Issue 12: sum is wrong\n\nsum(2, 2) must be 4.\n\n## Issue 99\n\nThis issue was not read: the forge has no such issue.',
    );
    await told(() => expect([...(atGitHub.labels.get(7) ?? [])]).toEqual([FORGE_LABELS.failed]));
    expect(checkOn(bad)).toBe('failure');
    expect(commentsOn(7)).toEqual([expect.stringContaining('**Assay: failed.**')]);

    const good = pulls.push(7, { 'src/sum.js': RIGHT });
    expect((await tellPull('synchronize', good, { before: bad.head.sha })).body.outcome).toBe('done');
    expect(await stack.ended(idOf(good))).toMatchObject({ status: 'done', verified: true, verdict: 'pass' });
    await told(() => expect(atGitHub.labels.get(7)).toEqual(new Set()));
    expect([checkOn(bad), checkOn(good)]).toEqual(['failure', 'success']);
    expect(commentsOn(7)).toEqual([
      expect.stringMatching(/\*\*Assay: passed\.\*\*[\s\S]*\| tests \| passed \| executed \|/),
    ]);
    expect(shop.branches().filter((name) => name.startsWith('assay/'))).toEqual([]);
  });

  it('is not verified further when its author pushes again meanwhile, and the last head has the last word', async () => {
    const first = pulls.push(8, { 'src/sum.js': WRONG });
    await tellPull('opened', first);
    const second = pulls.push(8, { 'src/sum.js': RIGHT });
    await tellPull('synchronize', second, { before: first.head.sha });
    // An event that comes late and twice.
    await tellPull('opened', first);
    expect(await stack.ended(idOf(second))).toMatchObject({ status: 'done', verified: true });
    expect(['cancelled', 'failed']).toContain((await stack.ended(idOf(first))).status);
    await told(() => expect(checkOn(second)).toBe('success'));
    await told(() => expect(commentsOn(8)).toEqual([expect.stringContaining('**Assay: passed.**')]));
    expect(atGitHub.labels.get(8) ?? new Set()).toEqual(new Set());
  });

  it('from a fork runs in the same containers, and one that conflicts with its base is told in which file', async () => {
    const stale = pulls.push(9, { 'src/other.js': 'export const a = 1;\n' }, { fork: true });
    shop.commit('main', { 'src/other.js': 'export const a = 2;\n' });
    await tellPull('opened', stale);
    expect(await stack.ended(idOf(stale))).toMatchObject({
      status: 'failed',
      failure: { code: 'patch_does_not_apply', message: expect.stringContaining('src/other.js') },
    });
    await told(() => expect(commentsOn(9)).toEqual([expect.stringContaining('conflicts with its base')]));
    expect(checkOn(stale)).toBe('failure');
    const behind = pulls.push(10, { 'src/sum.js': RIGHT }, { fork: true });
    shop.commit('main', { 'notes.md': 'main goes on\n' });
    await tellPull('opened', behind);
    const done = await stack.ended(idOf(behind));
    expect(done).toMatchObject({ status: 'done', verified: true });
    expect(done.base_commit).toBe(shop.git('-C', shop.bare, 'rev-parse', 'main'));
    const pushing = server.given.filter(({ permissions }) => permissions['contents'] === 'write');
    expect(pushing).toEqual([]);
  });

  it('needs review when it changes what judges it, and passes on the word of somebody else than its author', async () => {
    const config = PROJECT['assay.yaml'].replace('tests: true', 'tests: false');
    const sly = pulls.push(11, { 'assay.yaml': config, 'src/sum.js': RIGHT });
    await tellPull('opened', sly);
    await stack.until(idOf(sly), 'a hold', ({ hold }) => hold !== null);
    await told(() => expect(checkOn(sly)).toBe('action_required'));
    await told(() =>
      expect(commentsOn(11)).toEqual([
        expect.stringContaining(`/assay approve ${sly.head.sha.slice(0, 12)} REASON`),
      ]),
    );
    atGitHub.permissions.set('ada', 'write');
    atGitHub.permissions.set('helpful[bot]', 'write');
    const approval = `/assay approve ${sly.head.sha.slice(0, 7)}`;
    expect((await comment(11, 'helpful[bot]', `${approval} mine`, 1)).body.outcome).toBe('ignored');
    expect((await comment(11, 'eve', `${approval} please`, 2)).body.outcome).toBe('ignored');
    expect((await comment(11, 'ada', `${approval} agreed`, 3)).body.outcome).toBe('done');
    expect(await stack.ended(idOf(sly))).toMatchObject({
      status: 'done',
      review: { by: 'forge:ada', reason: 'agreed' },
    });
    await told(() => expect(checkOn(sly)).toBe('success'));
    expect((await comment(11, 'ada', '/assay explain', 4)).body.outcome).toBe('done');
    expect(commentsOn(11).at(-1)).toMatch(/^<!-- assay answer to 4 -->\n[\s\S]*What was run and looked at/);
  });

  it('is unverified where its base has nothing to check it with: by the setting that is no success', async () => {
    const plain = pulls.push(12, { 'notes.md': 'two\n' }, { base: 'no-gates' });
    await tellPull('opened', plain);
    expect(await stack.ended(idOf(plain))).toMatchObject({ status: 'done', verified: false });
    await told(() => expect(checkOn(plain)).toBe('action_required'));
    await told(() => expect([...(atGitHub.labels.get(12) ?? [])]).toEqual([FORGE_LABELS.unverified]));
  });
});

describe('a merge group', () => {
  it('is verified on the merged tree, and gets a check and no comment', async () => {
    const base_sha = shop.git('-C', shop.bare, 'rev-parse', 'main');
    const { head } = pulls.push(13, { 'src/sum.js': RIGHT });
    const ref = `gh-readonly-queue/main/pr-13-${base_sha}`;
    shop.git('-C', shop.bare, 'update-ref', `refs/heads/${ref}`, head.sha);
    const group = {
      action: 'checks_requested',
      merge_group: {
        head_sha: head.sha,
        head_ref: `refs/heads/${ref}`,
        base_sha,
        base_ref: 'refs/heads/main',
      },
    };
    const { body } = await tell('merge_group', group);
    expect(body.outcome).toBe('done');
    expect((await tell('merge_group', group)).body.outcome).toBe('ignored');
    expect(await stack.ended(body.task_id ?? '')).toMatchObject({ status: 'done', base_commit: base_sha });
    await told(() => expect(checkOn({ number: 13, updated_at: '', head })).toBe('success'));
    expect(commentsOn(13)).toEqual([]);
  });
});
