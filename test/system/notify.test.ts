import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatSecret, chatTargets, ScriptedChats } from '../support/notify/scripted-chats.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
let chats: ScriptedChats;

beforeAll(async () => {
  repository = new Repository(PROJECT);
  chats = await ScriptedChats.start();
  stack = await Stack.start({
    ASSAY_NOTIFY: JSON.stringify(chatTargets(chats)),
    ASSAY_NOTIFY_CREDENTIALS: JSON.stringify(chatSecret(chats)),
  });
});
afterAll(async () => {
  await stack.stop();
  await chats.stop();
  repository.remove();
});

/** Resolves when the chats satisfy a condition, which is looked at after each request. */
const until = (holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (holds()) resolve();
    };
    chats.onRequest = look;
    look();
  });
const typesOf = (id: string): string[] =>
  chats.webhooks.filter(({ body }) => body.data['task_id'] === id).map(({ body }) => body.type);

describe('a deployment with targets of notifications', () => {
  it('tells them of a task that failed, once each although the stream comes twice and a server is busy', async () => {
    await stack.faults({ duplicateStream: true });
    chats.failures.push([503, 'busy'], [503, 'busy']);
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      adapter: agent(writes('src/sum.js', WRONG)),
      budget: { max_attempts: 1 },
    });
    await stack.ended(id);
    await until(
      () =>
        new Set(typesOf(id)).size === 2 &&
        chats.slack.length > 0 &&
        chats.teams.length > 0 &&
        chats.botMessages.size > 0,
    );
    expect(new Set(typesOf(id))).toEqual(new Set(['task.failed', 'budget.spent']));
    for (const message of [...chats.slack, ...chats.teams, ...chats.botMessages.values()]) {
      expect(message.text).toContain('Make sum add');
      expect(message.links).toEqual([`${stack.ready.url}/#/task/${id}`]);
    }
    expect([chats.slack.length, chats.teams.length, chats.botMessages.size]).toEqual([1, 1, 1]);
    await stack.faults({ duplicateStream: false });
  });

  it('updates the one message of a task that needs review when it is done', async () => {
    chats.botMessages.clear();
    const { id } = await stack.submit({
      title: 'Make sum add again',
      repository: repository.url,
      adapter: agent(`${writes('src/sum.js', RIGHT)} ${writes('other.js', 'export {};\n')}`),
      files: ['src/sum.js'],
    });
    await stack.until(id, 'a hold', (task) => task.hold !== null);
    await until(() => [...chats.botMessages.values()].some(({ text }) => text.includes('Needs review')));
    const [attempt] = await stack.attempts(id);
    const answer = await stack.call('POST', `/tasks/${id}/review`, {
      decision: 'approve',
      reason: 'the other file is fine',
      tree: attempt?.artifact?.tree,
    });
    expect(answer.status).toBe(200);
    await stack.ended(id);
    await until(() => [...chats.botMessages.values()].some(({ text }) => text.includes('Done')));
    expect(chats.botMessages.size).toBe(1);
  });
});
