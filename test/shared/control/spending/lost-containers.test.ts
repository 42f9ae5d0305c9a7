import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { computeBudgetedAttemptMicroUsd } from '../../../../shared/control/spending/task-budget.ts';
import { cancelTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { expireLease } from '../../../../shared/control/task-commands/recover.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { UsageMeterStore } from '../../../../shared/store/usage-meters.ts';
import { addSeconds, attempt, FIXED_NOW, launch, report, task } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

const RESERVED = { day: FIXED_NOW.toISOString().slice(0, 10), micro_usd: 950_000 };
const metered = launch({ model_token_sha256: 'e'.repeat(64) });
let table: Awaited<ReturnType<typeof createTestTable>>;
let meters: UsageMeterStore;
beforeAll(async () => {
  table = await createTestTable();
  meters = new UsageMeterStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

let number = 0;
/** Ends an attempt without a report, and returns what it counts as in budgets. */
async function countAfterEnd(
  fields: Partial<Attempt>,
  { spent, end = 'cancel' }: { readonly spent?: 'settled' | 'open'; readonly end?: 'cancel' | 'lease' } = {},
): Promise<number> {
  const id = `L${++number}`;
  const started = task({
    id,
    status: 'in_progress',
    attempts: [attempt({ reservation: RESERVED, agent: metered, ...fields })],
  });
  await table.tasks.create(started);
  const of = { taskId: id, attempt: 1, caller: 'agent' as const, limitMicro: 1_000_000 };
  if (spent) await meters.reserve(of, 'call', 70_000, FIXED_NOW);
  if (spent === 'settled')
    await meters.settle(of, 'call', 70_000, {
      model: 'm',
      usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 },
      ...{ micro: 20_000, estimated: 0, substitution: null, end: 'well' },
    });
  const after = await table.tasks.applyCommand(started, (each) =>
    end === 'lease'
      ? expireLease(each, addSeconds(100_000))
      : cancelTask(each, 'no longer wanted', 'operator', FIXED_NOW),
  );
  const [over] = after.attempts;
  if (!over?.outcome) throw new Error('the attempt has not ended');
  return computeBudgetedAttemptMicroUsd(over, 'managed');
}

describe('a container that is lost', () => {
  it.each(['cancel', 'lease'] as const)(
    'counts as nothing where the gateway metered no call: %s',
    async (end) => {
      expect(await countAfterEnd({}, { end })).toBe(0);
    },
  );

  it('counts as what the gateway metered, and its open calls at the worst', async () => {
    expect(await countAfterEnd({}, { spent: 'settled' })).toBe(20_000);
    expect(await countAfterEnd({}, { spent: 'open' })).toBe(70_000);
  });

  it('counts as its reservation where no gateway of ours meters it', async () => {
    expect(await countAfterEnd({ agent: launch({ model_token_sha256: null }) })).toBe(950_000);
  });

  it('counts as nothing where it was never launched', async () => {
    expect(await countAfterEnd({ agent: null })).toBe(0);
  });

  it('counts as its reservation where an agent has reported that it does not know its cost', async () => {
    expect(await countAfterEnd({ report: report() })).toBe(950_000);
  });
});
