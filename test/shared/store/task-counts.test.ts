import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TASK_STATUSES, type TaskStatus } from '../../../shared/contract/task/status.ts';
import { VerificationNudgeRules } from '../../../shared/control/ledger/nudge-rules.ts';
import type { TaskStatusChange } from '../../../shared/control/ledger/task-counts.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { computeShard } from '../../../shared/store/shard.ts';
import { TaskCountStore } from '../../../shared/store/task-counts.ts';
import { readSystemStatus } from '../../../shared/use-cases/operate/status.ts';
import { FIXED_NOW } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';
import { MemoryTable } from '../../support/memory-table.ts';

const ROLES = ['backend', 'qa'];
/** Ids that are all counted in the same item of a role, more than it keeps the marks of. */
const CROWD = Array.from({ length: 1_000 }, (_, index) => `T${index}`)
  .filter((id) => computeShard(id, 8) === 0)
  .slice(0, 40);
const fact = (id: string, role: string, version: number, status: TaskStatus | null): TaskStatusChange => ({
  id,
  role,
  version,
  status,
  completion: status === 'done' ? { verified: version % 2 === 0, at: FIXED_NOW.toISOString() } : null,
});
/** A life of a task: what it stands in, version by version; nothing follows `done` but its removal. */
const life = fc
  .array(fc.constantFrom(...TASK_STATUSES), { minLength: 1, maxLength: 6 })
  .map((statuses): (TaskStatus | null)[] => {
    const done = statuses.indexOf('done');
    return done < 0 ? statuses : [...statuses.slice(0, done + 1), null];
  });

describe('counts', () => {
  it('are right in the end, and tell of each completion once, however often, in whatever order and at once facts come, and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(life, { minLength: 1, maxLength: CROWD.length, size: 'max' }),
        fc.infiniteStream(fc.nat({ max: 1_000 })),
        fc.boolean(),
        async (lives, stream, sameShard) => {
          const choose = (below: number): number => Number(stream.next().value) % below;
          const table = new MemoryTable();
          let pending: (() => void)[] = [];
          const db = {
            send: (command: unknown) =>
              new Promise((resolve, reject) => {
                pending.push(() => {
                  try {
                    resolve(table.carryOut(command));
                  } catch (error) {
                    reject(error);
                  }
                });
              }),
          } as unknown as DynamoDBDocumentClient;
          const store = new TaskCountStore(new ItemTable(db, 'tasks'));
          const told: string[] = [];
          const tell = (each: TaskStatusChange): void => {
            store.count(each, FIXED_NOW).then(
              (completed) => completed && told.push(each.id),
              () => undefined,
            );
          };
          const step = async (): Promise<void> => {
            const [next] = pending.splice(choose(pending.length), 1);
            next?.();
            await new Promise((resolve) => setImmediate(resolve));
          };
          const facts = lives.flatMap((statuses, index) =>
            statuses.map((status, version) =>
              fact(CROWD[index] ?? '', ROLES[sameShard ? 0 : index % 2] ?? '', version + 1, status),
            ),
          );
          // A task is removed months after all else has been told.
          const early = facts.filter(({ status }) => status !== null);
          for (const each of [...early, ...early]) {
            tell(early[choose(early.length)] ?? each);
            while (pending.length > choose(12)) await step();
            if (choose(10) === 0) pending = pending.slice(1);
          }
          // The stream goes on until each has been dealt with, in the order of each task.
          for (const each of facts) {
            tell(each);
            while (pending.length > 0) await step();
          }
          const asked = store.read();
          while (pending.length > 0) await step();
          const { roles, allTime } = await asked;
          const expected = new Map<string, Partial<Record<TaskStatus, number>>>();
          for (const [index, statuses] of lives.entries()) {
            const last = statuses.at(-1) ?? null;
            const role = ROLES[sameShard ? 0 : index % 2] ?? '';
            const row = expected.get(role) ?? {};
            if (last !== null) row[last] = (row[last] ?? 0) + 1;
            expected.set(role, row);
          }
          for (const [role, row] of expected) expect(roles.get(role) ?? {}).toEqual(row);
          const done = lives.flatMap((statuses, index) => (statuses.includes('done') ? [index] : []));
          expect(allTime.verified + allTime.unverified).toBe(done.length);
          expect(new Set(told).size).toBe(told.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are kept in items that do not grow: 20,000 completions of a day, none of them verified, each delivered twice', async () => {
    const table = new MemoryTable();
    const db = {
      send: async (command: unknown) => table.carryOut(command),
    } as unknown as DynamoDBDocumentClient;
    const store = new TaskCountStore(new ItemTable(db, 'tasks'));
    let emitted = 0;
    let first: TaskStatusChange | null = null;
    for (let index = 0; index < 20_000; index++) {
      const done: TaskStatusChange = {
        ...fact(`task-${index}`.padEnd(64, 'x'), 'backend', 9, 'done'),
        completion: { verified: false, at: FIXED_NOW.toISOString() },
      };
      for (let time = 0; time < 2; time++) emitted += (await store.count(done, FIXED_NOW)) ? 1 : 0;
      first ??= done;
    }
    if (first) expect(await store.count(first, FIXED_NOW)).toBe(false);
    expect(emitted).toBe(20_000);
    const { allTime, roles } = await store.read();
    expect(allTime).toEqual({ verified: 0, unverified: 20_000 });
    expect(roles.get('backend')).toEqual({ done: 20_000 });
    expect(Math.max(...table.items.map((item) => JSON.stringify(item).length))).toBeLessThan(4_000);
  });

  it('are what the status shows, with the verification nudge', async () => {
    const table = await createTestTable();
    const at = (second: number) => new Date(FIXED_NOW.getTime() + second * 1_000).toISOString();
    const done = (id: string, verified: boolean, second: number): TaskStatusChange => ({
      ...fact(id, 'qa', 9, 'done'),
      completion: { verified, at: at(second) },
    });
    for (const each of [
      fact('o', 'qa', 1, 'open'),
      done('a', true, 0),
      done('b', false, 1),
      done('c', false, 9),
    ])
      for (let time = 0; time < 2; time++) await table.counts.count(each, FIXED_NOW);
    await table.counts.count(fact('o', 'qa', 2, 'blocked'), FIXED_NOW);
    await table.counts.count(fact('a', 'qa', 10, null), FIXED_NOW);
    const status = await readSystemStatus({
      counts: table.counts,
      breakers: { list: async () => [] },
      completions: table.completions,
      nudge: VerificationNudgeRules.parse({}),
      now: new Date(FIXED_NOW.getTime() + 60_000),
    });
    await table.close();
    expect(status).toMatchObject({
      total: 3,
      by_status: { open: 0, blocked: 1, done: 2, failed: 0 },
      per_role: [{ role: 'qa', by_status: { blocked: 1, done: 2 } }],
      verification_nudge: { total_completions: 3, unverified_count: 2, recent_unverified: ['c', 'b'] },
    });
  });
});
