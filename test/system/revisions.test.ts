import { createHmac } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { taskIdOfIssue } from '../../shared/control/forge/issue-tasks.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import { FakeGitHub } from '../support/forge/fake-github.ts';
import { GITHUB_CONTRACT } from '../support/forge/openapi-contract.ts';
import { ScriptedForge } from '../support/forge/scripted-forge.ts';
import { PrivateGit } from './support/private-git.ts';
import { PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { type Answer, Stack } from './support/stack.ts';

const SECRET = 'the secret of the webhook of GitHub';
let stack: Stack;
let shop: Repository;
let server: PrivateGit;
let gitHub: ScriptedForge;
const atGitHub = new FakeGitHub((token) => server.given.some((each) => each.token === token));

/** Makes the sum right at first, and then a note of each text that its reviewers wrote. */
const AGENT = `const fs = require('node:fs'); const prompt = process.argv[1];
const asked = /ADD: (\\w+)/.exec(prompt);
if (asked) { ${writes('src/NAME.js', 'export const added = 1;\n').replaceAll('"src/NAME.js"', "'src/' + asked[1] + '.js'")} }
else { ${writes('src/sum.js', RIGHT)} }`;

beforeAll(async () => {
  shop = new Repository(PROJECT);
  mkdirSync(join(shop.folder, 'acme'));
  symlinkSync(shop.bare, join(shop.folder, 'acme', 'shop.git'));
  server = await PrivateGit.start(shop.folder);
  gitHub = await ScriptedForge.start(atGitHub.script, GITHUB_CONTRACT);
  const [app] = (JSON.parse(server.secret('acme')) as { credentials: object[] }).credentials;
  stack = await Stack.start({
    NODE_EXTRA_CA_CERTS: server.certificate,
    ASSAY_GIT_CREDENTIALS: JSON.stringify({ credentials: [app] }),
    ASSAY_FORGES: JSON.stringify([{ url: server.url('acme'), forge: 'github', api_url: gitHub.url }]),
    ASSAY_FORGE_CREDENTIALS: JSON.stringify({ credentials: [{ ...app, webhook_secret: SECRET }] }),
    ASSAY_DEFAULT_ADAPTER: JSON.stringify({
      kind: 'command',
      argv: [process.execPath, '-e', AGENT, '{prompt}'],
    }),
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
const now = (): string => new Date().toISOString().replace(/\.\d+/, '');
const told = (what: () => void): Promise<void> => vi.waitFor(what, { timeout: 30_000, interval: 50 });
const headOf = (branch: string): string => shop.git('-C', shop.bare, 'rev-parse', branch);

/** Has GitHub know the pull request as it is after a push. */
function showPull(number: number, branch: string) {
  const sha = headOf(branch);
  shop.git('-C', shop.bare, 'update-ref', `refs/pull/${number}/head`, sha);
  const repo = { full_name: 'acme/shop' };
  const pull = {
    number,
    title: 'Make sum add',
    body: '',
    user: { login: 'assay[bot]', type: 'Bot' },
    state: 'open',
    updated_at: now(),
    head: { ref: branch, sha, repo },
    base: { ref: 'main', repo },
  };
  atGitHub.openPulls.set(number, pull);
  return pull;
}

it('revises a pull request of its own on request: one commit more each time, verified against the target', async () => {
  const issue = { number: 42, title: 'Make sum add', body: 'It subtracts.', updated_at: now() };
  await tell('issues', { action: 'labeled', issue, label: { name: 'assay' } });
  const id = taskIdOfIssue(server.url('acme/shop.git'), 42);
  await stack.ended(id);
  await told(() => expect(atGitHub.pulls).toHaveLength(1));
  const number = atGitHub.pulls[0]?.number ?? 0;
  const branch = `assay/${id}`;
  showPull(number, branch);
  atGitHub.permissions.set('ada', 'write');

  const first = await tell('issue_comment', {
    action: 'created',
    issue: { ...issue, number, pull_request: {} },
    comment: {
      ...{ id: 5, body: '/assay fix please ADD: more', created_at: now() },
      ...{ author_association: 'MEMBER', user: { login: 'ada' } },
    },
  });
  expect(first.body).toMatchObject({ outcome: 'done' });
  const before = headOf(branch);
  const revised = await stack.ended(first.body.task_id ?? '');
  expect(revised).toMatchObject({ status: 'done', verified: true, branch, base_commit: before });
  expect(shop.show(branch, 'src/more.js')).toBe('export const added = 1;');
  expect(headOf(`${branch}~1`)).toBe(before);

  // A collaborator pushes, and a review follows.
  shop.git('-C', join(shop.folder, 'work'), 'fetch', '-q', 'origin', branch);
  shop.git('-C', join(shop.folder, 'work'), 'checkout', '-q', 'FETCH_HEAD');
  shop.git('-C', join(shop.folder, 'work'), 'commit', '-q', '--allow-empty', '-m', 'by hand');
  shop.git('-C', join(shop.folder, 'work'), 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
  showPull(number, branch);
  atGitHub.reviewComments.push({ path: 'src/more.js', line: 1, body: 'ADD: again' });
  const second = await tell('pull_request_review', {
    action: 'submitted',
    pull_request: { number },
    review: { id: 31, state: 'changes_requested', body: 'Nearly.', user: { login: 'ada' } },
  });
  expect(await stack.ended(second.body.task_id ?? '')).toMatchObject({ status: 'done', verified: true });
  expect(shop.show(branch, 'src/again.js')).toBe('export const added = 1;');
  expect(shop.commitsAbove('main', branch)).toBe(4);
  expect(shop.branches().filter((name) => name.startsWith('assay/'))).toEqual([branch]);

  // The push is an event like any other: the required check is about the merge with the target branch.
  const pull = showPull(number, branch);
  const pushed = await tell('pull_request', { action: 'synchronize', before, pull_request: pull });
  expect(await stack.ended(pushed.body.task_id ?? '')).toMatchObject({
    ...{ status: 'done', verified: true, runner: 'pull_request', title: 'Make sum add' },
    base_commit: headOf('main'),
  });
  await told(() =>
    expect(atGitHub.runs.filter(({ head_sha }) => head_sha === pull.head.sha)).toMatchObject([
      { name: 'Assay (main)', conclusion: 'success' },
    ]),
  );
  await told(() =>
    expect(
      atGitHub.comments.filter((each) => each.issue === number && each.body.includes('assay task revision-')),
    ).toEqual([1, 2].map(() => expect.objectContaining({ body: expect.stringContaining('Assay: done') }))),
  );
});
