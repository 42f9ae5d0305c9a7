import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  LAUNCH_LOST_AFTER_SECONDS,
  LAUNCH_RETRY_AFTER_SECONDS,
  START_GRACE_SECONDS,
} from '../../../../shared/control/task-commands/deadline.ts';
import type { ContainerState, EcsContainerClient } from '../../../../shared/store/ecs-containers.ts';
import type { StepFunctionsClient } from '../../../../shared/store/state-machines.ts';
import { recordContainerStop } from '../../../../shared/use-cases/containers/container-stopped.ts';
import { reconcileContainers } from '../../../../shared/use-cases/containers/reconcile-containers.ts';
import { reconcileTasks } from '../../../../shared/use-cases/operate/reconcile-tasks.ts';
import { addSeconds, attempt, FIXED_NOW, task, taskInReview, verdict } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { stub } from '../../../support/stub.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** What ECS knows, by ARN. */
let known: Map<string, ContainerState>;
let stopped: string[];
let asked: number[];
beforeEach(async () => {
  known = new Map();
  stopped = [];
  asked = [];
  for (const each of await table.register.list()) await table.register.release(each);
});
const boxes = {
  describe: async (arns: readonly string[]) => {
    asked.push(arns.length);
    return new Map([...known].filter(([arn]) => arns.includes(arn)));
  },
  stop: async (arn: string) => void stopped.push(arn),
} as unknown as EcsContainerClient;
const RUNS: ContainerState = { isStopped: false, stopCode: '', reason: '' };
const sweep = (now: Date, all = false) =>
  reconcileContainers({
    tasks: table.tasks,
    register: table.register,
    containers: boxes,
    now: () => now,
    graceSeconds: all ? 0 : START_GRACE_SECONDS,
    isAfterRestart: all,
    hasTimeLeft: () => true,
  });

let made = 0;
const put = async (of: Task): Promise<Task> => {
  made += 1;
  return (await table.tasks.create({ ...of, id: `swept-${made}`, run: Math.max(1, of.run) })).task;
};
const launch = {
  number: 1,
  token_sha256: 'x',
  model_token_sha256: null,
  assignment_key: 'k',
  lost: false,
  launched_at: FIXED_NOW.toISOString(),
};
const withAgent = () =>
  put(
    task({
      status: 'claimed',
      attempts: [attempt({ agent: launch, lease_until: Math.floor(addSeconds(9_000).getTime() / 1_000) })],
    }),
  );
async function enter(name: string, arn: string | null): Promise<void> {
  const entry = await table.register.admit({ name, by: 'ann', priority: 2 }, 'on_demand', 1_024, FIXED_NOW);
  if (typeof entry === 'string') throw new Error('there is room');
  if (arn !== null) await table.register.recordStart(entry, arn);
}
const names = async () => (await table.register.list()).map(({ name }) => name);
const now = (id: string): Promise<Task> => table.tasks.require(id);

describe('a box that was started', () => {
  it('is left alone as long as ECS says that it runs, and asked about with a hundred others at once', async () => {
    const { id } = await withAgent();
    await enter(`${id}/1/agent/1`, 'arn:1');
    await enter(`${id}/1/gates/1`, 'arn:2');
    known.set('arn:1', RUNS).set('arn:2', RUNS);
    await sweep(addSeconds(3_000));
    expect([asked, (await now(id)).version]).toEqual([[2], 1]);
    expect(await names()).toHaveLength(2);
  });

  it('and has stopped costs its attempt, as the event would have said; its room is free', async () => {
    const { id } = await withAgent();
    await enter(`${id}/1/agent/1`, 'arn:1');
    known.set('arn:1', { isStopped: true, stopCode: 'EssentialContainerExited', reason: 'exit' });
    await sweep(addSeconds(1));
    expect(await now(id)).toMatchObject({ status: 'open', attempts: [{ outcome: 'infra_failed' }] });
    expect(await names()).toEqual([]);
  });

  it('and was taken away by Spot is excused: no retry is spent', async () => {
    const { id } = await withAgent();
    await enter(`${id}/1/agent/1`, 'arn:1');
    known.set('arn:1', {
      isStopped: true,
      stopCode: 'SpotInterruption',
      reason: 'Your Spot Task was interrupted.',
    });
    await sweep(addSeconds(1));
    expect(await now(id)).toMatchObject({
      retries: 0,
      attempts: [{ outcome: null, agent: { excused_losses: 1 } }],
    });
  });

  it('and that ECS does not know counts as lost only when ECS has had time to know it', async () => {
    const { id } = await put(taskInReview({ gates: launch }));
    await enter(`${id}/1/gates/1`, 'arn:1');
    await sweep(addSeconds(START_GRACE_SECONDS - 1));
    expect((await now(id)).run).toBe(1);
    await sweep(addSeconds(START_GRACE_SECONDS));
    expect(await now(id)).toMatchObject({ run: 2, attempts: [{ gates: { lost: true } }] });
  });

  it.each([
    ['gates', taskInReview({ gates: launch }), LAUNCH_LOST_AFTER_SECONDS.gates],
    [
      'deliver',
      taskInReview({
        deliver: launch,
        verdict: verdict(),
        decision: {
          action: 'accept',
          reason: 'r',
          next_model: null,
          next_tier: null,
          at: FIXED_NOW.toISOString(),
        },
      }),
      LAUNCH_LOST_AFTER_SECONDS.deliver,
    ],
  ] as const)('as the %s box and hangs is stopped, and launched again', async (kind, of, longest) => {
    const { id } = await put(of);
    await enter(`${id}/1/${kind}/1`, 'arn:1');
    known.set('arn:1', RUNS);
    await sweep(addSeconds(longest - 1));
    expect(stopped).toEqual([]);
    await sweep(addSeconds(longest));
    expect(stopped).toEqual(['arn:1']);
    expect(await now(id)).toMatchObject({ run: 2, attempts: [{ [kind]: { lost: true } }] });
  });
});

describe('a box that was asked for, and nobody says that it runs', () => {
  it('is asked for again once its message must have come a second time: by a new run, under the same name', async () => {
    const { id } = await withAgent();
    await enter(`${id}/1/agent/1`, null);
    await sweep(addSeconds(LAUNCH_RETRY_AFTER_SECONDS - 1));
    expect((await now(id)).run).toBe(1);
    await sweep(addSeconds(LAUNCH_RETRY_AFTER_SECONDS));
    expect(await now(id)).toMatchObject({
      run: 2,
      retries: 0,
      attempts: [{ agent: { number: 1, lost: false } }],
    });
    expect(await names()).toEqual([`${id}/1/agent/1`]);
    await sweep(addSeconds(LAUNCH_RETRY_AFTER_SECONDS + 1));
    expect((await now(id)).run).toBe(2);
  });

  it.each([
    ['the task is over', task({ status: 'cancelled', attempts: [attempt({ agent: launch })] })],
    ['it was never written down', task({ status: 'claimed', attempts: [attempt()] })],
  ])('makes room when nobody waits for it: %s', async (_why, of) => {
    const { id } = await put(of);
    await enter(`${id}/1/agent/1`, null);
    await sweep(addSeconds(LAUNCH_RETRY_AFTER_SECONDS));
    expect([await names(), (await now(id)).version]).toEqual([[], 1]);
  });

  it('without an entry is asked for again, too: its message was lost', async () => {
    const { id } = await put(taskInReview({ gates: launch }));
    const { tasks, requests, deadlines, beats, locks, counts, beliefs, spend, register } = table;
    const round = (at: Date) =>
      reconcileTasks({
        tasks,
        workRequests: requests,
        deadlines,
        heartbeats: beats,
        locks,
        counts,
        beliefs,
        spend,
        register,
        stateMachines: stub<StepFunctionsClient>({ startExecution: async () => {} }),
        cascadeMachineArn: 'arn',
        onCompletion: () => {},
        now: () => at,
        graceSeconds: START_GRACE_SECONDS,
        isAfterRestart: false,
        hasTimeLeft: () => true,
      });
    await round(addSeconds(LAUNCH_RETRY_AFTER_SECONDS - 1));
    expect((await now(id)).run).toBe(1);
    await round(addSeconds(LAUNCH_RETRY_AFTER_SECONDS));
    expect(await now(id)).toMatchObject({ run: 2, attempts: [{ gates: { number: 1, lost: false } }] });
  });
});

it('after a stop of the whole machine all boxes are looked at at once', async () => {
  const { id } = await withAgent();
  const { id: other } = await put(taskInReview({ gates: launch }));
  await enter(`${id}/1/agent/1`, 'arn:gone');
  await enter(`${other}/1/gates/1`, null);
  await sweep(addSeconds(1), true);
  expect((await now(id)).attempts[0]?.outcome).toBe('infra_failed');
  expect((await now(other)).run).toBe(2);
});

it('what one box has wrong with it does not keep the others from being looked at', async () => {
  const { id } = await withAgent();
  await enter('no-such-task/1/agent/1', 'arn:1');
  await enter(`${id}/1/agent/1`, 'arn:2');
  known.set('arn:1', { ...RUNS, isStopped: true }).set('arn:2', { ...RUNS, isStopped: true });
  expect((await sweep(addSeconds(1))).failed).toEqual([]);
  expect(await names()).toEqual([]);
  expect((await now(id)).attempts[0]?.outcome).toBe('infra_failed');
});

it('the event of a box that stopped frees its room, also when it has reported', async () => {
  const { id } = await put(taskInReview({ agent: launch }));
  await enter(`${id}/1/agent/1`, 'arn:1');
  const context = { tasks: table.tasks, register: table.register, now: () => addSeconds(1) };
  expect(await recordContainerStop(`${id}/1/agent/1`, 'EssentialContainerExited', 'exit', context)).toBe(
    false,
  );
  expect(await names()).toEqual([]);
});
