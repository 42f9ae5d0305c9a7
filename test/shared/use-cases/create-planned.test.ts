import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plan } from '../../../shared/contract/plan/schema.ts';
import { TaskStore } from '../../../shared/store/tasks.ts';
import { createPlanned } from '../../../shared/use-cases/submit/plan.ts';
import { inReview, later, NOW, task } from '../../support/builders.ts';
import { testTable } from '../../support/dynalite.ts';

const signal = (path: string) => [{ type: 'path_exists' as const, path }];
const { tasks: planned } = Plan.parse({
  tasks: [
    { key: 'last', title: 'Last', depends_on: ['middle'], completion_signals: signal('c') },
    { key: 'middle', title: 'Middle', depends_on: ['first'], completion_signals: signal('b') },
    { key: 'first', title: 'First', completion_signals: signal('a') },
  ],
});
const planOf = (id: string) =>
  inReview({}, { id, plan: { max_tasks: 5, proposal: { tasks: planned, notes: [] } }, role: 'manager' });
const keys = ['first', 'middle', 'last'];

let table: Awaited<ReturnType<typeof testTable>>;
let tasks: TaskStore;
beforeAll(async () => {
  table = await testTable();
  tasks = new TaskStore(table.db, 'tasks');
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
      await expect(createPlanned(plan, failing(at, written), NOW)).rejects.toThrow('the power failed');
      await createPlanned(plan, tasks, later(60));
      const made = await Promise.all(keys.map((key) => tasks.require(`${plan.id}-${key}`)));
      await createPlanned(plan, tasks, later(120));
      expect(await Promise.all(keys.map((key) => tasks.require(`${plan.id}-${key}`)))).toEqual(made);
      expect(made.map(({ version }) => version)).toEqual([1, 1, 1]);
      // What was there before the cut stays as it was.
      expect(made[0]?.created_at).toBe((at > 0 || written ? NOW : later(60)).toISOString());
    },
  );

  it('is refused, and makes nothing that depends on it, where an id belongs to another task', async () => {
    const plan = planOf('other');
    await tasks.create(task({ id: 'other-middle' }));
    await expect(createPlanned(plan, tasks, NOW)).rejects.toMatchObject({ code: 'id_taken' });
    expect(await tasks.get('other-last')).toBeNull();
  });
});
