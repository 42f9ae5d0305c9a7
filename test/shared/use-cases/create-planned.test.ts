import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plan } from '../../../shared/contract/plan/schema.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import { createPlannedTasks } from '../../../shared/use-cases/submit/plans.ts';
import { addSeconds, FIXED_NOW, task, taskInReview } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

const signal = (path: string) => [{ type: 'path_exists' as const, path }];
const { tasks: planned } = Plan.parse({
  tasks: [
    { key: 'last', title: 'Last', depends_on: ['middle'], completion_signals: signal('c') },
    { key: 'middle', title: 'Middle', depends_on: ['first'], completion_signals: signal('b') },
    { key: 'first', title: 'First', completion_signals: signal('a') },
  ],
});
const planOf = (id: string) =>
  taskInReview({}, { id, plan: { max_tasks: 5, proposal: { tasks: planned, notes: [] } }, role: 'manager' });
const keys = ['first', 'middle', 'last'];

let table: Awaited<ReturnType<typeof createTestTable>>;
let tasks: TaskStore;
beforeAll(async () => {
  table = await createTestTable();
  tasks = new TaskStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

/** A store whose power fails at the write of this number (from 0): before it, or with its answer lost. */
function failing(at: number, isWritten: boolean): TaskStore {
  let number = 0;
  const create: TaskStore['create'] = async (of) => {
    const fails = number++ === at;
    if (fails && !isWritten) throw new Error('the power failed');
    const made = await tasks.create(of);
    if (fails) throw new Error('the power failed');
    return made;
  };
  return new Proxy(tasks, { get: (of, name) => (name === 'create' ? create : Reflect.get(of, name)) });
}

describe('making the tasks of a plan', () => {
  it.each([0, 1, 2].flatMap((at) => [true, false].map((written) => [at, written] as const)))(
    'goes on where it was cut off at write %i (written: %s), and makes each task once',
    async (at, written) => {
      const plan = planOf(`cut${at}${written}`);
      await expect(createPlannedTasks(plan, failing(at, written), FIXED_NOW)).rejects.toThrow(
        'the power failed',
      );
      await createPlannedTasks(plan, tasks, addSeconds(60));
      const made = await Promise.all(keys.map((key) => tasks.require(`${plan.id}-${key}`)));
      await createPlannedTasks(plan, tasks, addSeconds(120));
      expect(await Promise.all(keys.map((key) => tasks.require(`${plan.id}-${key}`)))).toEqual(made);
      expect(made.map(({ version }) => version)).toEqual([1, 1, 1]);
      // What was there before the cut stays as it was.
      expect(made[0]?.created_at).toBe((at > 0 || written ? FIXED_NOW : addSeconds(60)).toISOString());
    },
  );

  it('is refused, and makes nothing that depends on it, where an id belongs to another task', async () => {
    const plan = planOf('other');
    await tasks.create(task({ id: 'other-middle' }));
    await expect(createPlannedTasks(plan, tasks, FIXED_NOW)).rejects.toMatchObject({ code: 'id_taken' });
    expect(await tasks.get('other-last')).toBeNull();
  });
});
