import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { ObjectStore } from '../../../shared/store/object-store.ts';
import { reportFailedWork } from '../../../shared/use-cases/work/agent-report.ts';
import { recordGatesReport } from '../../../shared/use-cases/work/record-evidence.ts';
import { attempt, FIXED_NOW, launch, REJECTING_OBJECTS, task, taskInReview } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const put = async (of: Task): Promise<string> => (await table.tasks.create(of)).task.id;
const context = () => ({
  tasks: table.tasks,
  objects: REJECTING_OBJECTS as unknown as ObjectStore,
  models: DEFAULT_TIER_MODELS,
  now: FIXED_NOW,
});
const fails = (id: string) =>
  reportFailedWork(id, 1, { reason: 'told to end', failure_code: 'interrupted', output_tail: '' }, context());

describe('a box that says that it is taken away', () => {
  it('as the agent costs neither its attempt nor a retry: another one is launched for it', async () => {
    const id = await put(task({ id: 'a', status: 'claimed', attempts: [attempt({ agent: launch() })] }));
    const after = await fails(id);
    expect(after).toMatchObject({
      status: 'claimed',
      retries: 0,
      attempts: [
        {
          outcome: null,
          report: null,
          agent: { lost: true, excused_losses: 1 },
          progress: { message: 'told to end' },
        },
      ],
    });
    // The event of ECS, which comes after it, finds nothing to do.
    expect((await fails(id)).version).toBe(after.version);
  });

  it('as the gates box is launched again, and says nothing of the patch', async () => {
    const id = await put(taskInReview({ gates: launch() }, { id: 'g' }));
    const body = { failure_code: 'interrupted' as const, message: 'told to end' };
    const after = await recordGatesReport(id, 1, body, context());
    expect(after).toMatchObject({
      status: 'in_review',
      attempts: [{ verification_failure: null, gates: { lost: true, excused_losses: 1 } }],
    });
  });

  it('as an outside agent has failed: nobody may try as often as they like', async () => {
    const id = await put(
      task({ id: 'x', status: 'claimed', attempts: [attempt({ agent: launch() })] }, { runner: 'external' }),
    );
    expect((await fails(id)).attempts[0]?.report).toMatchObject({ failure_code: 'interrupted' });
  });
});
