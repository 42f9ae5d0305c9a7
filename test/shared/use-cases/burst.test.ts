import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { computeBackoffSeconds } from '../../../functions/dispatch/backoff.ts';
import { SimulatedTable } from '../../../lab/simulator/engines/simulated-table.ts';
import type { LaunchMessage } from '../../../shared/contract/messages/step-messages.ts';
import { Refusal } from '../../../shared/contract/refusal.ts';
import { containerLaunchName } from '../../../shared/contract/task/task.ts';
import {
  ADMISSION_RETRY_SECONDS,
  MAX_TIMES_PASSED_OVER,
  STARVATION_SECONDS,
} from '../../../shared/control/admission/admission-control.ts';
import { startAttempt } from '../../../shared/control/task-commands/start-attempt.ts';
import { provideNoCredentials } from '../../../shared/store/credential-provider.ts';
import type { DeliveryInvoker } from '../../../shared/store/delivery-invoker.ts';
import type { EcsContainerClient } from '../../../shared/store/ecs-containers.ts';
import { FileLockStore } from '../../../shared/store/file-locks.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { LaunchError } from '../../../shared/store/launch-error.ts';
import { ObjectStore } from '../../../shared/store/object-store.ts';
import {
  type RunningContainerEntry,
  RunningContainerStore,
} from '../../../shared/store/running-containers.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import { launchContainer } from '../../../shared/use-cases/containers/launch-container.ts';
import { type ClaimContext, claimNextOpenTask } from '../../../shared/use-cases/work/claim-task.ts';
import { addSeconds, FIXED_NOW, task } from '../../support/builders.ts';
import { CONTAINER_CAPACITY, createLaunches } from '../../support/container-capacity.ts';

/** The promise is of a thousand. */
const MANY = 1_000;
/** Of vCPUs: so many boxes at once. */
const AT_ONCE = 48;
/** Of those who handle messages, or claim. */
const HANDS = 20;

/** The table in memory that the simulation uses, which `test/lab/simulator/table.test.ts` holds against a real engine. */
function stores() {
  const table = new SimulatedTable(
    () => FIXED_NOW.getTime(),
    () => 0,
  );
  const send = async (command: { constructor: { name: string }; input: never }) => {
    // Others come between any two calls.
    await new Promise(setImmediate);
    return table.run(command.constructor.name, command.input);
  };
  const db = { send } as unknown as DynamoDBDocumentClient;
  const tasks = new TaskStore(new ItemTable(db, 'tasks'));
  return { db, tasks, locks: new FileLockStore(new ItemTable(db, 'tasks'), tasks) };
}
const ids = Array.from({ length: MANY }, (_, n) => `T${String(n).padStart(4, '0')}`);
const priorityOf = (n: number): 1 | 2 | 3 => (((n * 7) % 3) + 1) as 1 | 2 | 3;
const hands = (work: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: HANDS }, work));

/** Numbers from 0 to 1, the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Takes out what comes first, unless that is later than `until`. */
function first<Each extends { readonly at: number }>(
  all: Each[],
  until = Number.POSITIVE_INFINITY,
): Each | undefined {
  const least = all.reduce((best, { at }, index) => (at < (all[best]?.at ?? at) ? index : best), 0);
  return (all[least]?.at ?? Number.POSITIVE_INFINITY) <= until ? all.splice(least, 1)[0] : undefined;
}

describe(`a burst of ${MANY.toLocaleString('en')} launches`, () => {
  it('each box is started once, whatever comes twice, comes late or finds no room, and none is lost', async () => {
    const { db, tasks } = stores();
    const launches = createLaunches();
    const register = new RunningContainerStore(new ItemTable(db, 'tasks'), {
      on_demand: AT_ONCE * 1_024,
      spot: 1_024,
    });
    for (const [n, id] of ids.entries()) {
      const of = task({ id, run: 1, priority: priorityOf(n) });
      const model = 'claude-haiku-4-5';
      const start = {
        model,
        tier: 'haiku' as const,
        effort: 'low' as const,
        route: { rule: 'low' as const, reason: '' },
      };
      await tasks.create(of);
      await tasks.applyCommand(id, (each) =>
        startAttempt(each, {
          ...start,
          leaseHolder: 'managed',
          leaseSeconds: 9_000,
          agentLaunch: null,
          now: FIXED_NOW,
        }),
      );
    }
    const started: string[] = [];
    const running: string[] = [];
    let most = 0;
    const boxes = {
      run: async (_kind: string, _family: string, name: string) => {
        // ECS knows a launch by its name, and starts nothing for a second call; what is written down of it is over like the box.
        if (!started.includes(name)) started.push(name);
        if (!running.includes(name)) running.push(name);
        most = Math.max(most, running.length);
        return `arn:${name}`;
      },
    } as unknown as EcsContainerClient;
    const s3 = { send: async () => ({ ETag: '1', Body: { transformToString: async () => '{}' } }) };
    class Signing extends ObjectStore {
      override presignGet = async (key: string): Promise<string> => `https://s3.test/${key}`;
      override presignDelete = this.presignGet;
    }
    const objects = new Signing(s3 as unknown as S3Client, 'bucket');
    const message = (id: string): LaunchMessage => ({
      schema_version: 1,
      kind: 'agent',
      task_id: id,
      attempt: 1,
      run: 1,
    });
    // Every third message comes twice, in another order.
    const queue = [...ids, ...ids.filter((_, n) => n % 3 === 0).toReversed()].map((id) => ({
      id,
      receives: 0,
    }));
    let refused = 0;
    await hands(async () => {
      for (let each = queue.shift(); each; each = queue.shift()) {
        each.receives += 1;
        try {
          await launchContainer(message(each.id), {
            tasks,
            objects,
            containers: boxes,
            deliveries: {} as DeliveryInvoker,
            launches,
            register,
            capacity: CONTAINER_CAPACITY,
            receiveCount: each.receives,
            taskDefinitionFamilies: { agent: 'a', gates: 'g' },
            getCredential: provideNoCredentials,
            apiUrl: 'https://api.test',
            defaultAdapter: { kind: 'command', argv: ['true'], timeout_s: 1 },
            modelGateway: null,
            leaseSeconds: 120,
            backoffSeconds: 60,
            now: addSeconds(each.receives),
          });
        } catch (error) {
          if (!(error instanceof LaunchError)) throw error;
          refused += 1;
          queue.push(each);
          // A box comes to its end, and its room is free.
          const over = await register.find(running.shift() ?? '');
          if (over) await register.release(over);
        }
      }
    });
    expect(started.toSorted()).toEqual(ids.map((id) => containerLaunchName(id, 1, 'agent', 1)).toSorted());
    expect(most).toBeLessThanOrEqual(AT_ONCE);
    expect(refused).toBeGreaterThan(0);
    const all = await tasks.getMany(ids);
    expect([...all.values()].every(({ attempts }) => attempts[0]?.agent?.number === 1)).toBe(true);
  });

  it('of three priorities, sent within half a minute: each let in once, and the urgent ones first', async () => {
    const MINUTE = 60_000;
    let now = FIXED_NOW.getTime();
    const table = new SimulatedTable(
      () => now,
      () => 0,
    );
    const db = {
      send: async ({ constructor: { name }, input }: { constructor: { name: string }; input: never }) =>
        table.run(name, input),
    } as unknown as DynamoDBDocumentClient;
    const register = new RunningContainerStore(new ItemTable(db, 'tasks'), {
      on_demand: AT_ONCE * 1_024,
      spot: 1_024,
    });
    const chance = random(7);
    const waiting = ids.map((id, n) => ({
      name: containerLaunchName(id, 1, 'agent', 1),
      priority: priorityOf(n),
      at: now + chance() * (MINUTE / 2),
      receives: 0,
    }));
    const running: { readonly box: RunningContainerEntry; readonly at: number }[] = [];
    const started: { readonly name: string; readonly priority: number; readonly at: number }[] = [];
    let early = 0;
    let most = 0;
    for (let next = first(waiting); next; next = first(waiting)) {
      for (let over = first(running, next.at); over; over = first(running, next.at)) {
        now = over.at;
        await register.release(over.box);
      }
      now = next.at;
      next.receives += 1;
      const { name, priority } = next;
      const entry = await register.admit({ name, by: 'ann', priority }, 'on_demand', 1_024, new Date(now));
      if (typeof entry === 'string') {
        const seconds = computeBackoffSeconds(next.receives, chance());
        next.at = now + 1_000 * (entry === 'next' ? Math.min(seconds, ADMISSION_RETRY_SECONDS) : seconds);
        waiting.push(next);
        continue;
      }
      running.push({ box: entry, at: now + MINUTE * (1 + 2 * chance()) });
      most = Math.max(most, running.length);
      // After the rooms that were free from the start.
      const isEarly = started.length >= AT_ONCE && waiting.some((each) => each.priority < priority);
      if (isEarly) early += 1;
      if (isEarly) expect(now - FIXED_NOW.getTime(), name).toBeGreaterThan(STARVATION_SECONDS * 1_000);
      started.push({ name, priority, at: now });
    }
    expect(started.map(({ name }) => name).toSorted()).toEqual(
      ids.map((id) => containerLaunchName(id, 1, 'agent', 1)).toSorted(),
    );
    expect(most).toBe(AT_ONCE);
    // For a quarter of an hour none; then, of those that were passed over, one of eleven of each priority.
    expect(early).toBeGreaterThan(0);
    expect(early / started.length).toBeLessThan(2 / (MAX_TIMES_PASSED_OVER + 1));
    const waits = ([1, 2, 3] as const).map((priority) => {
      const of = started.filter((each) => each.priority === priority).map(({ at }) => at);
      return of.reduce((sum, at) => sum + at, 0) / of.length;
    });
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  });

  it('as many claims: each task goes to one, priority first, then oldest', async () => {
    const { tasks, locks } = stores();
    for (const [n, id] of ids.entries()) {
      const created_at = addSeconds(MANY - n).toISOString();
      await tasks.create(task({ id, priority: priorityOf(n), created_at }, { runner: 'external' }));
    }
    const context: ClaimContext = {
      tasks,
      locks,
      claimant: 'worker',
      leaseSeconds: 900,
      now: addSeconds(2_000),
    };
    const claimed: string[] = [];
    const claim = async (): Promise<boolean> => {
      try {
        claimed.push((await claimNextOpenTask('backend', context)).task.id);
        return true;
      } catch (error) {
        if (error instanceof Refusal && error.code === 'no_task') return false;
        throw error;
      }
    };
    const order = ids
      .map((id, n) => ({ id, rank: priorityOf(n) * MANY * 2 - n }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ id }) => id);
    for (let n = 0; n < 50; n++) await claim();
    expect(claimed).toEqual(order.slice(0, 50));
    await hands(async () => {
      while (await claim());
    });
    expect(claimed.toSorted()).toEqual(ids);
    // Who has lost a race leaps ahead a little, and no farther than there are others.
    const at = new Map(claimed.map((id, n) => [id, n]));
    const overtaken = order.map((id, n) => Math.abs((at.get(id) ?? MANY) - n));
    expect(Math.max(...overtaken)).toBeLessThan(HANDS * HANDS);
  });
});
