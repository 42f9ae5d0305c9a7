import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import { FileHealthList } from '../../shared/control/file-health/file-health-schemas.ts';
import { FORGE_LABELS } from '../../shared/control/forge/forge-report.ts';
import { changeRequestMarker, taskIdOfIssue } from '../../shared/control/forge/issue-tasks.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import type { WorkOutcomeRow } from '../../shared/control/ledger/record-rows.ts';
import { QualityMetrics } from '../../shared/control/metrics/quality-schemas.ts';
import { FakeGitHub } from '../support/forge/fake-github.ts';
import { FakeGitLab } from '../support/forge/fake-gitlab.ts';
import { GITHUB_CONTRACT } from '../support/forge/openapi-contract.ts';
import { ScriptedForge } from '../support/forge/scripted-forge.ts';
import { holding } from './support/holding.ts';
import { PrivateGit } from './support/private-git.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { type Answer, Stack } from './support/stack.ts';

const HOOKS = { github: 'the secret of the webhook of GitHub', gitlab: 'that of the one of GitLab' };
let stack: Stack;
let shop: Repository;
let server: PrivateGit;
let gitHub: ScriptedForge;
let gitLab: ScriptedForge;
let atGitLab: FakeGitLab;
/** GitHub takes tokens that it has given for this repository, and that may write what is asked for here. */
const atGitHub = new FakeGitHub(
  (token) =>
    server.given.find((each) => each.token === token)?.permissions['checks'] === 'write' &&
    server.given.find((each) => each.token === token)?.repositories.join() === 'shop',
);
/** While this file is there, the agent does it wrong. */
const wrong = (): string => join(shop.folder, 'wrong');

beforeAll(async () => {
  shop = new Repository(PROJECT);
  for (const owner of ['acme', 'lab']) {
    mkdirSync(join(shop.folder, owner));
    symlinkSync(shop.bare, join(shop.folder, owner, 'shop.git'));
  }
  server = await PrivateGit.start(shop.folder);
  atGitLab = new FakeGitLab('lab/shop');
  gitHub = await ScriptedForge.start(atGitHub.script, GITHUB_CONTRACT);
  gitLab = await ScriptedForge.start(atGitLab.script);
  const [app] = (JSON.parse(server.secret('acme')) as { credentials: object[] }).credentials;
  stack = await Stack.start({
    NODE_EXTRA_CA_CERTS: server.certificate,
    ASSAY_GIT_CREDENTIALS: JSON.stringify({ credentials: [app, { ...app, url: server.url('lab') }] }),
    ASSAY_FORGES: JSON.stringify([
      { url: server.url('acme'), forge: 'github', api_url: gitHub.url },
      { url: server.url('lab'), forge: 'gitlab', api_url: gitLab.url, label: 'robot' },
    ]),
    ASSAY_FORGE_CREDENTIALS: JSON.stringify({
      credentials: [
        { ...app, webhook_secret: HOOKS.github },
        { url: server.url('lab'), token: 'glpat', webhook_secret: HOOKS.gitlab },
      ],
    }),
    ASSAY_DEFAULT_ADAPTER: JSON.stringify(
      agent(
        `if (fs.existsSync(${JSON.stringify(wrong())})) { ${writes('src/sum.js', WRONG)} } else { ${writes('src/sum.js', RIGHT)} }`,
      ),
    ),
  });
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([server.stop(), gitHub.stop(), gitLab.stop()]);
  shop.remove();
});

const ahead = (seconds: number): string =>
  new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+/, '');

/** An event of GitHub, signed by whoever knows the secret. */
function gitHubTells(event: string, value: object, secret = HOOKS.github): Promise<Answer<ForgeEventResult>> {
  const body = JSON.stringify({
    repository: { clone_url: server.url('acme/shop.git'), default_branch: 'main' },
    sender: { login: 'ada' },
    ...value,
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return stack.call('POST', '/webhooks/github', body, {
    authorization: '',
    'x-github-event': event,
    'x-hub-signature-256': `sha256=${signature}`,
  });
}
const issue = () => ({ number: 42, title: 'Make sum add', body: 'It subtracts.', updated_at: ahead(0) });
const labeled = () => ({ action: 'labeled', issue: issue(), label: { name: 'assay' } });
const retryBy = (author_association: string) => ({
  action: 'created',
  issue: issue(),
  comment: { body: '/assay retry', created_at: ahead(0), author_association, user: { login: 'ada' } },
});
const merged = (number: number, ref: string) => ({
  action: 'closed',
  pull_request: {
    number,
    merged: true,
    merged_at: ahead(0),
    closed_at: ahead(0),
    updated_at: ahead(0),
    merge_commit_sha: 'c'.repeat(40),
    merged_by: { login: 'ada' },
    head: { ref, repo: { full_name: 'acme/shop' } },
    base: { repo: { full_name: 'acme/shop' } },
  },
});

const told = (what: () => void): Promise<void> => vi.waitFor(what, { timeout: 30_000, interval: 50 });
const commentsOn = (number: number): string[] =>
  atGitHub.comments.filter((each) => each.issue === number).map(({ body }) => body);

describe('an issue of GitHub', () => {
  let id: string;
  let task: TaskView;

  it('becomes one task when it gets the label, and none when the event is forged, however often it comes', async () => {
    id = taskIdOfIssue(server.url('acme/shop.git'), 42);
    writeFileSync(wrong(), '');
    const forged = await gitHubTells('issues', labeled(), 'a secret that somebody made up');
    expect(forged).toMatchObject({
      status: 401,
      body: { code: 'bad_signature', title: 'The event was not sent with the secret of its webhook' },
    });
    expect((await stack.call('GET', `/tasks/${id}`)).status).toBe(404);
    // A command about a task that is not there yet: events come out of order.
    expect((await gitHubTells('issue_comment', retryBy('OWNER'))).body.outcome).toBe('ignored');
    const event = labeled();
    const answers = await Promise.all([1, 2, 3].map(() => gitHubTells('issues', event)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(
      (await stack.call<{ tasks: TaskView[] }>('GET', '/tasks')).body.tasks.map((each) => each.id),
    ).toEqual([id]);
  });

  it('is told that its task has failed, and a member has it tried again by a comment, once', async () => {
    expect(await stack.ended(id)).toMatchObject({ status: 'failed' });
    await told(() => expect([...(atGitHub.labels.get(42) ?? [])]).toEqual([FORGE_LABELS.failed]));
    expect(commentsOn(42)).toEqual([expect.stringContaining('**Assay: failed.**')]);
    expect(atGitHub.pulls).toEqual([]);
    rmSync(wrong());
    expect((await gitHubTells('issue_comment', retryBy('NONE'))).body.outcome).toBe('ignored');
    const asked = retryBy('MEMBER');
    expect((await gitHubTells('issue_comment', asked)).body).toMatchObject({ outcome: 'done', task_id: id });
    expect((await gitHubTells('issue_comment', asked)).body.outcome).toBe('ignored');
  });

  it('has its work pushed over smart HTTP, a pull request with the evidence, a check, and one comment each', async () => {
    task = await stack.ended(id);
    expect(task).toMatchObject({ status: 'done', verified: true, branch: `assay/${id}` });
    expect(`${shop.show(`assay/${id}`, 'src/sum.js')}\n`).toBe(RIGHT);
    expect(server.asked).toContain('POST /acme/shop.git/git-receive-pack  200');
    await told(() => expect(atGitHub.labels.get(42)).toEqual(new Set()));
    const [pull, ...more] = atGitHub.pulls;
    expect(more).toEqual([]);
    expect(pull).toMatchObject({ head: `assay/${id}`, base: 'main', title: 'Make sum add' });
    expect(pull?.body).toMatch(
      new RegExp(`^${changeRequestMarker(id)}\nCloses #42\\.[^]*\\| tests \\| passed \\| executed \\|`),
    );
    expect(atGitHub.runs).toMatchObject([
      { head_sha: task.delivery?.commit, conclusion: 'success', external_id: expect.stringContaining(id) },
    ]);
    const done = [expect.stringContaining('**Assay: done, on evidence of our own.**')];
    await told(() => expect([commentsOn(42), commentsOn(pull?.number ?? 0)]).toEqual([done, done]));
  });

  it('feeds what is known of gates when its work is merged and reverted, told twice and the wrong way round', async () => {
    const number = atGitHub.pulls[0]?.number ?? 0;
    const revert = merged(900, `revert-${number}-assay/${id}`);
    const merge = merged(number, `assay/${id}`);
    const answers = [];
    for (const event of [revert, merge, merge, revert])
      answers.push((await gitHubTells('pull_request', event)).body.outcome);
    expect(answers).toEqual(['done', 'done', 'ignored', 'ignored']);
    const rows = await stack.records<WorkOutcomeRow>('work_outcomes');
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['merged', 'reverted']);
    const body = QualityMetrics.parse((await stack.call('GET', '/quality')).body);
    expect(body.gate_stats['tests']).toMatchObject({ false_greens: 1 });
    const { files } = FileHealthList.parse((await stack.call('GET', '/quality/file-health')).body);
    expect(files).toMatchObject([{ path: 'src/sum.js', reverts: 1 }]);
  });

  it('is spoken with by tokens for one repository, and leaves no secret behind', async () => {
    const kinds = new Set(server.given.map(({ permissions }) => JSON.stringify(permissions)));
    expect(kinds).toContain('{"checks":"write","issues":"write","pull_requests":"write"}');
    const secrets = [
      ...server.given.map(({ token }) => token),
      ...Object.values(HOOKS),
      'PRIVATE KEY',
      'glpat',
    ];
    expect(holding(stack.dataDir, secrets)).toEqual([]);
    expect(secrets.filter((each) => stack.log.includes(each))).toEqual([]);
  });
});

describe('an issue of GitLab', () => {
  const tell = (value: object, secret = HOOKS.gitlab): Promise<Answer<ForgeEventResult>> =>
    stack.call(
      'POST',
      '/webhooks/gitlab',
      {
        project: { git_http_url: server.url('lab/shop.git'), default_branch: 'main' },
        user: { username: 'ada' },
        ...value,
      },
      { authorization: '', 'x-gitlab-token': secret },
    );
  const labelled = () => ({
    object_kind: 'issue',
    object_attributes: { iid: 3, title: 'Make sum add', description: null, updated_at: ahead(0) },
    changes: { labels: { previous: [], current: [{ title: 'robot' }] } },
  });

  it('goes the same way: a task, a merge request, a status, one note each, and what became of it', async () => {
    const id = taskIdOfIssue(server.url('lab/shop.git'), 3);
    expect((await tell(labelled(), HOOKS.github)).status).toBe(401);
    expect((await tell(labelled())).body).toMatchObject({ outcome: 'done', task_id: id });
    expect((await tell(labelled())).body.outcome).toBe('ignored');
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verified: true });
    await told(() => expect(atGitLab.notes.map(({ at }) => at)).toEqual(['issues/3', 'merge_requests/5']));
    expect(atGitLab.requests).toMatchObject([{ source_branch: `assay/${id}`, target_branch: 'main' }]);
    expect(atGitLab.statuses).toMatchObject([{ name: 'Assay (main)', status: 'success' }]);
    const request = {
      object_kind: 'merge_request',
      object_attributes: {
        iid: 5,
        action: 'merge',
        source_branch: `assay/${id}`,
        source_project_id: 1,
        target_project_id: 1,
        updated_at: ahead(0),
        merge_commit_sha: 'd'.repeat(40),
      },
    };
    expect((await tell(request)).body).toMatchObject({ outcome: 'done', task_id: id });
    expect((await tell(request)).body.outcome).toBe('ignored');
    // GitLab's own button: of the merge it names the number only, which follows from the write by the stream.
    const undo = {
      object_kind: 'merge_request',
      object_attributes: {
        ...request.object_attributes,
        iid: 6,
        source_branch: 'revert-dddddddd',
        last_commit: { message: 'Revert "Make sum add"\n\nThis reverts merge request !5' },
      },
    };
    const heard = await vi.waitFor(
      async () => {
        const { body } = await tell(undo);
        expect(body.outcome).toBe('done');
        return body;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(heard.task_id).toBe(id);
    expect((await tell(undo)).body.outcome).toBe('ignored');
  });
});
