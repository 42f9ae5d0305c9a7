import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CoordinationSettings } from '../../../../shared/contract/coordination/settings.ts';
import { Plan } from '../../../../shared/contract/plan/schema.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import {
  createPlannedTasks,
  replanAfterFailure,
  submitPlan,
} from '../../../../shared/use-cases/submit/plans.ts';
import { ANY_AGENTS, addSeconds, FIXED_NOW, REJECTING_OBJECTS, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const proposal = {
  ...Plan.parse({
    tasks: ['a', 'b'].map((key) => ({
      key,
      title: `Do ${key}`,
      completion_signals: [{ type: 'path_exists', path: 'x' }],
    })),
  }),
  notes: [],
};

describe('a task of a plan that has failed for good', () => {
  const made = async (id: string, replan_strategy: 'noop' | 'magentic') => {
    const coordination = CoordinationSettings.parse({ replan_strategy });
    const plan = task({
      id,
      description: 'Round half to even',
      status: 'done',
      plan: { max_tasks: 5, proposal, coordination },
    });
    await table.tasks.create(plan);
    await createPlannedTasks(plan, table.tasks, FIXED_NOW);
    const child = await table.tasks.require(`${id}-a`);
    expect(child.origin).toMatchObject({ task_id: id, root_task_id: id });
    return {
      ...child,
      status: 'failed' as const,
      failure: { code: 'x', message: 'y' },
      ended_at: addSeconds(1).toISOString(),
    };
  };

  test('has the goal planned anew once, however often that is told', async () => {
    const failed = await made('P1', 'magentic');
    const tasks = {
      ...table.tasks,
      get: table.tasks.get.bind(table.tasks),
      create: table.tasks.create.bind(table.tasks),
      getMany: async () => new Map([[failed.id, failed]]),
    };
    await replanAfterFailure(failed, tasks, FIXED_NOW);
    const first = await table.tasks.require('P1-r1');
    await replanAfterFailure(failed, tasks, addSeconds(9));
    expect(await table.tasks.require('P1-r1')).toEqual(first);
    expect(first.plan).toMatchObject({
      proposal: null,
      progress_ledger: { reset_count: 1, completed_count: 0 },
    });
    expect(first.origin).toMatchObject({ task_id: 'P1', root_task_id: 'P1' });
  });

  test('changes nothing by default, nor where a fix-up has taken its place', async () => {
    await replanAfterFailure(await made('P2', 'noop'), table.tasks, FIXED_NOW);
    expect(await table.tasks.get('P2-r1')).toBeNull();
    await replanAfterFailure(
      { ...(await made('P3', 'magentic')), superseded_by: 'P3-a-f1' },
      table.tasks,
      FIXED_NOW,
    );
    expect(await table.tasks.get('P3-r1')).toBeNull();
  });
});

describe('a goal', () => {
  const context = {
    tasks: null as never,
    objects: REJECTING_OBJECTS,
    now: FIXED_NOW,
    submitter: 'ann',
    idempotencyKey: null,
    allowFileRepositories: false,
    pushScopes: [],
    agents: ANY_AGENTS,
    autonomy: 'semi' as const,
  };
  const asks = (more: object) =>
    submitPlan(
      {
        goal: 'Round prices half to even',
        repository: 'https://example.org/shop.git',
        max_tasks: 5,
        ...more,
      },
      { ...context, tasks: table.tasks },
    );

  test.each([
    [{ goal: 'It works' }, '/goal'],
    [{ acceptance_criteria: ['It is done now'] }, '/acceptance_criteria'],
  ])('that is unclear is refused with its place, before anything is stored: %j', async (more, pointer) => {
    const error = await asks(more).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).errors[0]?.pointer).toBe(pointer);
  });

  test('is planned at no more autonomy than the deployment has', async () => {
    expect((await asks({ autonomy: 'full' })).task.autonomy).toBe('semi');
    expect((await asks({})).task.autonomy).toBeUndefined();
  });

  test('is taken as it is where the gate is off, or is no part of the chain', async () => {
    const off = CoordinationSettings.parse({ clarification_gate: { enabled: false } });
    const without = CoordinationSettings.parse({ chain: ['task_ledger'] });
    for (const coordination of [off, without])
      expect((await asks({ goal: 'It works', coordination })).created).toBe(true);
  });
});
