import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { type Budgets, toMicroUsd } from '../../../../shared/contract/models/budgets.ts';
import type { JudgeModel } from '../../../../shared/contract/models/judge-models.ts';
import { CompletionSignal } from '../../../../shared/contract/submission/signals.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { TierPolicySettings } from '../../../../shared/control/cascade/learning/cascade-policy.ts';
import { estimateJudgingCost } from '../../../../shared/control/spending/judging-reservation.ts';
import { recordVerdict } from '../../../../shared/control/task-commands/record-verification.ts';
import { joinVerdictWithJudgements } from '../../../../shared/control/verdict/join-judgements.ts';
import type { AskReviewModel } from '../../../../shared/reviews/engine/ask-model-port.ts';
import { addMissingJudgements } from '../../../../shared/reviews/reviewers/expected-judgements.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import { runDecideStep } from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../../../shared/use-cases/cascade/task-write-effects.ts';
import { runAttemptReviewers } from '../../../../shared/use-cases/review/ask-judges.ts';
import {
  artifact,
  evidence,
  FIXED_NOW,
  judgement,
  taskInReview,
  verdict,
  verification,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { createFollowContext } from '../../../support/follow-context.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let followed: TaskProjectionContext;
beforeAll(async () => {
  table = await createTestTable();
  followed = createFollowContext(table);
});
afterAll(() => table.close());

const DAY_MS = 86_400_000;
let days = 0;
/** A day of its own for each test, in a month of its own. */
const freshDay = (): Date => new Date(Date.UTC(2040, days++, 10, 12));
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const SIGNAL = CompletionSignal.parse({ type: 'llm_judge', criteria: 'it adds' });
const JUDGE: JudgeModel = {
  provider: 'openai_compatible',
  model: 'ours',
  url: 'https://models.test/',
  price: { input: 1, output: 1 },
};
/** What is set aside for one question to it: twice 12,000 tokens in and 1,024 out. */
const ONE = 26_048;
/** What asking it has cost below. */
const COST = 5_000;

let names = 0;
/** Work of an outside agent that a judge is to be asked about, as it is stored. */
async function submitted(fields: Partial<Task> = {}): Promise<Task> {
  const made = {
    ...taskInReview({ verification: verification(), artifact: artifact({ patch_key: 'patch' }) }),
    id: `J-${names++}`,
    repository: 'r',
    runner: 'external' as const,
    completion_signals: [SIGNAL],
    run: 1,
    version: 1,
    ...fields,
  };
  await table.tasks.create(made);
  return made;
}

let asked = 0;
let stops = 0;
const ask: AskReviewModel = async (_model, { answerSchema }) => {
  asked++;
  const value = answerSchema.parse({ verdict: 'accept', confidence: 0.9, reasons: ['it adds'] });
  return { value, calls: 1, tokens: { input: COST, output: 0 }, ms: 1 };
};

const judging = (task: Task, budgets: Budgets | null, at: Date, judge: JudgeModel = JUDGE) =>
  runAttemptReviewers(
    task.id,
    1,
    {},
    {
      tasks: table.tasks,
      objects: {
        getByDigest: async (key: string) =>
          key === 'patch' ? 'diff --git a/x b/x\n' : JSON.stringify(evidence()),
      } as unknown as ObjectStore,
      models: { judge },
      readBreaker: async () => null,
      ask,
      budget: {
        policy: TierPolicySettings.parse(budgets ? { budgets } : {}),
        spend: table.spend,
        onStop: () => stops++,
      },
      now: () => at,
    },
  );

/** Writes the verdict, has it decided, ends the attempt, and lets the stream bring that twice. */
async function concluded(
  task: Task,
  judgements: Awaited<ReturnType<typeof judging>>,
  budgets: Budgets,
  at: Date,
) {
  const observed = verdict();
  const made = joinVerdictWithJudgements(observed, addMissingJudgements(task, observed, judgements));
  await table.tasks.applyCommand(task.id, (present) => recordVerdict(present, 1, made, at));
  await runDecideStep(task.id, 1, {
    tasks: table.tasks,
    locks: table.locks,
    models: DEFAULT_TIER_MODELS,
    learning: { beliefs: table.beliefs, spend: table.spend, policy: TierPolicySettings.parse({ budgets }) },
    now: at,
  } as never);
  const decided = await table.tasks.require(task.id);
  const open = { ...decided, attempts: decided.attempts.map((each) => ({ ...each, outcome: null })) };
  const over = {
    ...decided,
    attempts: decided.attempts.map((each) => ({ ...each, outcome: 'passed' as const })),
  };
  for (const _ of [1, 2]) await applyTaskWriteEffects(open, over, followed);
  return decided;
}

describe('judging for which nothing was set aside', () => {
  it('is not begun where it could exceed a budget, and says so in place of an opinion', async () => {
    const at = freshDay();
    const before = asked;
    const stopped = stops;
    const first = await submitted();
    expect((await judging(first, { day_usd: 0.03 }, at))[0]).toMatchObject({ outcome: 'passed', calls: 1 });
    const second = await submitted();
    expect((await judging(second, { day_usd: 0.03 }, at))[0]).toMatchObject({
      outcome: 'could_not_run',
      verdict: 'refer',
      calls: 0,
      reasons: [
        'judging this work could exceed the budget of the deployment for a day: $0.0260 of $0.0300 is spent or set aside, and it is expected to cost up to $0.0260, by the price of the longest questions, 1 at the most',
      ],
    });
    expect(asked - before).toBe(1);
    expect(stops - stopped, 'the alarm is told').toBe(1);
    // The next day there is money again, and whoever has the verdict made again has the judge asked.
    const next = new Date(at.getTime() + DAY_MS);
    expect((await judging(second, { day_usd: 0.03 }, next))[0]).toMatchObject({ outcome: 'passed' });
  });

  it('never takes more than there is, fifty at once and each tried twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), async (hundredths) => {
        const at = freshDay();
        const day_usd = (hundredths * ONE) / 2e6;
        const tasks = await Promise.all(Array.from({ length: 50 }, () => submitted()));
        const one = async (task: Task) => (await judging(task, { day_usd }, at))[0]?.calls ?? 0;
        const calls = await Promise.all([...tasks.map(one), ...tasks.map(one)]);
        const begun = tasks.filter((_, index) => calls[index] || calls[index + 50]).length;
        expect(begun).toBe(Math.min(50, Math.floor(toMicroUsd(day_usd) / ONE)));
        expect(await table.spend.readDayTotal(dayOf(at))).toBe(begun * ONE);
      }),
      { numRuns: 4 },
    );
  });

  it('counts as what it has cost once it is over, however often that comes, also after midnight', async () => {
    const at = new Date(Date.UTC(2040, days++, 10, 23, 59, 50));
    const budgets = { repository_usd: 1 };
    const task = await submitted();
    const judgements = await judging(task, budgets, at);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(ONE);
    const next = new Date(at.getTime() + 20_000);
    const decided = await concluded(task, judgements, budgets, next);
    expect(decided.attempts.at(-1)?.reservation).toEqual({ day: dayOf(at), micro_usd: ONE });
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(COST);
    expect(await table.spend.readDayTotal(dayOf(next))).toBe(0);
  });

  it('gives all back where nobody was paid', async () => {
    const at = freshDay();
    const budgets = { repository_usd: 1 };
    const task = await submitted();
    await judging(task, budgets, at);
    await concluded(
      task,
      [judgement({ subject: 'llm_judge: it adds', calls: 0, cost_usd: null })],
      budgets,
      at,
    );
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(0);
  });

  it('counts as what was set aside where a person cancels it and nobody hears the answers', async () => {
    const at = freshDay();
    const task = await submitted();
    await judging(task, { repository_usd: 1 }, at);
    const attempts = task.attempts.map((each) => ({ ...each, outcome: 'cancelled' as const }));
    for (const _ of [1, 2])
      await applyTaskWriteEffects(task, { ...task, status: 'cancelled', attempts }, followed);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(ONE);
  });

  it('is stopped by the budgets of its own task, too', async () => {
    const at = freshDay();
    const task = await submitted();
    const [made] = await judging(task, { task_usd: 0.02 }, at);
    expect(made?.reasons[0]).toContain(
      'judging this work could exceed the budget of a task: $0.0000 of $0.0200',
    );
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(0);
  });

  it('is not begun where nobody knows what it costs, and budgets are there', async () => {
    const { price: _, ...unpriced } = JUDGE;
    const task = await submitted();
    const [made] = await judging(task, { day_usd: 1 }, freshDay(), unpriced);
    expect(made).toMatchObject({ outcome: 'could_not_run', calls: 0 });
    expect(made?.reasons[0]).toContain('nobody knows what asking ours costs');
    const at = freshDay();
    expect((await judging(task, null, at, unpriced))[0]).toMatchObject({ outcome: 'passed' });
  });

  it('has nothing set aside anew where it was with the attempt, or where nobody would be asked', async () => {
    const at = freshDay();
    const whole = await submitted();
    const attempts = whole.attempts.map((each) => ({
      ...each,
      reservation: { day: dayOf(at), micro_usd: 1 },
    }));
    const managed = await submitted({ runner: 'managed', attempts });
    expect((await judging(managed, { day_usd: 0.001 }, at))[0]).toMatchObject({ outcome: 'passed' });
    await judging(await submitted({ completion_signals: [] }), { day_usd: 0.001 }, at);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(0);
  });
});

describe('what judging may cost', () => {
  const may = async (fields: object) => {
    const task = await submitted();
    const [attempt] = task.attempts;
    if (!attempt) throw new Error('there is one');
    return { task, attempt, signals: [], hasRequirementsReview: false, hasReviewPipeline: false, ...fields };
  };

  it('is of all who may be asked, and of nobody else', async () => {
    const of = async (fields: object, models: object) => {
      const estimated = estimateJudgingCost(await may(fields), models, FIXED_NOW);
      return estimated && 'highMicro' in estimated ? estimated.highMicro : estimated;
    };
    expect(await of({}, { judge: JUDGE, requirements_review: JUDGE })).toBeNull();
    expect(await of({ signals: [SIGNAL, SIGNAL] }, { judge: JUDGE })).toBe(2 * ONE);
    expect(await of({ hasRequirementsReview: true }, { requirements_review: JUDGE })).toBe(
      // The review with 28,000 tokens in and 6,000 out, the decomposition with 2,048 out, and both orders.
      2 * (28_000 + 6_000) + 2 * (12_000 + 2_048) + 2 * ONE,
    );
    expect(await of({ hasRequirementsReview: true }, {})).toBeNull();
  });
});
