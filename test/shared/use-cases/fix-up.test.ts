import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { TaskSubmissionInput } from '../../../shared/contract/submission/schema.ts';
import type { Attempt } from '../../../shared/contract/task/attempt.ts';
import { deliveryBranchName, type Task } from '../../../shared/contract/task/task.ts';
import { finishTaskAfterCascade } from '../../../shared/control/task-commands/finish-task.ts';
import { fixUpId } from '../../../shared/control/task-commands/fix-up.ts';
import { startRetryRound } from '../../../shared/control/task-commands/operator-commands.ts';
import { FileLockStore } from '../../../shared/store/file-locks.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import { runSelectModelStep } from '../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyTaskWriteEffects,
  repeatTaskProjections,
  type TaskProjectionContext,
} from '../../../shared/use-cases/cascade/task-write-effects.ts';
import { claimTask } from '../../../shared/use-cases/work/claim-task.ts';
import {
  addSeconds,
  artifact,
  attempt,
  FIXED_NOW,
  NOOP_DEADLINES,
  report,
  task,
  verdict,
  verification,
} from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let tasks: TaskStore;
let context: TaskProjectionContext;
let made = 0;
beforeAll(async () => {
  table = await createTestTable();
  tasks = new TaskStore(new ItemTable(table.db, 'tasks'));
  const nothing = async (): Promise<never[]> => [];
  context = {
    tasks,
    locks: new FileLockStore(new ItemTable(table.db, 'tasks'), tasks),
    counts: { count: async () => false },
    beliefs: { recordOutcome: nothing },
    breakers: { recordMark: nothing },
    spend: { settle: nothing },
    stateMachines: { startExecution: nothing, wake: nothing },
    cascadeMachineArn: 'm',
    now: () => addSeconds(60),
    onCompletion: () => {},
  } as unknown as TaskProjectionContext;
});
afterAll(() => table.close());

const gaveUp = (fields: Partial<Attempt> = {}): Attempt =>
  attempt({
    outcome: 'failed',
    report: report({ summary: 'I did everything, trust me' }),
    artifact: artifact(),
    verification: {
      ...verification(),
      failed_checks: [{ check: 'tests', message: 'test/a.test.ts:4 test_failed: rounds half up' }],
    },
    verdict: verdict({ verdict: 'fail' }),
    decision: {
      action: 'give_up',
      reason: 'r',
      next_model: null,
      next_tier: null,
      at: FIXED_NOW.toISOString(),
    },
    ...fields,
  });

/** A task in the table, as it stands before it ends. */
async function present(
  request: Partial<TaskSubmissionInput> = {},
  fields: Partial<Task> = {},
): Promise<Task> {
  const of = task({ id: `w${++made}`, run: 1, ...fields }, { max_fix_ups: 2, ...request });
  return (await tasks.create(of)).task;
}
const judged = (of: Task, attempts: readonly Attempt[] = [gaveUp()]): Promise<Task> =>
  tasks.applyCommand(of.id, (each) => ({
    event: 'claim',
    task: { ...each, status: 'in_review', version: each.version + 1, attempts: [...attempts] },
  }));
/** Ends a task by its verdict, and follows that write. */
async function fail(of: Task, attempts?: readonly Attempt[], times = 1): Promise<Task> {
  const before = await judged(of, attempts);
  const after = await tasks.applyCommand(of.id, (each) => finishTaskAfterCascade(each, addSeconds(10)));
  for (let time = 0; time < times; time++) await applyTaskWriteEffects(before, after, context);
  return after;
}
const dependent = async (on: readonly string[], more: Partial<TaskSubmissionInput> = {}): Promise<Task> => {
  const of = task(
    {
      id: `d${++made}`,
      status: 'blocked',
      waits_for: on[0] ?? null,
      blocked_reason: { code: 'dependency_pending', task_id: on[0] ?? '', message: 'waits' },
      base_commit: null,
    },
    { depends_on: [...on], base_ref: deliveryBranchName(on[0] ?? ''), ...more },
  );
  return (await tasks.create(of)).task;
};
const now = async (id: string): Promise<Task> => tasks.require(id);

describe('a task whose work fails its checks for good', () => {
  test('has a fix-up that takes its place, however often the write is told', async () => {
    const first = await present({ description: 'Round half up.', files: ['src/a.ts'], role: 'frontend' });
    const waiter = await dependent([first.id]);
    const failed = await fail(first, undefined, 3);
    const fix = await now(failed.superseded_by ?? '');
    expect(failed).toMatchObject({
      status: 'failed',
      superseded_by: fixUpId(failed),
      failure: { mode: 'quality' },
    });
    expect(fix).toMatchObject({
      status: 'open',
      run: 1,
      title: `Fix: ${first.title}`,
      role: 'frontend',
      files: ['src/a.ts'],
      depends_on: [],
      attempts: [],
      fix_up_of: { task_id: first.id, root_task_id: first.id, generation: 1, earlier_attempts: 1 },
    });
    expect(fix.description).toContain('Round half up.');
    expect(fix.description).toContain('rounds half up');
    expect(fix.description).not.toContain('trust me');
    expect(await now(waiter.id)).toMatchObject({
      status: 'blocked',
      depends_on: [fix.id],
      waits_for: fix.id,
      rewired_dependencies: [{ from: first.id, to: fix.id }],
      base_ref: deliveryBranchName(fix.id),
      blocked_reason: { code: 'dependency_pending' },
    });
    const version = (await now(fix.id)).version;
    await repeatTaskProjections(failed, context);
    expect((await now(fix.id)).version).toBe(version);
  });

  test('passes on what it depended on, and what came of its hidden tests', async () => {
    const done = await present({}, { status: 'done' });
    const hidden = {
      kind: 'object',
      key: 'hidden/x',
      sha256: 'a'.repeat(64),
    } as unknown as Task['hidden_tests'];
    const failed = await fail(await present({ depends_on: [done.id] }, { hidden_tests: hidden }));
    expect(await now(failed.superseded_by ?? '')).toMatchObject({
      depends_on: [done.id],
      hidden_tests: hidden,
      status: 'open',
    });
  });

  test('is mended twice at most, in five attempts of one piece of work', async () => {
    const first = await fail(await present());
    const second = await fail(await now(first.superseded_by ?? ''));
    const last = await now(second.superseded_by ?? '');
    expect(last).toMatchObject({
      title: `Fix: ${first.title}`,
      fix_up_of: { root_task_id: first.id, generation: 2, earlier_attempts: 2 },
      budget: { max_attempts: 3 },
    });
    expect(last.description.match(/## What failed before/g)).toHaveLength(1);
    const end = await fail(last);
    expect(end.superseded_by).toBeUndefined();
    expect(end.failure?.message).toContain('no fix-up: 2 of 2 fix-ups were made');

    const five = [1, 2, 3, 4, 5].map((number) => gaveUp({ number }));
    const spent = await fail(await present(), five);
    expect(spent.failure?.message).toContain('no fix-up: 5 attempts of one piece of work were made');
    const broke = await fail(await present({ budget: { max_cost_usd: 1 } }), [gaveUp({ cost_usd: 1 })]);
    expect(broke.failure?.message).toContain('no money');
  });

  test.each<[string, Partial<TaskSubmissionInput>, Partial<Attempt>]>([
    ['where none was asked for', { max_fix_ups: 0 }, {}],
    [
      'that brought no work',
      {},
      { verdict: null, report: report({ status: 'failed', failure_code: 'provider_auth' }) },
    ],
    ['whose evidence was not conclusive', {}, { verdict: verdict({ verdict: 'refer' }) }],
  ])('has none %s', async (_what, request, fields) => {
    const failed = await fail(await present(request), [gaveUp(fields)]);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed.superseded_by).toBeUndefined();
    expect(failed.failure?.message).not.toContain('no fix-up');
  });

  test('is not tried again beside its fix-up, and no stranger takes its place', async () => {
    const failed = await fail(await present());
    expect(() => startRetryRound(failed, addSeconds(20))).toThrow(`retry ${failed.superseded_by} instead`);
    const other = await present();
    const waiter = await dependent([other.id]);
    const stranger = task({ id: fixUpId(other) });
    await tasks.create(stranger);
    await fail(other);
    expect(await now(waiter.id)).toMatchObject({
      depends_on: [other.id],
      blocked_reason: { code: 'dependency_failed' },
    });
  });
});

describe('a task that three wait for', () => {
  const started = async (waiting: number) => {
    const of = await present({}, { base_commit: 'a'.repeat(40) });
    for (let each = 0; each < waiting; each++) await dependent([of.id]);
    await runSelectModelStep(of.id, 1, {
      tasks,
      deadlines: NOOP_DEADLINES,
      locks: context.locks,
      models: MODELS,
      now: addSeconds(1),
    });
    return now(of.id);
  };

  test('is a foundation from then on, and says so', async () => {
    expect((await started(3)).foundation).toEqual({ dependents: 3, since: addSeconds(1).toISOString() });
    expect((await started(2)).foundation).toBeUndefined();
  });

  test('is one for an outside agent, too', async () => {
    const of = await present({ runner: 'external' }, { base_commit: 'a'.repeat(40) });
    for (let each = 0; each < 3; each++) await dependent([of.id]);
    const { locks } = context;
    await claimTask(of.id, null, { tasks, locks, claimant: 'ann', leaseSeconds: 60, now: addSeconds(1) });
    expect((await now(of.id)).foundation).toEqual({ dependents: 3, since: addSeconds(1).toISOString() });
  });
});
