import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { reviewHeldTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { applyReviewDecision } from '../../../../shared/use-cases/review/apply-review-decision.ts';
import { combineVerdictWithJudgements } from '../../../../shared/use-cases/review/janitor-steps.ts';
import { artifact, FIXED_NOW, taskInReview, verdict, verification } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const { tree, base_commit } = artifact();
const work = { tree, base_commit };
let names = 0;
async function created(fields: Partial<Task> = {}): Promise<Task> {
  const task: Task = {
    ...taskInReview({ verification: verification(), artifact: artifact() }),
    id: `A-${names++}`,
    run: 1,
    version: 1,
    ...fields,
  };
  await table.tasks.create(task);
  return task;
}

describe('a verdict', () => {
  const combine = async (of: Task, value: ReturnType<typeof verdict>) => {
    await combineVerdictWithJudgements(
      { task_id: of.id, run: 1, attempt: 1 },
      { verdict: value, judgements: [] },
      { tasks: table.tasks, accepted: table.accepted, now: FIXED_NOW },
    );
    return table.accepted.isAccepted(of.id, work);
  };

  it.each([
    ['passes', { verdict: 'pass', verified: true }, {}, true],
    ['passes without evidence', { verdict: 'pass', verified: false }, {}, false],
    [
      'passes without evidence where the task allows that',
      { verdict: 'pass', verified: false },
      { deliver_unverified: true },
      true,
    ],
    ['fails', { verdict: 'fail', verified: false }, {}, false],
    ['needs review', { verdict: 'refer', verified: false }, {}, false],
  ] as const)('that %s records the tree as accepted, or does not', async (_, said, fields, isAccepted) => {
    expect(await combine(await created(fields), verdict({ ...work, ...said }))).toBe(isAccepted);
  });

  it('accepts no other tree, base or task', async () => {
    const task = await created();
    await combine(task, verdict({ ...work, verdict: 'pass', verified: true }));
    const other = 'f'.repeat(40);
    expect(await table.accepted.isAccepted(task.id, { ...work, tree: other })).toBe(false);
    expect(await table.accepted.isAccepted(task.id, { ...work, base_commit: other })).toBe(false);
    expect(await table.accepted.isAccepted('another', work)).toBe(false);
  });
});

describe('a decision of a reviewer', () => {
  const held = () => created({ hold: { reasons: ['unsure'], since: FIXED_NOW.toISOString() } });
  const decide = (task: Task, decision: 'approve' | 'reject', on = tree) =>
    applyReviewDecision(
      task.id,
      (each) => reviewHeldTask(each, decision, 'looked at it', 'ann', { tree: on }, FIXED_NOW),
      { tasks: table.tasks, accepted: table.accepted, now: FIXED_NOW },
    );

  it('records an approved tree', async () => {
    const task = await held();
    await decide(task, 'approve');
    expect(await table.accepted.isAccepted(task.id, work)).toBe(true);
  });

  it('records nothing on a rejection', async () => {
    const task = await held();
    await decide(task, 'reject');
    expect(await table.accepted.isAccepted(task.id, work)).toBe(false);
  });

  it('records nothing when it is refused', async () => {
    const task = await held();
    await expect(decide(task, 'approve', 'e'.repeat(40))).rejects.toThrow('the held tree is');
    expect(await table.accepted.isAccepted(task.id, { ...work, tree: 'e'.repeat(40) })).toBe(false);
    expect(await table.accepted.isAccepted(task.id, work)).toBe(false);
  });
});
