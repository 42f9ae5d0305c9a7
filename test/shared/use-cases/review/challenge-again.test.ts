import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChallengeOutcome } from '../../../../shared/contract/evidence/independent.ts';
import { s3ObjectKeys } from '../../../../shared/contract/resource-names.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { newContainerLosses } from '../../../../shared/control/ledger/container-losses.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import { requestReverification } from '../../../../shared/control/task-commands/hold.ts';
import { findLaunchGiveUpReason } from '../../../../shared/control/task-commands/launch-limits.ts';
import {
  recordChallenge,
  recordChallengeWithoutAnswer,
} from '../../../../shared/control/task-commands/record-challenge.ts';
import { buildMissingChallengeEvidence } from '../../../../shared/reviews/engine/missing-challenge.ts';
import { combineVerdictWithJudgements } from '../../../../shared/use-cases/review/janitor-steps.ts';
import * as build from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const { tree, base_commit } = build.artifact();
const passed = build.verdict({ tree, base_commit, verdict: 'pass', verified: true, reasons: [] });
const models = {
  challenger: { provider: 'bedrock', model: 'm', challenge: { tasks: 'all', min_usd: 0.5 } },
} as const;
const launch = { number: 3, lost: true } as const;
let names = 0;

/** A task that is held after a challenge that ended so. */
async function heldAfter(outcome: ChallengeOutcome, fields: Partial<Attempt> = {}): Promise<Task> {
  const id = `C-${names++}`;
  const waiting = build.taskInReview({
    verification: build.verification({ key: s3ObjectKeys.evidence(id, 1, 1, 'e'.repeat(64)) }),
    artifact: build.artifact(),
    challenge: build.challenge({
      pending_verdict: passed,
      metered_usage: { calls: 3, cost_usd: 0.25, unsettled_calls: 0 },
    }),
    challenger: {
      ...launch,
      token_sha256: '',
      model_token_sha256: 'a',
      assignment_key: 'k',
      launched_at: build.FIXED_NOW.toISOString(),
    },
    ...fields,
  });
  const challenged =
    outcome === 'undecided'
      ? recordChallenge(
          waiting,
          1,
          buildMissingChallengeEvidence(outcome, 'w', 'gate'),
          null,
          build.FIXED_NOW,
        )
      : recordChallengeWithoutAnswer(waiting, 1, outcome, 'w', build.FIXED_NOW);
  const task: Task = {
    ...(challenged?.task ?? waiting),
    id,
    run: 1,
    version: 1,
  };
  await table.tasks.create(task);
  const recorded = { verified: true, mode: 'gate', refer_above: 0.8 } as const;
  await table.accepted.recordChallenged(task.id, { tree, base_commit }, recorded, build.FIXED_NOW);
  await combine(task, 1, {});
  await table.tasks.apply(task.id, (each) => ({
    event: 'review',
    task: {
      ...each,
      version: each.version + 1,
      hold: { reasons: ['unsure'], since: build.FIXED_NOW.toISOString() },
    },
  }));
  return table.tasks.applyCommand(task.id, (each) =>
    requestReverification(each, 'once more', 'ada', build.FIXED_NOW),
  );
}

const combine = (task: Task, run: number, known: object) =>
  combineVerdictWithJudgements(
    { task_id: task.id, run, attempt: 1 },
    { verdict: passed, judgements: [] },
    {
      tasks: table.tasks,
      accepted: table.accepted,
      challenges: {
        models: known,
        objects: {
          getByDigest: async () =>
            JSON.stringify(build.evidence({ changed_files: ['a.ts'], tree, base_commit })),
        },
      },
      now: build.FIXED_NOW,
    },
  );

describe('a verdict that is made again', () => {
  it.each(['lost', 'refused', 'timed_out', 'no_answer'] as const)(
    'asks the challenger again where its challenge was %s',
    async (outcome) => {
      const before = await heldAfter(outcome);
      expect(before.attempts[0]?.challenge).toMatchObject({ outcome, effect: { verdict: 'refer' } });
      await combine(before, 2, models);
      const task = await table.tasks.require(before.id);
      const [attempt] = task.attempts;
      expect(determineCascadeStage(task)).toBe('challenge');
      expect(attempt).toMatchObject({
        verdict: null,
        challenge: {
          outcome: null,
          effect: null,
          pending_verdict: { verdict: 'pass' },
          metered_usage: { cost_usd: 0.25 },
        },
      });
      // Its meter has counted the earlier challenge.
      expect(attempt?.challenge?.budget_micro_usd).toBeGreaterThanOrEqual(750_000);
      expect(findLaunchGiveUpReason(attempt?.challenger, 'challenger')).toBeNull();
      expect(attempt?.challenger).toMatchObject({ number: 3, lost: true });
      expect(newContainerLosses(before, task)).toEqual([]);
      expect(attempt?.verification?.gates.filter(({ name }) => name === 'challenge')).toEqual([]);
      expect(await table.accepted.isAccepted(task.id, { tree, base_commit })).toBe(false);
    },
  );

  it('starts another container after one that has reported', async () => {
    const { challenger } = (await heldAfter('timed_out')).attempts[0] ?? {};
    if (!challenger) throw new Error('there was one');
    const before = await heldAfter('timed_out', { challenger: { ...challenger, lost: false } });
    await combine(before, 2, models);
    const task = await table.tasks.require(before.id);
    expect(task.attempts[0]?.challenger).toMatchObject({ number: 3, lost: true });
    expect(newContainerLosses(before, task)).toEqual([]);
  });

  it.each([
    ['the challenge was undecided', 'undecided', models],
    ['no challenger is configured any more', 'lost', {}],
  ] as const)('keeps what its challenge has shown where %s', async (_, outcome, known) => {
    const before = await heldAfter(outcome);
    expect(await combine(before, 2, known)).toBe('refer');
    expect((await table.tasks.require(before.id)).attempts[0]?.verdict?.verdict).toBe('refer');
  });
});
