import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../../../functions/notify/post-json.ts';
import { type Notice, noticeOfEvent, selectTargets } from '../../../../shared/control/notify/notice.ts';
import { NotifyTargets } from '../../../../shared/control/notify/notify-settings.ts';
import { renderSlackMessage, renderTeamsMessage } from '../../../../shared/control/notify/render-notice.ts';
import { signWebhook } from '../../../../shared/control/notify/sign-webhook.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { NoticeStore } from '../../../../shared/store/notices.ts';
import { deliverNotice, type NoticeContext } from '../../../../shared/use-cases/operate/deliver-notice.ts';
import { MemoryTable } from '../../../support/memory-table.ts';
import { chatSecret, chatTargets, ScriptedChats } from '../../../support/notify/scripted-chats.ts';

const PAGE = 'https://assay.example';
const event = (name: string, version: number, more: Record<string, unknown> = {}) => ({
  id: `bridge-${version}`,
  time: '2026-01-02T03:04:05Z',
  'detail-type': name,
  detail: {
    event_id: `T1#${version}#${name.toLowerCase().replaceAll(' ', '_')}`,
    schema_version: 1,
    summary: `Task T1 (Make sum add) ${name}`,
    at: '2026-01-02T03:04:05.000Z',
    task_id: 'T1',
    title: 'Make sum add',
    role: 'backend',
    priority: 2,
    runner: 'managed',
    repository: 'https://github.com/acme/shop',
    created_by: 'ada',
    version,
    attempts: 2,
    cost_usd: 1.5,
    ...more,
  },
});
const HELD = { reasons: ['no tests'], plan: false, base_commit: null, tree: null };
const FAILED = { code: 'gates_failed', message: 'no' };
const DONE = { verified: true, branch: null, commit: null, delivery: null };
const SPENT = { reason: 'attempts', max_attempts: 2, max_cost_usd: null };
const notice = (...[name, version, more]: Parameters<typeof event>): Notice => {
  const read = noticeOfEvent(event(name, version, more));
  if (read === null) throw new Error(`${name} is no notice`);
  return read;
};
const alarm = (state: string) => ({
  id: 'alarm-1',
  time: '2026-01-02T03:04:05Z',
  'detail-type': 'CloudWatch Alarm State Change',
  detail: {
    alarmName: 'Assay-UnverifiedRatio',
    state: { value: state, reason: 'Threshold Crossed', timestamp: '2026-01-02T03:04:05.000+0000' },
    configuration: { description: 'More than 10 % of the completions have no evidence.', metrics: [] },
  },
});

let chats: ScriptedChats;
let context: NoticeContext;
let table: MemoryTable;
let now = new Date('2026-01-02T03:04:06Z');
beforeAll(async () => {
  chats = await ScriptedChats.start();
});
afterAll(() => chats.stop());
beforeEach(() => {
  for (const each of [chats.slack, chats.teams, chats.webhooks, chats.requests, chats.failures])
    each.length = 0;
  chats.botMessages.clear();
  table = new MemoryTable();
  now = new Date();
  const db = { send: async (command: unknown) => table.carryOut(command) };
  context = {
    targets: NotifyTargets.parse(chatTargets(chats)),
    readSecret: async () => chatSecret(chats),
    notices: new NoticeStore(new ItemTable(db as unknown as DynamoDBDocumentClient, 'tasks')),
    post: postJson,
    pageUrl: PAGE,
    now: () => now,
  };
});
const deliver = (target: string, of: Notice) =>
  deliverNotice({ kind: 'notice', target, notice: of }, context);

describe('a message of a bot', () => {
  it('is one for each task: posted when reviewers are needed, and updated with what follows', async () => {
    expect(await deliver('bot', notice('Task Held', 3, HELD))).toBe('sent');
    expect([...chats.botMessages.values()]).toMatchObject([
      {
        text: expect.stringContaining('Needs review: Make sum add'),
        links: [`${PAGE}/#/task/T1`],
      },
    ]);
    expect(await deliver('bot', notice('Task Done', 5, DONE))).toBe('sent');
    expect([...chats.botMessages.values()]).toMatchObject([
      { text: expect.stringContaining('Done: Make sum add') },
    ]);
    expect(chats.requests).toEqual(['/api/chat.postMessage', '/api/chat.update']);
  });

  it('says nothing of a task that was no reason to write', async () => {
    expect(await deliver('bot', notice('Task Done', 5, DONE))).toBe('unwanted');
    expect(chats.requests).toEqual([]);
  });

  it('is not changed by a repeated event, nor by one that comes late', async () => {
    await deliver('bot', notice('Task Failed', 5, FAILED));
    expect(await deliver('bot', notice('Task Failed', 5, FAILED))).toBe('repeated');
    expect(await deliver('bot', notice('Task Held', 3, HELD))).toBe('repeated');
    expect(chats.requests).toHaveLength(1);
  });

  it('is posted anew where it was removed', async () => {
    await deliver('bot', notice('Task Held', 3, HELD));
    chats.botMessages.clear();
    await deliver('bot', notice('Task Failed', 5, FAILED));
    expect([...chats.botMessages.values()]).toMatchObject([{ text: expect.stringContaining('Failed') }]);
  });

  it('is tried again where Slack refuses it, and the error repeats no token', async () => {
    chats.failures.push([200, '{"ok":false,"error":"invalid_auth"}']);
    await expect(deliver('bot', notice('Task Held', 3, HELD))).rejects.toThrow(
      /^bot: chat.postMessage answers invalid_auth$/,
    );
    expect(await deliver('bot', notice('Task Held', 3, HELD))).toBe('sent');
  });

  it('is sent by one of two senders at a time; a lost one holds up the other for its claim only', async () => {
    const { claim } = context.notices;
    expect(await claim.call(context.notices, 'bot', 'T1', now)).not.toBeNull();
    await expect(deliver('bot', notice('Task Held', 3, HELD))).rejects.toThrow('is being sent');
    now = new Date(now.getTime() + 91_000);
    expect(await deliver('bot', notice('Task Held', 3, HELD))).toBe('sent');
  });
});

describe('a message of an incoming webhook', () => {
  it.each(['slack', 'teams'] as const)('of %s has what happened and a button, once', async (target) => {
    expect(await deliver(target, notice('Task Held', 3, HELD))).toBe('sent');
    expect(await deliver(target, notice('Task Held', 3, HELD))).toBe('repeated');
    expect(chats[target]).toMatchObject([
      {
        text: expect.stringMatching(/Needs review: Make sum add[\s\S]*T1 \\?\(Make sum add\\?\) Task Held/),
        links: [`${PAGE}/#/task/T1`],
      },
    ]);
    expect(chats[target][0]?.text).toContain('$1.50');
  });

  it.each(['slack', 'teams'] as const)('of %s is one where a write made two events', async (target) => {
    expect(await deliver(target, notice('Budget Spent', 5, SPENT))).toBe('sent');
    expect(await deliver(target, notice('Task Failed', 5, FAILED))).toBe('repeated');
    expect(chats[target]).toHaveLength(1);
  });

  it.each(['slack', 'teams'] as const)('of %s tells of alarms that begin', async (target) => {
    expect(noticeOfEvent(alarm('OK'))).toBeNull();
    const begun = noticeOfEvent(alarm('ALARM'));
    if (begun === null) throw new Error('an alarm is a notice');
    await deliver(target, begun);
    expect(chats[target]).toMatchObject([
      { text: expect.stringContaining('of the completions have no evidence'), links: [`${PAGE}/`] },
    ]);
  });

  it('of Teams is tried again where the connector says so with status 200', async () => {
    chats.failures.push([
      200,
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
    ]);
    await expect(deliver('teams', notice('Task Held', 3, HELD))).rejects.toThrow('was not delivered');
    expect(chats.teams).toEqual([]);
  });

  it('keeps markup, mentions and links of a title as text', () => {
    const hostile = notice('Task Held', 3, {
      ...HELD,
      title: '<!channel> *x* <https://evil.test|click> & [a](https://evil.test)\n_y_',
    });
    const slack = JSON.stringify(renderSlackMessage(hostile, PAGE));
    expect(slack).not.toMatch(/<!channel>|<https/);
    // Slack makes links of bare addresses, too, unless a text is verbatim.
    expect(slack.match(/"mrkdwn"/g)).toHaveLength(slack.match(/"verbatim":true/g)?.length ?? 0);
    expect(slack).toContain('&lt;!channel&gt;');
    const teams = JSON.stringify(renderTeamsMessage(hostile, PAGE));
    expect(teams).not.toContain('[a](https');
  });
});

describe('a message of Slack', () => {
  it.each(['&', '<', '_', '`x'])('has no block that Slack refuses where a text is full of %s', (part) => {
    const long = notice('Task Held', 3, {
      ...HELD,
      title: part.repeat(500),
      summary: part.repeat(1_000),
    });
    const { blocks } = renderSlackMessage(long, PAGE) as { blocks: { text?: { text: string } }[] };
    const text = blocks[0]?.text?.text ?? '';
    expect(text.length).toBeGreaterThan(1_000);
    expect(text.length).toBeLessThanOrEqual(3_000);
  });
});

describe('a webhook', () => {
  it('is signed, has the whole event and the address of the task, and keeps its id when it is repeated', async () => {
    const done = notice('Task Done', 5, DONE);
    chats.failures.push([503, 'later', { 'retry-after': '7' }]);
    await expect(deliver('hook', done)).rejects.toMatchObject({ message: 'hook answers 503', retryAfter: 7 });
    expect(await deliver('hook', done)).toBe('sent');
    expect(chats.webhooks).toEqual([
      {
        id: 'T1#5#task_done',
        body: {
          type: 'task.done',
          timestamp: '2026-01-02T03:04:05.000Z',
          data: { ...done.detail, url: `${PAGE}/#/task/T1` },
        },
      },
    ]);
  });

  it('is signed as the specification says', () => {
    // The example of the specification and of its libraries.
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const at = new Date(1_614_265_330_000);
    expect(signWebhook(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, '{"test": 2432232314}')).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('gets each event by itself', async () => {
    await deliver('hook', notice('Budget Spent', 5, SPENT));
    await deliver('hook', notice('Task Failed', 5, FAILED));
    expect(chats.webhooks.map(({ body }) => body.type)).toEqual(['budget.spent', 'task.failed']);
  });
});

describe('a target', () => {
  it('is chosen by event and repository', () => {
    const targets = NotifyTargets.parse([
      { name: 'all', kind: 'webhook' },
      { name: 'shop', kind: 'slack', repositories: ['https://github.com/acme'] },
      { name: 'other', kind: 'teams', repositories: ['https://github.com/other'] },
      { name: 'alarms', kind: 'teams', events: ['Alarm'] },
    ]);
    const names = (of: Notice) => selectTargets(targets, of).map(({ name }) => name);
    expect(names(notice('Task Held', 3, HELD))).toEqual(['all', 'shop']);
    expect(names(notice('Task Done', 3, DONE))).toEqual(['all']);
    expect(names(noticeOfEvent(alarm('ALARM')) as Notice)).toEqual(['all', 'alarms']);
  });

  it.each([
    ['https://127.0.0.1/hush', '127.0.0.1 is not a public address'],
    ['https://[::1]/hush', '::1 is not a public address'],
    ['https://169.254.169.254/hush', 'is not a public address'],
    ['https://localhost/hush', 'localhost has no public address'],
    ['http://example.com/hush', 'is not asked over http:'],
  ])('of a network of one’s own is asked only where that is allowed: %s', async (url, reason) => {
    const told = postJson(url, '{}', {}, { allowPrivateAddress: false });
    await expect(told).rejects.toThrow(reason);
    await expect(told).rejects.not.toThrow('hush');
  });

  it('that answers with a redirect was not told', async () => {
    chats.failures.push([302, '', { location: 'http://169.254.169.254/' }]);
    await expect(deliver('hook', notice('Task Held', 3, HELD))).rejects.toThrow('hook answers 302');
    expect(chats.requests).toHaveLength(1);
  });

  it('without a credential of its kind is named', async () => {
    context = { ...context, readSecret: async () => ({ targets: { hook: { url: `${chats.url}/hook` } } }) };
    await expect(deliver('hook', notice('Task Held', 3, HELD))).rejects.toThrow(
      '/targets/hook needs a signing_key',
    );
    await expect(deliver('bot', notice('Task Held', 3, HELD))).rejects.toThrow('has none for bot');
  });

  it('that was removed since is told nothing', async () => {
    expect(await deliver('gone', notice('Task Held', 3, HELD))).toBe('no_target');
  });
});
