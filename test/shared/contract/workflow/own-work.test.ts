import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { decideApproval } from '../../../../shared/control/task-commands/approval-request.ts';
import { reviewHeldTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { recordVerdict } from '../../../../shared/control/task-commands/record-verification.ts';
import type { TaskCommand } from '../../../../shared/control/task-commands/task-change.ts';
import {
  DEFAULT_WORKFLOW,
  findBuiltinWorkflow,
} from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import { createJudgementWithoutOpinion } from '../../../../shared/reviews/engine/engine.ts';
import { RUBRIC_GRADING_REVIEWER } from '../../../../shared/reviews/reviewers/rubric-grading.ts';
import { createEmptyGradingRecord } from '../../../../shared/reviews/rubric/grading.ts';
import { approval, attempt, FIXED_NOW, fakeSha1, task, verdict } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { evidenceRecord, held } from './support.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const tree = fakeSha1('b');
const [node] = resolveWorkflow(findBuiltinWorkflow('verification-pipeline') ?? DEFAULT_WORKFLOW, task(), {
  from: 'builtin',
  rubrics: [],
}).verifications;
if (!node) throw new Error('the pipeline has a node');
const handoff = {
  from_agent_id: 'x',
  to_agent_id: 'ann',
  from_stage: 'a',
  to_stage: 'b',
  artifact_refs: [],
  probes: [],
  probes_omitted: 0,
  payload_sha256: 'a'.repeat(64),
  created_at: FIXED_NOW.toISOString(),
};
const graded = {
  ...createJudgementWithoutOpinion(RUBRIC_GRADING_REVIEWER, { of: node }, { code: 'unknown_writer' }),
  grading: { ...createEmptyGradingRecord(node), handoff },
};
const waiting = (holder: string): Task =>
  task({
    runner: 'external',
    status: 'auth_required',
    attempts: [attempt({ lease_holder: holder })],
    approvals: [approval({ requested_by: holder })],
  });

/** What each of them does to the work of `holder` in the name of ann. */
const OWN: Readonly<
  Record<string, readonly [of: (holder: string) => Task, does: TaskCommand, code: string]>
> = {
  'reviewing it': [
    (holder) => held({ runner: 'external' }, holder),
    (each) => reviewHeldTask(each, 'approve', 'good', 'ann', { tree }, FIXED_NOW),
    'self_review',
  ],
  'grading it, or being handed it to grade': [
    (holder) => evidenceRecord(held({ runner: 'external' }, holder)),
    (each) => recordVerdict(each, 1, verdict({ verdict: 'pass', tree, judgements: [graded] }), FIXED_NOW),
    'self_review',
  ],
  'allowing what it asks for': [
    waiting,
    (each) => decideApproval(each, { decision: 'approve', reason: 'fine', by: 'ann' }, FIXED_NOW),
    'forbidden',
  ],
};

describe.each(Object.entries(OWN))('one’s own work: %s', (name, [of, does, code]) => {
  it('is refused by the table, whatever the caller believes to have read, and changes nothing', async () => {
    const id = `own-${name.split(' ')[0]}`;
    await table.tasks.create({ ...of('ann'), id });
    const before = await table.tasks.require(id);
    let tries = 0;
    // It has read another name: its own check lets it pass, version and status are right, and the item's own words refuse.
    const misread = { ...of('carl'), id, version: before.version };
    await expect(
      table.tasks.applyCommand(misread, (each) => {
        tries++;
        return does(each);
      }),
    ).rejects.toMatchObject({ code });
    expect(tries).toBe(2);
    expect(await table.tasks.require(id)).toEqual(before);
  });

  it('is done by somebody else', async () => {
    const id = `other-${name.split(' ')[0]}`;
    await table.tasks.create({ ...of('carl'), id });
    const { version } = await table.tasks.require(id);
    expect((await table.tasks.applyCommand(id, does)).version).toBe(version + 1);
  });
});
