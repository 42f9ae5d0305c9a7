import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../shared/cascade/tiers.ts';
import { Refusal } from '../../../shared/refusal.ts';
import type { Boxes } from '../../../shared/store/boxes.ts';
import type { Machines } from '../../../shared/store/machines.ts';
import { failByOperator } from '../../../shared/task/commands/operate.ts';
import { settle } from '../../../shared/task/commands/settle.ts';
import { keepAlive } from '../../../shared/task/commands/work.ts';
import type { SubmitTaskInput } from '../../../shared/task/schema.ts';
import type { Task } from '../../../shared/task/task.ts';
import { selectModel } from '../../../shared/use-cases/cascade.ts';
import { claimNext } from '../../../shared/use-cases/claim.ts';
import { type FollowContext, follow } from '../../../shared/use-cases/follow.ts';
import { reconcile } from '../../../shared/use-cases/reconcile.ts';
import { submitTask } from '../../../shared/use-cases/submit.ts';
import { inReview, later, NOW, submission, verdict } from '../../support/builders.ts';
import { testTable } from '../../support/dynalite.ts';

let table: Awaited<ReturnType<typeof testTable>>;
beforeAll(async () => {
  table = await testTable();
});
afterAll(() => table.close());

let started: string[] = [];
let woken: [string, unknown][] = [];
let running = new Set<string>();
let completions: string[] = [];
beforeEach(() => {
  started = [];
  woken = [];
  running = new Set();
  completions = [];
});

const machines = {
  start: async (_arn: string, name: string) => void started.push(name),
  wake: async (token: string, output: unknown) => {
    woken.push([token, output]);
    return true;
  },
  isRunning: async (_arn: string, name: string) => running.has(name),
} as unknown as Machines;
const boxes = { isRunning: async (name: string) => running.has(name) } as unknown as Boxes;
const at = (now: Date): FollowContext => ({
  tasks: table.tasks,
  locks: table.locks,
  nudge: table.nudge,
  machines,
  cascadeMachine: 'arn',
  now: () => now,
  onCompletion: (task) => void completions.push(task.id),
});
const put = (now: Date, graceSeconds = 0) =>
  reconcile({ tasks: table.tasks, boxes, machines, cascadeMachine: 'arn', now: () => now, graceSeconds });
const submit = async (request: Partial<SubmitTaskInput> = {}): Promise<Task> =>
  (
    await submitTask(submission(request), {
      tasks: table.tasks,
      now: NOW,
      by: 'ann',
      idempotencyKey: null,
      allowFileRepositories: false,
    })
  ).task;
const claim = (role: string, now = NOW) =>
  claimNext(role, { tasks: table.tasks, locks: table.locks, now, by: 'bob', leaseSeconds: 120 });
const now = async (id: string): Promise<Task> => table.tasks.require(id);

describe('a lease', () => {
  it('that runs out reopens the task for another claimer, and the first one is told that it is late', async () => {
    const { id } = await submit({ runner: 'external', role: 'lease' });
    const first = await claim('lease');
    await put(later(119));
    expect((await now(id)).status).toBe('claimed');
    await put(later(121));
    expect(await now(id)).toMatchObject({ status: 'open', retries: 1, attempts: [{ outcome: 'expired' }] });
    const second = await claim('lease', later(122));
    expect(second.attempt).toBe(2);
    await expect(
      table.tasks.change(id, (task) => keepAlive(task, first.attempt, 120, later(123))),
    ).rejects.toThrow(Refusal);
  });

  it('fails the task only when its retries are used up', async () => {
    const { id } = await submit({ runner: 'external', role: 'short', max_retries: 1 });
    await claim('short');
    await put(later(200));
    await claim('short', later(300));
    await put(later(500));
    expect(await now(id)).toMatchObject({ status: 'failed', failure: { code: 'lease_expired' } });
  });
});

describe('a lost execution', () => {
  it('is started again under the next run, and a running one is left alone', async () => {
    const { id } = await submit();
    running.add(`${id}-r1`);
    await put(later(60));
    expect((await now(id)).run).toBe(1);
    running.clear();
    await put(later(60), 120);
    expect((await now(id)).run).toBe(1);
    await put(later(60));
    expect((await now(id)).run).toBe(2);
  });
});

describe('following the stream', () => {
  it('opens who waits, releases files and counts the completion once, however often the record comes', async () => {
    const repository = 'https://example.test/follow.git';
    const first = await submit({ repository, files: ['a.ts'] });
    const waiter = await submit({ depends_on: [first.id] });
    const cascade = { tasks: table.tasks, locks: table.locks, models: DEFAULT_TIER_MODELS, now: NOW };
    await selectModel(first.id, 1, cascade);
    const rival = await submit({ repository, files: ['a.ts'] });
    expect(await selectModel(rival.id, 1, cascade)).toMatchObject({ stage: 'waiting' });

    const decision = {
      action: 'accept' as const,
      reason: 'r',
      next_model: null,
      next_tier: null,
      at: NOW.toISOString(),
    };
    const reviewed = await table.tasks.change(first.id, (task) => ({
      event: 'keep',
      task: {
        ...inReview({ verdict: verdict({ verified: false }), decision }),
        id: first.id,
        repository,
        files: ['a.ts'],
        version: task.version + 1,
      },
    }));
    const done = await table.tasks.change(first.id, (task) => settle(task, NOW));
    expect(done.status).toBe('done');
    for (let time = 0; time < 3; time++) await follow(reviewed, done, at(NOW));
    expect(completions).toEqual([first.id]);
    expect(await now(waiter.id)).toMatchObject({ status: 'open', run: 1 });
    expect(await now(rival.id)).toMatchObject({ status: 'open', waits_for: null, run: 2 });
    expect(await selectModel(rival.id, 2, cascade)).toMatchObject({ stage: 'run_agent' });
  });

  it('wakes nobody who was overtaken: a waiter written just after the end looks for itself', async () => {
    const dependency = await submit();
    const waiter = await submit({ depends_on: [dependency.id] });
    const failed = await table.tasks.change(dependency.id, (task) => failByOperator(task, 'x', 'ann', NOW));
    await follow(null, waiter, at(NOW));
    expect(await now(waiter.id)).toMatchObject({
      status: 'blocked',
      blocked_reason: { code: 'dependency_failed', task_id: failed.id },
    });
  });

  it('starts each run by its own name, in whatever order the records come', async () => {
    const made = await submit();
    await follow({ ...made, run: 1 }, { ...made, run: 2 }, at(NOW));
    await follow(null, made, at(NOW));
    expect(started).toEqual([`${made.id}-r2`, `${made.id}-r1`]);
    expect(woken).toEqual([]);
  });
});
