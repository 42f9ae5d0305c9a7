import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import { FORGE_LABELS } from '../../shared/control/forge/forge-report.ts';
import { taskIdOfPullRequest } from '../../shared/control/forge/pull-request-tasks.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import { FakeGitHub } from '../support/forge/fake-github.ts';
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
    'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: false\n',
    'notes.md': 'one\n',
  });
  mkdirSync(join(shop.folder, 'acme'));
  symlinkSync(shop.bare, join(shop.folder, 'acme', 'shop.git'));
  pulls = new PullRequests(shop, atGitHub);
  server = await PrivateGit.start(shop.folder);
  gitHub = await ScriptedForge.start(atGitHub.script);
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
const tasks = async (): Promise<TaskView[]> =>
  (await stack.call<{ tasks: TaskView[] }>('GET', '/tasks?limit=100')).body.tasks;

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
      expect.stringMatching(/\*\*Assay: passed\.\*\*[^]*\| tests \| passed \| executed \|/),
    ]);
    expect(shop.branches().filter((name) => name.startsWith('assay/'))).toEqual([]);
  });
});
