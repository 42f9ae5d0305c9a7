import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3ObjectKeys } from '../../../../shared/contract/resource-names.ts';
import type { AttemptChallenge } from '../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { reviewHeldTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { buildMissingChallengeEvidence } from '../../../../shared/reviews/engine/missing-challenge.ts';
import type { ChallengedTree } from '../../../../shared/store/accepted-trees.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import { applyReviewDecision } from '../../../../shared/use-cases/review/apply-review-decision.ts';
import {
  combineVerdictWithJudgements,
  reduceEvidenceToVerdict,
} from '../../../../shared/use-cases/review/janitor-steps.ts';
import {
  artifact,
  challenge,
  evidence,
  FIXED_NOW,
  taskInReview,
  verdict,
  verification,
} from '../../../support/builders.ts';
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

describe('a task item that another function has changed', () => {
  const entryOf = (p_wrong: number) => {
    const entry = buildMissingChallengeEvidence('nothing_found', 'w', 'gate');
    const independent = {
      ...entry.independent,
      challenge: { outcome: 'nothing_found', p_wrong, requirements: [] },
    };
    return JSON.stringify({ ...entry, outcome: 'skipped', independent });
  };
  const key = s3ObjectKeys.challenge('A-C', 1, 1, 'e'.repeat(64));
  const passing = verdict({ ...work, verdict: 'pass', verified: true });
  /** A task of which the item says that its challenge found nothing. */
  const challenged = (fields: Partial<AttemptChallenge> = {}, id = `C-${names++}`): Task => ({
    ...taskInReview({
      verification: verification(),
      artifact: artifact(),
      challenge: challenge({
        pending_verdict: passing,
        outcome: 'nothing_found',
        effect: { verdict: 'pass', reason: null },
        key: key.replace('A-C', id),
        ...fields,
      }),
    }),
    id,
    run: 1,
    version: 1,
  });
  const combine = async (task: Task, p_wrong = 0) => {
    await table.tasks.create(task);
    return combineVerdictWithJudgements(
      { task_id: task.id, run: 1, attempt: 1 },
      { verdict: passing, judgements: [] },
      {
        tasks: table.tasks,
        accepted: table.accepted,
        challenges: { models: {}, objects: { getByDigest: async () => entryOf(p_wrong) } },
        now: FIXED_NOW,
      },
    );
  };
  const record = (task: Task, fields: Partial<ChallengedTree> = {}) =>
    table.accepted.recordChallenged(
      task.id,
      work,
      { verified: true, mode: 'gate', refer_above: 0.8, ...fields },
      FIXED_NOW,
    );

  it('passes a tree after its challenge only as the janitor recorded it', async () => {
    const task = challenged();
    await record(task);
    expect(await combine(task)).toBe('pass');
    expect(await table.accepted.isAccepted(task.id, work)).toBe(true);
  });

  it.each([
    ['a verdict that was never pending', {}, null],
    ['a verdict on another tree', { pending_verdict: { ...passing, tree: 'f'.repeat(40) } }, {}],
    ['a verdict that was pending without evidence', {}, { verified: false }],
    ['the entry of another task', { key: s3ObjectKeys.challenge('T9', 1, 1, 'e'.repeat(64)) }, {}],
    ['an object that is no entry', { key: 'artifacts/T1/1/patch.diff' }, {}],
  ] as const)('passes nothing by %s', async (_, fields, recorded) => {
    const task = challenged(fields);
    if (recorded) await record(task, recorded);
    await expect(combine(task)).rejects.toThrow('forged');
    expect(await table.accepted.isAccepted(task.id, work)).toBe(false);
    expect((await table.tasks.require(task.id)).attempts[0]?.verdict ?? null).toBe(null);
  });

  it.each([
    ['an effect that the entry does not have', {}, 0.9],
    ['a challenge that gave no answer', { key: null }, 0],
    ['a threshold of its own', { refer_above: 1, mode: 'advise' }, 0.9],
  ] as const)('needs review by %s', async (_, fields, p) => {
    const task = challenged(fields);
    await record(task);
    expect(await combine(task, p)).toBe('refer');
    expect(await table.accepted.isAccepted(task.id, work)).toBe(false);
  });

  it.each(['T9', 'A'])('gets no verdict from evidence of task %s', async (other) => {
    const task = await created({
      ...taskInReview({
        verification: verification({ key: s3ObjectKeys.evidence(other, 1, 1, 'e'.repeat(64)) }),
        artifact: artifact(),
      }),
      id: `A-E-${names++}`,
    });
    const reduce = reduceEvidenceToVerdict(
      { task_id: task.id, run: 1, attempt: 1, execution_id: 'e', is_retry: false },
      {
        tasks: table.tasks,
        objects: { getByDigest: async () => JSON.stringify(evidence(work)) } as unknown as ObjectStore,
        models: {},
        now: FIXED_NOW,
      },
    );
    await expect(reduce).rejects.toThrow('forged');
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
