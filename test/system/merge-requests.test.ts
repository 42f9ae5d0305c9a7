import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORGE_LABELS } from '../../shared/control/forge/forge-report.ts';
import { taskIdOfPullRequest } from '../../shared/control/forge/pull-request-tasks.ts';
import type { ForgeEventResult } from '../../shared/control/forge/webhook.ts';
import { FakeGitLab } from '../support/forge/fake-gitlab.ts';
import { ScriptedForge } from '../support/forge/scripted-forge.ts';
import { PrivateGit } from './support/private-git.ts';
import { PROJECT, Repository, RIGHT, WRONG } from './support/repository.ts';
import { type Answer, Stack } from './support/stack.ts';

const SECRET = 'the secret of the webhook of GitLab';
const AUTHOR = 'project_7_bot_0f3a';
let stack: Stack;
let shop: Repository;
let server: PrivateGit;
let gitLab: ScriptedForge;
let folder: string;
const atGitLab = new FakeGitLab('lab/shop');

beforeAll(async () => {
  shop = new Repository(PROJECT);
  mkdirSync(join(shop.folder, 'lab'));
  symlinkSync(shop.bare, join(shop.folder, 'lab', 'shop.git'));
  folder = join(shop.folder, 'author');
  shop.git('clone', '-q', shop.bare, folder);
  server = await PrivateGit.start(shop.folder);
  gitLab = await ScriptedForge.start(atGitLab.script);
  const [app] = (JSON.parse(server.secret('lab')) as { credentials: object[] }).credentials;
  stack = await Stack.start({
    NODE_EXTRA_CA_CERTS: server.certificate,
    ASSAY_GIT_CREDENTIALS: JSON.stringify({ credentials: [app] }),
    ASSAY_FORGES: JSON.stringify([{ url: server.url('lab'), forge: 'gitlab', api_url: gitLab.url }]),
    ASSAY_FORGE_CREDENTIALS: JSON.stringify({
      credentials: [{ url: server.url('lab'), token: 'glpat', webhook_secret: SECRET }],
    }),
  });
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([server.stop(), gitLab.stop()]);
  shop.remove();
});

const tell = (value: object): Promise<Answer<ForgeEventResult>> =>
  stack.call(
    'POST',
    '/webhooks/gitlab',
    {
      project: { git_http_url: server.url('lab/shop.git'), default_branch: 'main' },
      user: { username: AUTHOR },
      ...value,
    },
    { authorization: '', 'x-gitlab-token': SECRET },
  );

let seconds = 0;
/** A second later with each call, in GitLab's older form of a time. */
const now = (): string =>
  new Date(Date.now() + 1_000 * seconds++)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z/, ' UTC');

/** Commits files on top of a merge request, or on main, and has GitLab know of it. Returns the attributes of its event. */
function push(iid: number, files: Readonly<Record<string, string>>, fork = false) {
  const git = (...args: string[]): string => shop.git('-C', folder, ...args);
  const ref = `refs/merge-requests/${iid}/head`;
  git('fetch', '-q', 'origin', 'main');
  const isNew = shop.git('-C', shop.bare, 'for-each-ref', ref) === '';
  if (!isNew) git('fetch', '-q', 'origin', ref);
  git('checkout', '-q', '--detach', isNew ? 'origin/main' : 'FETCH_HEAD');
  const oldrev = git('rev-parse', 'HEAD');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  git('add', '-A');
  git('commit', '-q', '-m', `merge request ${iid}`);
  git('push', '-q', 'origin', `HEAD:${ref}`);
  const sha = git('rev-parse', 'HEAD');
  const fields = {
    ...{ iid, title: 'Make sum add', description: 'Closes #12', draft: false },
    ...{ source_branch: 'fix-sum', target_branch: 'main' },
    ...{ source_project_id: fork ? 2 : 1, target_project_id: 1 },
  };
  atGitLab.openRequests.set(iid, { ...fields, author: { username: AUTHOR }, state: 'opened', sha });
  return {
    sha,
    event: (action: string) => ({
      object_kind: 'merge_request',
      object_attributes: {
        ...fields,
        action,
        ...(action === 'update' && !isNew && { oldrev }),
        updated_at: now(),
        last_commit: { id: sha },
      },
    }),
  };
}
const note = (iid: number, username: string, text: string, id: number) =>
  tell({
    object_kind: 'note',
    user: { username },
    merge_request: { iid },
    object_attributes: { id, note: text, created_at: now() },
  });

const idOf = (iid: number, sha: string): string =>
  taskIdOfPullRequest(server.url('lab/shop.git'), { kind: 'pull_request', number: iid, head_commit: sha });
const told = (what: () => void): Promise<void> => vi.waitFor(what, { timeout: 30_000, interval: 50 });
const notesOn = (iid: number): string[] =>
  atGitLab.notes.filter(({ at }) => at === `merge_requests/${iid}`).map(({ body }) => body);
const statusOf = (sha: string): string | undefined =>
  atGitLab.statuses.findLast(({ commit }) => commit === sha)?.status;

describe('a merge request of a bot at GitLab', () => {
  it('gets a failed status on a bad head and a successful one on a good head, with one note', async () => {
    atGitLab.issues.set(12, { title: 'sum is wrong', description: 'sum(2, 2) must be 4.' });
    const bad = push(7, { 'src/sum.js': WRONG });
    const opened = bad.event('open');
    const answers = await Promise.all([1, 2, 3].map(() => tell(opened)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stack.ended(idOf(7, bad.sha))).toMatchObject({
      status: 'failed',
      runner: 'pull_request',
      description: 'Closes #12\n\n## Issue 12: sum is wrong\n\nsum(2, 2) must be 4.',
      pull_request: { author: AUTHOR, author_kind: 'bot', head_ref: 'refs/merge-requests/7/head' },
    });
    await told(() => expect(atGitLab.labels.get('merge_requests/7')).toEqual([FORGE_LABELS.failed]));
    expect(statusOf(bad.sha)).toBe('failed');
    expect(notesOn(7)).toEqual([expect.stringContaining('**Assay: failed.**')]);

    const good = push(7, { 'src/sum.js': RIGHT });
    expect((await tell(good.event('update'))).body.outcome).toBe('done');
    expect(await stack.ended(idOf(7, good.sha))).toMatchObject({ status: 'done', verified: true });
    await told(() => expect(atGitLab.labels.get('merge_requests/7')).toEqual([]));
    expect([statusOf(bad.sha), statusOf(good.sha)]).toEqual(['failed', 'success']);
    expect(notesOn(7)).toEqual([expect.stringContaining('**Assay: passed.**')]);
  });

  it('of a fork that needs review is pending, until a developer who is not its author approves it', async () => {
    const config = PROJECT['assay.yaml'].replace('tests: true', 'tests: false');
    const sly = push(8, { 'assay.yaml': config, 'src/sum.js': RIGHT }, true);
    await tell(sly.event('open'));
    await stack.until(idOf(8, sly.sha), 'a hold', ({ hold }) => hold !== null);
    await told(() => expect(statusOf(sly.sha)).toBe('pending'));
    for (const [login, level] of [
      ['ada', 30],
      ['eve', 20],
      [AUTHOR, 30],
    ] as const)
      atGitLab.members.set(login, level);
    const approval = `/assay approve ${sly.sha.slice(0, 8)} agreed`;
    expect((await note(8, 'eve', approval, 1)).body.outcome).toBe('ignored');
    expect((await note(8, AUTHOR, approval, 2)).body.outcome).toBe('ignored');
    seconds += 5;
    expect((await note(8, 'ada', approval, 3)).body.outcome).toBe('done');
    expect(await stack.ended(idOf(8, sly.sha))).toMatchObject({ review: { by: 'forge:ada' } });
    await told(() => expect(statusOf(sly.sha)).toBe('success'));
    expect((await note(8, 'ada', '/assay explain', 4)).body.outcome).toBe('done');
    expect(notesOn(8).at(-1)).toMatch(/^<!-- assay answer to 4 -->/);
    expect((await note(8, 'ada', '/assay fix it', 5)).body).toMatchObject({
      outcome: 'ignored',
      reason: 'only pull requests that Assay opened are revised',
    });
  });

  it('ends with its merge request', async () => {
    const closed = push(9, { 'src/sum.js': RIGHT });
    await tell(closed.event('open'));
    await tell(closed.event('close'));
    expect(['cancelled', 'done']).toContain((await stack.ended(idOf(9, closed.sha))).status);
  });
});
