import { createHmac } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { findNewMergedWorkKeys } from '../../../../shared/contract/task/merged-work.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import type { ForgeClient } from '../../../../shared/control/forge/forge.ts';
import { ForgeCredentialsSecret, ForgeSettings } from '../../../../shared/control/forge/forge-settings.ts';
import { changeRequestMarker, taskIdOfIssue } from '../../../../shared/control/forge/issue-tasks.ts';
import {
  type ForgeEventResult,
  isRetryCommand,
  MAX_WEBHOOK_BYTES,
} from '../../../../shared/control/forge/webhook.ts';
import { deriveWorkOutcomeRows } from '../../../../shared/control/ledger/outcome-rows.ts';
import { WorkOutcomeRow } from '../../../../shared/control/ledger/record-rows.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { MergedWorkStore } from '../../../../shared/store/merged-work.ts';
import { TaskStore } from '../../../../shared/store/task-store.ts';
import { handleForgeEvent } from '../../../../shared/use-cases/deliver/handle-forge-event.ts';
import { ANY_AGENTS, addSeconds, attempt, FIXED_NOW, task } from '../../../support/builders.ts';
import { MemoryTable } from '../../../support/memory-table.ts';
import { stub } from '../../../support/stub.ts';

const SHOP = 'https://github.com/acme/shop.git';
const SECRET = 'a secret of the webhook';
const ID = taskIdOfIssue(SHOP, 42);
const at = (seconds: number): string => addSeconds(seconds).toISOString().replace('.000', '');

let store: TaskStore;
let landed: MergedWorkStore;
beforeEach(() => {
  const table = new MemoryTable();
  const db = {
    send: async (command: unknown) => table.carryOut(command),
  } as unknown as DynamoDBDocumentClient;
  store = new TaskStore(new ItemTable(db, 'tasks'));
  landed = new MergedWorkStore(new ItemTable(db, 'tasks'));
});

const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const hear = (
  event: string,
  value: object,
  headers: Record<string, string> = {},
): Promise<ForgeEventResult> => {
  const body = JSON.stringify(value);
  return send(body, { 'x-github-event': event, 'x-hub-signature-256': sign(body), ...headers });
};
const send = (body: string, headers: Record<string, string>, forge: 'github' | 'gitlab' = 'github') =>
  handleForgeEvent(forge, headers, Buffer.from(body), {
    tasks: store,
    mergedWork: landed,
    pullRequests: {
      findTask: async () => null,
      countRequest: async () => true,
      recordClosed: async () => {},
    },
    connect: async () => stub<ForgeClient>({ readChangeRequest: async () => null }),
    now: addSeconds(3_600),
    allowFileRepositories: false,
    pushScopes: [],
    pullRequestScopes: ['https://github.com/acme', 'https://gitlab.test/acme'],
    agents: ANY_AGENTS,
    settings: ForgeSettings.parse([
      { url: 'https://github.com/acme', forge: 'github' },
      { url: 'https://github.com/acme/vault', forge: 'github' },
      { url: 'https://gitlab.test/acme', forge: 'gitlab', label: 'robot' },
    ]),
    secret: async () =>
      ForgeCredentialsSecret.parse({
        credentials: [
          { url: 'https://github.com/acme', token: 't', webhook_secret: SECRET },
          { url: 'https://github.com/acme/vault.git', token: 't', webhook_secret: `${SECRET} of the vault` },
          { url: 'https://gitlab.test/acme', token: 't', webhook_secret: `${SECRET} of GitLab` },
        ],
      }),
  });

/** What the conductor does of what a merge has told. */
const follow = async (before: Task): Promise<void> => {
  const after = await store.require(before.id);
  for (const as of findNewMergedWorkKeys(before, after))
    await landed.put(after.repository, as, after.id, FIXED_NOW);
};

const repository = { clone_url: SHOP, default_branch: 'trunk' };
const issue = { number: 42, title: 'Round up', body: 'Please.', updated_at: at(0) };
const labeled = (fields: object = {}) => ({
  action: 'labeled',
  issue,
  label: { name: 'assay' },
  sender: { login: 'ada' },
  repository,
  ...fields,
});
const retryBy = (association: string, created_at: string, body = '/assay retry', on: object = issue) => ({
  action: 'created',
  issue: on,
  comment: { body, created_at, author_association: association, user: { login: 'ada' } },
  repository,
});
const pull = (ref: string, fields: object = {}, action = 'closed') => ({
  action,
  pull_request: {
    number: 7,
    title: 'Round up',
    user: { login: 'ada', type: 'User' },
    merged: true,
    merged_at: at(60),
    closed_at: at(60),
    updated_at: at(60),
    merge_commit_sha: 'c'.repeat(40),
    merged_by: { login: 'ada' },
    head: { ref, sha: 'a'.repeat(40), repo: { full_name: 'acme/shop' } },
    base: { ref: 'trunk', repo: { full_name: 'acme/shop' } },
    ...fields,
  },
  sender: { login: 'ada' },
  repository,
});
const put = (fields: Partial<Task>) =>
  store.create(task({ id: ID, ...fields }, { repository: SHOP, base_ref: 'main' }));

describe('who sends an event', () => {
  it.each([
    ['no signature', {}],
    ['one with another secret', { 'x-hub-signature-256': sign('{}', 'another secret!!') }],
    ['one that is cut', { 'x-hub-signature-256': sign('{}').slice(0, -2) }],
    ['one of SHA-1', { 'x-hub-signature': 'sha1=00' }],
    ['one of another body', { 'x-hub-signature-256': sign('{ }') }],
    ['that of the other forge', { 'x-gitlab-token': `${SECRET} of GitLab` }],
  ])('is not believed with %s', async (_, headers) => {
    await expect(send('{}', headers)).rejects.toMatchObject({ code: 'bad_signature' });
    await expect(store.get(ID)).resolves.toBeNull();
  });

  it('is not believed about repositories that the secret is not for', async () => {
    const other = { ...repository, clone_url: 'https://github.com/evil/shop.git' };
    expect(await hear('issues', labeled({ repository: other }))).toMatchObject({ outcome: 'ignored' });
  });

  it.each([
    ['the wider scope', SECRET, 'ignored'],
    ['the repository itself', `${SECRET} of the vault`, 'done'],
  ])('is believed by the most specific secret only: %s', async (_, secret, outcome) => {
    const vault = { ...repository, clone_url: 'https://github.com/acme/vault.git' };
    const body = JSON.stringify(labeled({ repository: vault }));
    const headers = { 'x-github-event': 'issues', 'x-hub-signature-256': sign(body, secret) };
    expect(await send(body, headers)).toMatchObject({ outcome });
  });

  it('is refused before anything is read when it sends too much', async () => {
    const body = ' '.repeat(MAX_WEBHOOK_BYTES + 1);
    await expect(send(body, {})).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('is told so when what is signed is no JSON, or no event', async () => {
    await expect(send('{', { 'x-hub-signature-256': sign('{') })).rejects.toMatchObject({
      code: 'body_not_json',
    });
    await expect(hear('issues', { action: 'labeled', repository })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  it('is told what to set when its webhook sends forms', async () => {
    const body = `payload=${encodeURIComponent(JSON.stringify(labeled()))}`;
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-hub-signature-256': sign(body),
    };
    await expect(send(body, headers)).rejects.toMatchObject({
      code: 'body_not_json',
      message: expect.stringContaining('set its content type to application/json'),
    });
  });

  it('never breaks us, whatever is in an event', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('issues', 'issue_comment', 'pull_request', 'ping', 'x'),
        fc.jsonValue({ maxDepth: 3 }),
        async (event, value) => {
          const all = { ...labeled(), pull_request: value, comment: value, issue: value };
          const result = await hear(event, all).catch((error: { code?: string }) => error.code);
          expect(result === 'invalid' || typeof result === 'object').toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('an issue that gets the label', () => {
  it('becomes a task of the default branch with a pull request, once however often it is told', async () => {
    expect(await hear('issues', labeled())).toMatchObject({ outcome: 'done', task_id: ID });
    const made = await store.require(ID);
    expect(made).toMatchObject({
      title: 'Round up',
      description: 'Please.',
      base_ref: 'trunk',
      delivery_mode: 'pull_request',
      created_by: 'forge:ada',
    });
    expect(await hear('issues', labeled())).toMatchObject({ outcome: 'ignored', task_id: ID });
    expect((await store.require(ID)).version).toBe(made.version);
  });

  it.each([
    ['another label', { label: { name: 'bug' } }],
    ['a pull request', { issue: { ...issue, pull_request: {} } }],
    ['another action', { action: 'unlabeled' }],
  ])('is ignored for %s', async (_, fields) => {
    expect(await hear('issues', labeled(fields))).toMatchObject({ outcome: 'ignored' });
    expect(await store.get(ID)).toBeNull();
  });
});

describe('/assay retry', () => {
  const failed = (): Partial<Task> => ({
    status: 'failed',
    ended_at: FIXED_NOW.toISOString(),
    attempts: [attempt()],
  });

  it('begins another round, once: told again after that has failed, it does nothing', async () => {
    await put(failed());
    const comment = retryBy('MEMBER', at(60));
    expect(await hear('issue_comment', comment)).toMatchObject({ outcome: 'done', task_id: ID });
    expect(await store.require(ID)).toMatchObject({ status: 'open' });
    expect(await hear('issue_comment', comment)).toMatchObject({ outcome: 'ignored' });
  });

  it('of before the failure, told late, does nothing', async () => {
    await put(failed());
    expect(await hear('issue_comment', retryBy('OWNER', at(-60)))).toMatchObject({ outcome: 'ignored' });
    expect((await store.require(ID)).status).toBe('failed');
  });

  it.each(['NONE', 'CONTRIBUTOR', 'FIRST_TIMER'])('of %s does nothing', async (association) => {
    await put(failed());
    expect(await hear('issue_comment', retryBy(association, at(60)))).toMatchObject({ outcome: 'ignored' });
  });

  it('on a pull request is about the task that its body names, if it is of this repository', async () => {
    await put(failed());
    const on = (body: string) => ({ ...issue, number: 7, pull_request: {}, body });
    const other = retryBy('MEMBER', at(60), '/assay retry', on(changeRequestMarker('T-of-others')));
    expect(await hear('issue_comment', other)).toMatchObject({ outcome: 'ignored' });
    const named = retryBy('MEMBER', at(60), 'please\n/assay retry', on(`${changeRequestMarker(ID)}\nrest`));
    expect(await hear('issue_comment', named)).toMatchObject({ outcome: 'done', task_id: ID });
  });

  it('is found in time in proportion to the comment', () => {
    const ms = (bytes: number): number => {
      const started = performance.now();
      for (const text of ['\n'.repeat(bytes), ' '.repeat(bytes), '\n \t'.repeat(bytes / 3)])
        expect(isRetryCommand(`${text}x`)).toBe(false);
      return performance.now() - started;
    };
    expect(ms(65_536)).toBeLessThan(200);
    expect(isRetryCommand(`${'\n'.repeat(65_536)}\t/assay retry \r\n`)).toBe(true);
  });

  it('within a sentence is none', async () => {
    await put(failed());
    expect(await hear('issue_comment', retryBy('OWNER', at(60), 'try /assay retry'))).toMatchObject({
      outcome: 'ignored',
    });
  });
});

describe('what became of delivered work', () => {
  const done = { status: 'done', verified: true } as const;
  const tell = {
    merged: () => hear('pull_request', pull(`assay/${ID}`)),
    reverted: () => hear('pull_request', pull(`revert-7-assay/${ID}`, { number: 9 })),
    closed: () => hear('pull_request', pull(`assay/${ID}`, { merged: false })),
    reopened: () => hear('pull_request', pull(`assay/${ID}`, { merged: false }, 'reopened')),
  };
  type What = keyof typeof tell;

  it('is written down once, in whatever order and however often it is told', async () => {
    const whats = Object.keys(tell) as What[];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...whats), { maxLength: 8 }), async (order) => {
        await put(done);
        const before = (await store.require(ID)).delivery_outcomes?.length ?? 0;
        for (const what of order) await tell[what]();
        const known = (await store.require(ID)).delivery_outcomes ?? [];
        const due = new Set([...order]);
        expect(known.length).toBeGreaterThanOrEqual(Math.max(before, due.size));
        expect(new Set(known.map(({ outcome: what }) => what)).size).toBe(known.length);
      }),
      { numRuns: 20 },
    );
  });

  it('makes a row of its own, which says which gates had passed it', async () => {
    await put(done);
    const before = await store.require(ID);
    await tell.merged();
    const merged = await store.require(ID);
    await tell.reverted();
    const rows = [
      ...deriveWorkOutcomeRows(before, merged),
      ...deriveWorkOutcomeRows(merged, await store.require(ID)),
    ];
    expect(rows.map((row) => WorkOutcomeRow.parse(row))).toMatchObject([
      { outcome: 'merged', record_id: `${ID}#outcome#merged#7`, request: 7 },
      { outcome: 'reverted', record_id: `${ID}#outcome#reverted`, request: 9 },
    ]);
  });

  it("is taken back by a request of another name that says so in the words of the forge's button", async () => {
    await put(done);
    const before = await store.require(ID);
    const undo = (body: string) => hear('pull_request', pull('undo-it', { number: 9, body }));
    expect(await undo('Reverts acme/shop#7')).toMatchObject({ outcome: 'ignored', task_id: null });
    await tell.merged();
    await follow(before);
    expect(await undo('It broke the build.')).toMatchObject({ outcome: 'ignored' });
    expect(await undo('Reverts acme/shop#7\r\n\r\nIt broke the build.')).toMatchObject({
      outcome: 'done',
      task_id: ID,
    });
    expect(await undo('Reverts acme/shop#7')).toMatchObject({ outcome: 'ignored' });
    expect((await store.require(ID)).delivery_outcomes).toMatchObject([
      { outcome: 'merged' },
      { outcome: 'reverted', request: 9 },
    ]);
  });

  it.each([
    [
      'from a fork whose branch is called as ours',
      pull(`assay/${ID}`, {
        head: { ref: `assay/${ID}`, sha: 'a'.repeat(40), repo: { full_name: 'evil/shop' } },
      }),
    ],
    ['of another branch', pull('feature')],
    ['that undoes it and is not merged', pull(`revert-7-assay/${ID}`, { merged: false })],
  ])('is not told by a pull request %s', async (_, event) => {
    await put(done);
    expect(await hear('pull_request', event)).toMatchObject({ outcome: 'ignored' });
    expect((await store.require(ID)).delivery_outcomes).toBeUndefined();
  });
});

it('GitLab tells the same by its own events', async () => {
  const project = { git_http_url: 'https://gitlab.test/acme/shop.git', default_branch: 'main' };
  const id = taskIdOfIssue(project.git_http_url, 3);
  const tell = (value: object) =>
    send(
      JSON.stringify({ project, user: { username: 'ada' }, ...value }),
      { 'x-gitlab-token': `${SECRET} of GitLab` },
      'gitlab',
    );
  const made = await tell({
    object_kind: 'issue',
    object_attributes: { iid: 3, title: 'Round', description: null, updated_at: '2026-11-20 10:00:00 UTC' },
    changes: { labels: { previous: [], current: [{ title: 'robot' }] } },
  });
  expect(made).toMatchObject({ outcome: 'done', task_id: id });
  await expect(send('{}', { 'x-gitlab-token': SECRET }, 'gitlab')).rejects.toMatchObject({
    code: 'bad_signature',
  });
  expect(await tell({ object_kind: 'note' })).toMatchObject({ outcome: 'ignored' });
});

it("a merge request that GitLab's own button has opened takes the work back", async () => {
  const url = 'https://gitlab.test/acme/shop.git';
  await store.create(task({ id: 'T1', status: 'done', verified: true }, { repository: url }));
  const before = await store.require('T1');
  const merge = (iid: number, source_branch: string, message: string, fields: object = {}) =>
    send(
      JSON.stringify({
        object_kind: 'merge_request',
        project: { git_http_url: url },
        user: { username: 'ada' },
        object_attributes: {
          iid,
          title: 'Do it',
          action: 'merge',
          source_branch,
          target_branch: 'main',
          source_project_id: 1,
          target_project_id: 1,
          updated_at: '2026-11-20 10:00:00 UTC',
          merge_commit_sha: 'e'.repeat(40),
          last_commit: { id: 'd'.repeat(40), message },
          ...fields,
        },
      }),
      { 'x-gitlab-token': `${SECRET} of GitLab` },
      'gitlab',
    );
  expect(await merge(3, 'assay/T1', 'Do it', { squash_commit_sha: 'f'.repeat(40) })).toMatchObject({
    outcome: 'done',
  });
  await follow(before);
  const words = 'Revert "Do it"\n\nThis reverts';
  const open = await merge(4, 'revert-eeeeeeee', `${words} merge request !3`, { action: 'open' });
  expect(open).toMatchObject({ outcome: 'ignored' });
  const fork = await merge(4, 'revert-eeeeeeee', `${words} merge request !3`, { source_project_id: 2 });
  expect(fork).toMatchObject({ outcome: 'ignored' });
  expect(await merge(4, 'revert-eeeeeeee', `${words} merge request !3`)).toMatchObject({
    outcome: 'done',
    task_id: 'T1',
  });
  expect(await merge(5, 'undo', `${words} commit ${'f'.repeat(40)}.`)).toMatchObject({
    outcome: 'ignored',
    task_id: 'T1',
  });
});
