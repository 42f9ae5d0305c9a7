import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TABLE_INDEXES } from '../../../../shared/contract/resource-names.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { taskKey, taskToItem } from '../../../../shared/store/task-item.ts';
import { giveDeadlines } from '../../../../shared/use-cases/operate/give-deadlines.ts';
import { addSeconds, attempt, FIXED_NOW, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeEach(async () => {
  table = await createTestTable();
});
afterEach(() => table.close());

/** An item as it was stored before there was an index of deadlines. */
async function old(of: Task): Promise<void> {
  const { pk, sk } = TABLE_INDEXES.byDeadline;
  const { [pk]: _, [sk]: __, ...item } = taskToItem(of) as Record<string, unknown>;
  await table.db.send(new PutCommand({ TableName: 'tasks', Item: item }));
}
const claimed = (id: string): Task =>
  task({ id, status: 'claimed', attempts: [attempt({ holder: 'ann', lease_until: 1 })] });
const due = async (): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of table.deadlines.listDue(addSeconds(86_400))) ids.push(id);
  return ids.toSorted((a, b) => a.localeCompare(b));
};
const upgrade = (goOn: () => boolean = () => true) => giveDeadlines({ ...table, goOn });

describe('tasks that were stored before there were deadlines', () => {
  it('are given the deadlines that they would have, once', async () => {
    await old(claimed('leased'));
    await old(task({ id: 'waits', status: 'blocked', waits_for: 'leased' }));
    await old(task({ id: 'idle', run: 0 }, { runner: 'external' }));
    await old(task({ id: 'over', status: 'done' }));
    expect(await due()).toEqual([]);
    expect(await upgrade()).toBe(2);
    expect(await due()).toEqual(['leased', 'waits']);
    const before = await table.tasks.require('leased');
    expect(before).toEqual(claimed('leased'));

    await old(claimed('later'));
    expect(await upgrade()).toBe(0);
    expect(await due()).toEqual(['leased', 'waits']);
  });

  it('are gone through in as many rounds as it takes, each going on where the last one stopped', async () => {
    const ids = Array.from({ length: 35 }, (_, index) => `T${String(index).padStart(2, '0')}`);
    for (const id of ids) await old(claimed(id));
    await old(task({ id: 'T99', run: 1, base_commit: null }));
    let left = 0;
    const looked: number[] = [];
    for (let round = 0; round < 40 && (await table.upgrades.get('deadlines')) !== 'done'; round++) {
      left = 2;
      looked.push(await upgrade(() => left-- > 0));
    }
    expect(await table.upgrades.get('deadlines')).toBe('done');
    expect(looked.reduce((sum, each) => sum + each, 0)).toBe(36);
    expect(looked.length).toBeGreaterThan(2);
    expect(await due()).toEqual([...ids, 'T99']);
  });

  it('keep a deadline that somebody has set meanwhile', async () => {
    await old(claimed('T1'));
    const { pk, sk } = TABLE_INDEXES.byDeadline;
    const mine = `${FIXED_NOW.toISOString()}#T1`;
    await table.db.send(
      new UpdateCommand({
        TableName: 'tasks',
        Key: taskKey('T1'),
        UpdateExpression: 'SET #pk = :pk, #sk = :sk',
        ExpressionAttributeNames: { '#pk': pk, '#sk': sk },
        ExpressionAttributeValues: { ':pk': '0', ':sk': mine },
      }),
    );
    expect(await upgrade()).toBe(0);
    expect((await table.deadlines.get('T1'))?.deadline).toBe(FIXED_NOW.toISOString());
  });
});
