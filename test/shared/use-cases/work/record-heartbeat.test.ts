import { GetCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import type { TaskStatus } from '../../../../shared/contract/task/status.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { START_GRACE_SECONDS } from '../../../../shared/control/task-commands/deadline.ts';
import { applyHeartbeat } from '../../../../shared/control/task-commands/heartbeat.ts';
import { failTaskByOperator } from '../../../../shared/control/task-commands/operator-commands.ts';
import { buildTaskItemKey } from '../../../../shared/store/task-item.ts';
import {
  type ReconcileContext,
  reconcileTasks,
} from '../../../../shared/use-cases/operate/reconcile-tasks.ts';
import { recordHeartbeat } from '../../../../shared/use-cases/work/record-heartbeat.ts';
import { addSeconds, attempt, FIXED_NOW, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

const LEASE = 120;
let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const asked: string[] = [];
const machines = {
  startExecution: async (_arn: string, name: string) => void asked.push(name),
};
const round = (at: Date, more: Partial<ReconcileContext> = {}) => {
  const { tasks, requests, deadlines, beats, locks, counts, beliefs, spend, register } = table;
  return reconcileTasks({
    ...{
      tasks,
      workRequests: requests,
      deadlines,
      heartbeats: beats,
      locks,
      counts,
      beliefs,
      spend,
      register,
    },
    stateMachines: machines as never,
    cascadeMachineArn: 'arn',
    onCompletion: () => {},
    now: () => at,
    graceSeconds: START_GRACE_SECONDS,
    isAfterRestart: false,
    hasTimeLeft: () => true,
    ...more,
  });
};
const beat = (id: string, at: Date, message?: string) =>
  recordHeartbeat(id, 1, message === undefined ? null : { message, percent: null, at: at.toISOString() }, {
    tasks: table.tasks,
    heartbeats: table.beats,
    leaseSeconds: LEASE,
    now: at,
  });
let made = 0;
/** A task whose agent has given its first sign of life just now. */
const begun = async (status: TaskStatus = 'claimed'): Promise<string> => {
  made += 1;
  const { task: put } = await table.tasks.create(
    task({ id: `beats-${made}`, run: 1, status, attempts: [attempt()] }),
  );
  if (status === 'claimed') await beat(put.id, FIXED_NOW);
  return put.id;
};
/** The item of the task itself, as those who follow the stream see it. */
const item = async (id: string): Promise<Record<string, unknown>> =>
  (
    await table.db.send(
      new GetCommand({ TableName: 'tasks', Key: buildTaskItemKey(id), ConsistentRead: true }),
    )
  ).Item ?? {};
const now = (id: string): Promise<Task> => table.tasks.require(id);
const refused = (of: Promise<unknown>): Promise<string> =>
  of.then(
    () => 'nothing',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );

describe('a heartbeat', () => {
  it('moves the task with the first sign of life, and after that writes nothing that a follower of the tasks sees', async () => {
    const id = await begun();
    const first = await item(id);
    expect(first['status']).toBe('in_progress');
    for (const seconds of [30, 60, 90]) await beat(id, addSeconds(seconds), `at ${seconds}`);
    expect(await item(id)).toEqual(first);
    const task = await now(id);
    expect(task.version).toBe(first['version']);
    expect(task.attempts[0]).toMatchObject({
      lease_until: addSeconds(90 + LEASE).getTime() / 1_000,
      progress: { message: 'at 90' },
    });
  });

  it('is what the task says once something else is written of it', async () => {
    const id = await begun();
    await beat(id, addSeconds(60), 'half way');
    await table.tasks.applyCommand(id, (each) => failTaskByOperator(each, 'enough', 'ann', addSeconds(70)));
    expect((await item(id))['attempts']).toMatchObject([{ progress: { message: 'half way' } }]);
  });

  it('keeps the task for as long as it comes, whatever the task itself says of its lease, and asks nobody for the execution', async () => {
    const id = await begun();
    asked.length = 0;
    for (let at = 30; at <= 1_800; at += 30) {
      await beat(id, addSeconds(at));
      await round(addSeconds(at + 1));
    }
    expect(await now(id)).toMatchObject({ status: 'in_progress', version: 2 });
    expect(asked.filter((name) => name.startsWith(`${id}-`))).toEqual([]);
  });

  it('that stays away for a lease gives the task to the next one, and comes too late then', async () => {
    const id = await begun();
    await beat(id, addSeconds(100));
    await round(addSeconds(219));
    expect((await now(id)).status).toBe('in_progress');
    await round(addSeconds(221));
    expect(await now(id)).toMatchObject({ status: 'open', attempts: [{ outcome: 'expired' }] });
    expect(await refused(beat(id, addSeconds(222)))).toBe('stale_lease');
  });

  it('is refused once the lease has run out, also while the task has not heard of it', async () => {
    const id = await begun();
    await beat(id, addSeconds(10));
    expect(await refused(beat(id, addSeconds(131)))).toBe('stale_lease');
    const other = await begun();
    expect(await table.beats.endLease(other, 1, addSeconds(121))).toBe(true);
    expect(await refused(beat(other, addSeconds(121)))).toBe('stale_lease');
  });

  it('that comes first wins against the end of the lease: what it was promised holds', async () => {
    const id = await begun();
    // The reconciler has seen a lease that ran out; a beat of a slow clock, still within it, comes before its write.
    const { deadlines: real } = table;
    const deadlines = {
      listDue: (until: Date) => real.listDue(until),
      set: real.set.bind(real),
      get: async (of: string) => {
        const seen = await real.get(of);
        if (of === id) await beat(id, addSeconds(119));
        return seen;
      },
    } as typeof real;
    await round(addSeconds(121), { deadlines });
    expect((await now(id)).status).toBe('in_progress');
  });

  it('is taken again after a lease that was ended, when the task has another one since', async () => {
    const id = await begun('in_progress');
    expect(await table.beats.endLease(id, 1, addSeconds(150))).toBe(true);
    await table.tasks.applyCommand(id, (each) => ({
      event: 'keep',
      task: {
        ...each,
        version: each.version + 1,
        attempts: [{ ...attempt(), lease_until: Math.floor(addSeconds(400).getTime() / 1_000) }],
      },
    }));
    await beat(id, addSeconds(160));
    expect((await now(id)).attempts[0]?.lease_until).toBe(addSeconds(400).getTime() / 1_000);
    await beat(id, addSeconds(350));
    expect((await now(id)).attempts[0]?.lease_until).toBe(addSeconds(470).getTime() / 1_000);
  });

  it('of an attempt that is over is forgotten when it would be due', async () => {
    const id = await begun();
    await beat(id, addSeconds(100));
    await round(addSeconds(121));
    expect(await table.beats.read(id, 1)).toMatchObject({ deadline: addSeconds(221).toISOString() });
    await table.tasks.applyCommand(id, (each) => failTaskByOperator(each, 'enough', 'ann', addSeconds(130)));
    await round(addSeconds(222));
    expect(await table.beats.read(id, 1)).toBeNull();
  });

  it('looked at as a whole: nothing that beats within its lease is lost, nothing that stops is kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.integer({ min: 1, max: 200 }), round: fc.boolean() }), {
          maxLength: 8,
        }),
        async (steps) => {
          const id = await begun();
          let at = 0;
          let lease = LEASE;
          let isOver = false;
          for (const { after, round: isRound } of steps) {
            at += after;
            if (isRound) {
              await round(addSeconds(at));
              isOver ||= at > lease;
            } else {
              const said = await refused(beat(id, addSeconds(at)));
              expect(said, `at ${at} with a lease until ${lease}`).toBe(
                at > lease ? 'stale_lease' : 'nothing',
              );
              if (at <= lease) lease = at + LEASE;
            }
            expect((await now(id)).status, `at ${at}`).toBe(isOver ? 'open' : 'in_progress');
          }
          await round(addSeconds(Math.max(at, lease) + 1));
          await round(addSeconds(Math.max(at, lease) + 900));
          expect((await now(id)).status).toBe('open');
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a sign of life', () => {
  it('never shortens a lease, and is nothing to another attempt or to one that has reported', () => {
    const running = task({ status: 'in_progress', attempts: [attempt({ lease_until: 500 })] });
    const sign = { attempt: 1, lease_until: 400, progress: null };
    expect(applyHeartbeat(running, sign).attempts[0]?.lease_until).toBe(500);
    expect(applyHeartbeat(running, { ...sign, attempt: 2, lease_until: 900 })).toBe(running);
    const over = task({ status: 'in_review', attempts: [attempt({ lease_until: 500 })] });
    expect(applyHeartbeat(over, { ...sign, lease_until: 900 })).toBe(over);
  });
});
