import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { listBlockedTasks } from '../../../../shared/use-cases/operate/list-blocked-tasks.ts';
import { FIXED_NOW, task, taskInReview } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
const hold = { reasons: ['unsure'], since: FIXED_NOW.toISOString() };
const held: Task = { ...taskInReview(), id: 'held', hold };
beforeAll(async () => {
  table = await createTestTable();
  await table.tasks.create(held);
  for (const id of ['next', 'secret'])
    await table.tasks.create({
      ...task(),
      id,
      repository: `https://example.com/${id}.git`,
      waits_for: 'held',
      blocked_reason: { code: 'files_locked', task_id: 'held', message: 'src/a.ts is held by held' },
    });
});
afterAll(() => table.close());

describe('the tasks that a task blocks', () => {
  it('are named where the task needs review', async () => {
    expect((await listBlockedTasks(held, table.tasks))?.sort()).toEqual(['next', 'secret']);
  });

  it('leave out those that the caller may not see', async () => {
    const visible = table.tasks.withGuard(({ id }) => {
      if (id === 'secret') throw new Refusal('not_found', 'there is none');
    });
    expect(await listBlockedTasks(held, visible)).toEqual(['next']);
  });

  it('are not asked for where the task goes on by itself', async () => {
    expect(await listBlockedTasks({ ...held, hold: null }, table.tasks)).toBeNull();
  });

  it('are absent where there are none', async () => {
    expect(await listBlockedTasks({ ...held, id: 'alone' }, table.tasks)).toBeNull();
  });
});
