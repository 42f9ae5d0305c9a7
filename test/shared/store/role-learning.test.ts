import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIERS } from '../../../shared/contract/agents/tiers.ts';
import type { KeyedAttemptOutcome } from '../../../shared/control/cascade/learning/attempt-outcomes.ts';
import { selectLatestAttemptOutcomes } from '../../../shared/control/cascade/learning/recent-attempt-outcomes.ts';
import { setTierPin } from '../../../shared/control/cascade/learning/tier-learning-overrides.ts';
import { measureItemBytes } from '../../../shared/lib/item-size.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { RoleLearningStore } from '../../../shared/store/role-learning.ts';
import { addSeconds, FIXED_NOW } from '../../support/builders.ts';
import { MemoryTable } from '../../support/memory-table.ts';

const observed = (number: number): KeyedAttemptOutcome => ({
  role: 'backend',
  complexity: 'low',
  tier: TIERS[number % 2] ?? 'haiku',
  outcome: {
    id: `T${number}#1`,
    model: 'claude-haiku-4-5',
    passed: number % 3 === 0,
    cost_usd: null,
    judging_cost_usd: 0,
    seconds: 1,
    at: addSeconds(number).toISOString(),
  },
});

/** A store whose requests are carried out one at a time, in an order that the test chooses; `steps` of them in all. */
function world(choose: (below: number) => number) {
  const table = new MemoryTable();
  const pending: (() => void)[] = [];
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
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    const waiting = { over: false };
    const ended = promise.finally(() => {
      waiting.over = true;
    });
    while (!waiting.over) {
      pending.splice(choose(pending.length), 1)[0]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return ended;
  };
  return { store: new RoleLearningStore(new ItemTable(db, 'tasks')), until };
}

describe('what is learned', () => {
  it('is the same whoever writes at once, in whatever order, and however often each outcome comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat({ max: 200 }), { minLength: 1, maxLength: 40, size: 'max' }),
        fc.infiniteStream(fc.nat({ max: 1_000 })),
        async (numbers, stream) => {
          const { store, until } = world((below) => Number(stream.next().value) % Math.max(1, below));
          await until(
            Promise.all([...numbers, ...numbers].map((number) => store.recordOutcome(observed(number)))),
          );
          const read = await until(store.readRole('backend'));
          for (const tier of TIERS) {
            const expected = selectLatestAttemptOutcomes(
              numbers
                .map(observed)
                .filter((each) => each.tier === tier)
                .map(({ outcome }) => outcome),
            );
            expect(read.windows.find((each) => each.tier === tier)?.window ?? []).toEqual(expected);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is spread over several items for each tier, so that who writes at once seldom meets', async () => {
    const table = new MemoryTable();
    const writes = new Map<string, { count: number; bytes: number }>();
    const db = {
      send: async (command: unknown) => {
        if (command instanceof PutCommand) {
          const item = command.input.Item ?? {};
          const key = String(item['sk']);
          writes.set(key, { count: (writes.get(key)?.count ?? 0) + 1, bytes: measureItemBytes(item) });
        }
        return table.carryOut(command);
      },
    } as unknown as DynamoDBDocumentClient;
    const store = new RoleLearningStore(new ItemTable(db, 'tasks'));
    const all = Array.from({ length: 800 }, (_, number) => observed(2 * number));
    for (const each of all) await store.recordOutcome(each);
    for (const { count, bytes } of writes.values()) {
      expect(count).toBeLessThan(800 / 5);
      expect(bytes).toBeLessThan(3 * 1_024);
    }
    const { windows } = await store.readRole('backend');
    expect(windows).toEqual([
      {
        complexity: 'low',
        tier: 'haiku',
        window: selectLatestAttemptOutcomes(all.map(({ outcome }) => outcome)),
      },
    ]);
  });

  it("keeps a person's word beside it, with its trail", async () => {
    const table = new MemoryTable();
    const db = {
      send: async (command: unknown) => table.carryOut(command),
    } as unknown as DynamoDBDocumentClient;
    const store = new RoleLearningStore(new ItemTable(db, 'tasks'));
    const word = { by: 'ann', reason: 'a try', now: FIXED_NOW };
    await store.updateControl('backend', (control) => setTierPin(control, 'low', 'opus', word));
    await store.updateControl('backend', (control) => setTierPin(control, 'low', 'opus', word));
    const { control } = await store.readRole('backend');
    expect(control).toMatchObject({ revision: 1, pins: { low: 'opus' } });
    expect(control.history).toEqual([
      {
        action: 'pin',
        complexity: 'low',
        tier: 'opus',
        by: 'ann',
        reason: 'a try',
        at: FIXED_NOW.toISOString(),
      },
    ]);
    expect((await store.readRole('qa')).control.revision).toBe(0);
  });

  it('keeps each reason of equal words that come at once, and none twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat({ max: 1_000 })), async (stream) => {
        const { store, until } = world((below) => Number(stream.next().value) % Math.max(1, below));
        const reasons = ['cheaper', 'a try', 'as in May', 'she said so'];
        const word = (reason: string) =>
          store.updateControl('backend', (control) =>
            setTierPin(control, 'any', 'opus', { by: 'ann', reason, now: FIXED_NOW }),
          );
        await until(Promise.all([...reasons, ...reasons].map(word)));
        const { control } = await until(store.readRole('backend'));
        expect(control).toMatchObject({ revision: 4, pins: { any: 'opus' } });
        expect(control.history.map(({ reason }) => reason).toSorted()).toEqual(reasons.toSorted());
      }),
      { numRuns: 20 },
    );
  });
});
