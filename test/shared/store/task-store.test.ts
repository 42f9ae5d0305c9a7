import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { Task } from '../../../shared/contract/task/task.ts';
import { recordEvidence, recordVerdict } from '../../../shared/control/task-commands/record-verification.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import {
  evidence,
  FIXED_NOW,
  gate,
  task,
  taskInReview,
  verdict,
  verification,
} from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

/** A table that has no room for what comes next, but for the end of the task. */
function fullTable(): { store: TaskStore; written: Task[] } {
  const written: Task[] = [];
  const send = async (command: unknown): Promise<unknown> => {
    if (!(command instanceof PutCommand)) throw new Error('unknown');
    const item = command.input.Item as unknown as Task;
    if (item.status !== 'failed')
      throw Object.assign(new Error('Item size has exceeded the maximum allowed size'), {
        name: 'ValidationException',
      });
    written.push(item);
    return {};
  };
  return {
    store: new TaskStore(new ItemTable({ send } as unknown as DynamoDBDocumentClient, 'tasks')),
    written,
  };
}

it('ends a task that cannot be written, with the reason, instead of trying for ever', async () => {
  const { store, written } = fullTable();
  const of = recordEvidence(taskInReview(), 1, evidence(), 'key', FIXED_NOW)?.task ?? taskInReview();
  const after = await store.applyCommand(of, (each) => recordVerdict(each, 1, verdict(), FIXED_NOW));
  expect(after).toMatchObject({
    status: 'failed',
    failure: { code: 'task_too_large' },
    attempts: [{ outcome: 'failed' }],
  });
  expect(written).toHaveLength(1);
});

it('refuses what is too large where the task cannot fail of it', async () => {
  const { store } = fullTable();
  const of = task({ status: 'blocked', waits_for: 'W' });
  await expect(
    store.applyCommand(of, (each) => ({ event: 'wait', task: { ...each, version: 2 } })),
  ).rejects.toMatchObject({ code: 'invalid' });
});

it('stores evidence whose facts have an entry that is named constructor', async () => {
  const table = await createTestTable();
  const facts = { constructor: 1, files: 2 };
  const gates = [{ ...verification(), ...gate({ facts }) }];
  await table.tasks.create({ ...taskInReview({ verification: verification({ gates } as never) }), id: 'F' });
  const [stored] = (await table.tasks.require('F')).attempts[0]?.verification?.gates ?? [];
  expect(stored?.facts).toEqual(facts);
  await table.close();
});
