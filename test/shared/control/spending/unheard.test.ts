import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { JudgeModels } from '../../../../shared/contract/models/judge-models.ts';
import { s3ObjectKeys } from '../../../../shared/contract/resource-names.ts';
import { CompletionSignal } from '../../../../shared/contract/submission/signals.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { totalJudgingCost } from '../../../../shared/contract/task/judging-cost.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { TierPolicySettings } from '../../../../shared/control/cascade/learning/cascade-policy.ts';
import { reserveGateModelCallOrRefusal } from '../../../../shared/control/spending/gate-question-reservation.ts';
import { computeBudgetedAttemptMicroUsd } from '../../../../shared/control/spending/task-budget.ts';
import { requestReverification } from '../../../../shared/control/task-commands/hold.ts';
import { cancelTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import type { AskReviewModel } from '../../../../shared/reviews/engine/ask-model-port.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import { runDecideStep } from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../../../shared/use-cases/cascade/task-write-effects.ts';
import { runAttemptReviewers } from '../../../../shared/use-cases/review/ask-judges.ts';
import {
  combineVerdictWithJudgements,
  reduceEvidenceToVerdict,
} from '../../../../shared/use-cases/review/janitor-steps.ts';
import { artifact, evidence, FIXED_NOW, taskInReview, verification } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { createFollowContext } from '../../../support/follow-context.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let followed: TaskProjectionContext;
beforeAll(async () => {
  table = await createTestTable();
  followed = createFollowContext(table);
});
afterAll(() => table.close());

const models: JudgeModels = {
  judge: {
    provider: 'openai_compatible',
    model: 'ours',
    url: 'https://models.test/',
    price: { input: 1, output: 1 },
  },
};
/** What one question to it may cost, and what each has cost below, in millionths of a dollar. */
const ONE = 26_048;
const COST = 5_000;
const HOUR_MS = 3_600_000;
let days = 0;
const freshDay = (): Date => new Date(Date.UTC(2050, days++, 10, 12));
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const objects = {
  getByDigest: async (key: string) =>
    key === 'patch' ? 'diff --git a/x b/x\n' : JSON.stringify(evidence({ signals: [] })),
} as unknown as ObjectStore;

let names = 0;
/** Work of an outside agent, of which the judge is in two minds: a person decides. */
async function submitted(fields: Partial<Task> = {}, attemptFields: Partial<Attempt> = {}): Promise<Task> {
  const id = `U-${names++}`;
  const key = s3ObjectKeys.evidence(id, 1, 1, 'e'.repeat(64));
  const made: Task = {
    ...taskInReview({
      verification: verification({ key }),
      artifact: artifact({ patch_key: 'patch' }),
      ...attemptFields,
    }),
    id,
    repository: 'r',
    runner: 'external',
    completion_signals: [CompletionSignal.parse({ type: 'llm_judge', criteria: 'it adds' })],
    run: 1,
    version: 1,
    ...fields,
  };
  await table.tasks.create(made);
  return made;
}

let asked = 0;
const ask: AskReviewModel = async (_model, { answerSchema }) => {
  asked++;
  const value = answerSchema.parse({ verdict: 'accept', confidence: 0.1, reasons: ['who knows'] });
  return { value, calls: 1, tokens: { input: COST, output: 0 }, ms: 1 };
};

interface How {
  readonly budgets: object;
  readonly at: Date;
  /** The function that asks dies when it has asked, and nobody hears of it. */
  readonly dies?: boolean;
  /** The whole execution dies: another one comes later. */
  readonly by?: string;
}

/** What the two machines do from evidence to decision, as they stand in their definitions. */
async function judged(id: string, { budgets, at, dies = false, by = 'one' }: How): Promise<Task> {
  const policy = TierPolicySettings.parse({ budgets });
  const { run } = await table.tasks.require(id);
  const of = { task_id: id, run, attempt: 1, execution_id: by, is_retry: false };
  const deps = { tasks: table.tasks, accepted: table.accepted, objects, models, now: at };
  const {
    verdict,
    next,
    requirements_review: look,
    review_pipeline: pipeline,
  } = await reduceEvidenceToVerdict(of, deps);
  expect(next).toBe('judge');
  const budget = { policy, spend: table.spend, onStop: () => {} };
  const context = { ...deps, readBreaker: async () => null, ask, budget, now: () => at };
  const answers = await runAttemptReviewers(
    id,
    1,
    { requirements_review: look, review_pipeline: pipeline },
    context,
  );
  await combineVerdictWithJudgements(
    of,
    { verdict, judgements: dies ? [] : answers, requirements_review: look, review_pipeline: pipeline },
    deps,
  );
  await runDecideStep(id, run, {
    tasks: table.tasks,
    locks: table.locks,
    models: DEFAULT_TIER_MODELS,
    learning: { beliefs: table.beliefs, spend: table.spend, policy },
    now: at,
  } as never);
  return table.tasks.require(id);
}

/** Ends a task, and lets the stream bring that twice. */
async function ended(task: Task): Promise<Task> {
  const over = await table.tasks.applyCommand(task.id, (present) =>
    cancelTask(present, 'enough', 'ada', FIXED_NOW),
  );
  for (const _ of [1, 2]) await applyTaskWriteEffects(task, over, followed);
  return over;
}

const again = (task: Task, at: Date): Promise<Task> =>
  table.tasks.applyCommand(task.id, (present) => requestReverification(present, 'once more', 'ada', at));

const last = ({ attempts }: Task) => {
  const attempt = attempts.at(-1);
  if (!attempt) throw new Error('there is one');
  return attempt;
};

describe('judging that dies after it has asked', () => {
  it('costs what nobody knows, and counts as what was set aside for it', async () => {
    const at = freshDay();
    const task = await judged((await submitted()).id, { budgets: { day_usd: 1 }, at, dies: true });
    expect(last(task).verdict?.judgements?.[0]).toMatchObject({ outcome: 'infra_failed', calls: null });
    expect(totalJudgingCost(last(task)), 'unknown, and not 0').toBeNull();
    await ended(task);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(ONE);
  });

  it('counts in the budgets of its own task, where nothing is set aside for all', async () => {
    const at = freshDay();
    const budgets = { task_usd: 0.05 };
    const task = await judged((await submitted()).id, { budgets, at, dies: true });
    expect(computeBudgetedAttemptMicroUsd(last(task), 'external')).toBe(ONE);
    const before = asked;
    const second = await judged((await again(task, at)).id, { budgets, at });
    expect(asked - before, 'a second question could exceed it').toBe(0);
    expect(JSON.stringify(last(second).verdict?.judgements)).toContain(
      'budget of a task: $0.0260 of $0.0500',
    );
  });

  it('is asked again by another execution, and both count, as far as the first is not heard', async () => {
    const at = freshDay();
    const { id } = await submitted();
    const of = { task_id: id, run: 1, attempt: 1, execution_id: 'dead', is_retry: false };
    await reduceEvidenceToVerdict(of, { tasks: table.tasks, objects, models, now: at });
    const task = await judged(id, {
      budgets: { day_usd: 1 },
      at: new Date(at.getTime() + HOUR_MS),
      by: 'two',
    });
    expect(last(task).judging_rounds).toEqual({ count: 2, unsettled_micro_usd: ONE });
    expect(computeBudgetedAttemptMicroUsd(last(task), 'external')).toBe(ONE + COST);
  });

  it('is asked again by a retry of the same execution, which is known by its id, and by no other one', async () => {
    const at = freshDay();
    const { id } = await submitted();
    const reduce = async (execution_id: string, is_retry: boolean) =>
      (
        await reduceEvidenceToVerdict(
          { task_id: id, run: 1, attempt: 1, execution_id, is_retry },
          { tasks: table.tasks, objects, models, now: at },
        )
      ).next;
    expect(await reduce('one', false)).toBe('judge');
    expect(last(await table.tasks.require(id)).judging_claim?.execution_id).toBe('one');
    expect(await reduce('one', true)).toBe('judge');
    expect(await reduce('two', true)).toBe('superseded');
    expect(await reduce('one', false)).toBe('superseded');
  });
});

describe('a verdict that is made again after models have answered', () => {
  it('has money set aside anew, is stopped by a budget, and all is settled once, however often it comes', async () => {
    const at = freshDay();
    const budgets = { day_usd: (2.5 * ONE) / 1e6 };
    let task = await judged((await submitted()).id, { budgets, at });
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(ONE);
    task = await judged((await again(task, at)).id, { budgets, at });
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(2 * ONE);
    const before = asked;
    task = await judged((await again(task, at)).id, { budgets, at });
    expect(asked - before).toBe(0);
    expect(last(task).verdict?.judgements?.[0]?.reasons[0]).toContain('judging this work could exceed');
    const over = await ended(task);
    expect(computeBudgetedAttemptMicroUsd(last(over), 'external')).toBe(2 * COST);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(2 * COST);
  });

  it('never counts as less than is known or may have been asked, and never stays set aside, whatever dies and whenever it is made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ dies: fc.boolean(), later: fc.constantFrom(0, 1, 50) }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (times) => {
          let at = freshDay();
          const before = new Set<string>();
          const { id } = await submitted();
          let task = await table.tasks.require(id);
          for (const [index, { dies, later }] of times.entries()) {
            at = new Date(at.getTime() + later * HOUR_MS);
            before.add(dayOf(at));
            if (index > 0) await again(task, at);
            task = await judged(id, { budgets: { day_usd: 1 }, at, dies });
          }
          await ended(task);
          const heard = times.filter(({ dies }) => !dies).length;
          const lost = times.length - heard;
          let taken = 0;
          for (const day of before) taken += await table.spend.readDayTotal(day);
          if (lost === 0) expect(taken).toBe(heard * COST);
          else {
            expect(taken).toBeGreaterThanOrEqual(lost * ONE);
            expect(taken).toBeLessThanOrEqual(times.length * ONE);
          }
        },
      ),
      { numRuns: 6 },
    );
  });
});

describe('what gates ask about work for which nothing was set aside', () => {
  const money = (budgets: object) => ({ policy: TierPolicySettings.parse({ budgets }), spend: table.spend });

  it('is set aside before each question, stopped by a budget, and given back as far as it was not used', async () => {
    const at = freshDay();
    const opinions = { calls: 2, cost_usd: 0.001, unsettled_calls: 0 };
    const task = await submitted({}, { gates_metered_usage: opinions });
    const question = (of: Task) => reserveGateModelCallOrRefusal(of, 1, 20_000, money({ day_usd: 0.05 }), at);
    expect([await question(task), await question(task)]).toEqual([null, null]);
    expect(await question(task)).toContain('this question of a gate could exceed the budget');
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(40_000);
    const decided = await judged(task.id, { budgets: { day_usd: 1 }, at });
    expect(last(decided).extra_reservations).toMatchObject([{ micro_usd: 40_000 }]);
    await ended(decided);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(COST + 1_000);
  });

  it('never takes more than there is, fifty at once', async () => {
    const at = freshDay();
    const tasks = await Promise.all(Array.from({ length: 50 }, () => submitted()));
    const answers = await Promise.all(
      tasks.map((each) => reserveGateModelCallOrRefusal(each, 1, 1_000, money({ day_usd: 0.0205 }), at)),
    );
    expect(answers.filter((each) => each === null)).toHaveLength(20);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(20_000);
  });

  it('is not asked of a model without a price, is stopped by the budget of its task, and is asked for work that was launched with money', async () => {
    const at = freshDay();
    const task = await submitted();
    expect(await reserveGateModelCallOrRefusal(task, 1, null, money({ day_usd: 1 }), at)).toContain(
      'it has no price',
    );
    expect(await reserveGateModelCallOrRefusal(task, 1, 20_000, money({ task_usd: 0.01 }), at)).toContain(
      'budget of a task',
    );
    const attempts = [{ ...last(task), reservation: { day: dayOf(at), micro_usd: 1 } }];
    expect(
      await reserveGateModelCallOrRefusal({ ...task, attempts }, 1, 20_000, money({ day_usd: 0.001 }), at),
    ).toBeNull();
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(0);
  });
});
