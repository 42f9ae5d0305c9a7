import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { Budgets, toMicroUsd } from '../../../../shared/contract/models/budgets.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { TierPolicySettings } from '../../../../shared/control/cascade/learning/cascade-policy.ts';
import {
  EMPTY_ROLE_LEARNING_STATE,
  estimateTierPassRate,
} from '../../../../shared/control/cascade/learning/tier-pass-rate.ts';
import { recordJudgingReservation } from '../../../../shared/control/spending/attempt-reservation.ts';
import { type CostEstimate, estimateAttemptCost } from '../../../../shared/control/spending/cost-estimate.ts';
import {
  computeBudgetedAttemptMicroUsd,
  findTaskBudgetRefusalReason,
} from '../../../../shared/control/spending/task-budget.ts';
import { runDecideStep, runSelectModelStep } from '../../../../shared/use-cases/cascade/cascade-steps.ts';
import {
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../../../shared/use-cases/cascade/task-write-effects.ts';
import {
  addSeconds,
  attempt,
  FIXED_NOW,
  judgement,
  task,
  taskInReview,
  verdict,
  verification,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';
import { createFollowContext } from '../../../support/follow-context.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

let followed: TaskProjectionContext;
beforeAll(() => {
  followed = createFollowContext(table);
});

const costs = (micro: number): CostEstimate => ({
  expectedMicro: micro / 2,
  highMicro: micro,
  description: 'some',
});
const DAY_MS = 86_400_000;
let days = 0;
/** A day of its own for each test, in a month of its own. */
const freshDay = (): Date => new Date(Date.UTC(2030, days++, 10, 12));
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

describe('the counter of what goes to models', () => {
  it('lets fifty launches at once set aside no more than there is, and each only once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 50, maxLength: 50 }),
        fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10),
        fc.integer({ min: 1, max: 50 }).map((tenths) => tenths / 10),
        async (estimates, day_usd, repository_usd) => {
          const at = freshDay();
          const launch = (micro: number, index: number) =>
            table.spend.reserve(
              { reservationId: `T${index}#1`, repository: `r${index % 2}`, estimate: costs(micro) },
              { day_usd, repository_usd },
              at,
            );
          // Each step is tried twice, as after a lost answer.
          const answers = await Promise.all([...estimates.map(launch), ...estimates.map(launch)]);
          const made = estimates.map((_, index) =>
            [answers[index], answers[index + 50]].some((each) => each && !('refused' in each)),
          );
          const sum = (of: (index: number) => boolean): number =>
            estimates.reduce((total, micro, index) => (made[index] && of(index) ? total + micro : total), 0);
          expect(sum(() => true)).toBeLessThanOrEqual(toMicroUsd(day_usd));
          for (const side of [0, 1])
            expect(sum((index) => index % 2 === side)).toBeLessThanOrEqual(toMicroUsd(repository_usd));
          expect(await table.spend.readDayTotal(dayOf(at))).toBe(sum(() => true));
        },
      ),
      { numRuns: 8 },
    );
  });

  it('gives back what was not used, once', async () => {
    const at = freshDay();
    const of = (number: number) => ({
      reservationId: `T${number}#1`,
      repository: 'r',
      estimate: costs(400_000),
    });
    const budgets = { day_usd: 1 };
    const [first, second] = [
      await table.spend.reserve(of(1), budgets, at),
      await table.spend.reserve(of(2), budgets, at),
    ];
    expect(await table.spend.reserve(of(3), budgets, at)).toMatchObject({
      refused: expect.stringContaining('budget of the deployment for a day: $0.8000 of $1.0000'),
    });
    if ('refused' in first || 'refused' in second) throw new Error('there was room');
    for (const _ of [1, 2]) await table.spend.settle(of(1), first, 100_000);
    await table.spend.settle(of(2), second, second.micro_usd);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(500_000);
    expect(await table.spend.reserve(of(3), budgets, at)).toMatchObject({ micro_usd: 400_000 });
  });

  it('counts the days of a month together', async () => {
    const at = freshDay();
    const next = new Date(at.getTime() + DAY_MS);
    const of = (attempt: string) => ({ reservationId: attempt, repository: 'r', estimate: costs(600_000) });
    expect(await table.spend.reserve(of('a#1'), { deployment_usd: 1 }, at)).not.toHaveProperty('refused');
    expect(await table.spend.reserve(of('b#1'), { deployment_usd: 1 }, next)).toMatchObject({
      refused: expect.stringContaining('for a month: $0.6000 of $1.0000'),
    });
    expect(await table.spend.readDayTotal(dayOf(next))).toBe(0);
  });
});

describe('what an attempt is expected to cost', () => {
  const option = (cost_usd: number | null, fields: object = {}) => ({
    ...estimateTierPassRate(
      EMPTY_ROLE_LEARNING_STATE,
      'low',
      { tier: 'haiku' as const, model: MODELS.haiku },
      5,
    ),
    cost_usd,
    ...fields,
  });

  it('comes from what attempts have cost, else from the price with caution, and is never 0 for unknown', () => {
    const known = { cost_with_judging: { known: 9, mean_usd: 0.2, usd_90: { low: 0.1, high: 0.5 } } };
    expect(estimateAttemptCost(option(0.2, known))).toMatchObject({
      expectedMicro: 200_000,
      highMicro: 500_000,
    });
    expect(estimateAttemptCost(option(0.2, known))?.description).toBe(
      '$0.2000 ($0.1000 to $0.5000 at 90 %, from 9 attempts)',
    );
    expect(estimateAttemptCost(option(0.2))).toMatchObject({ expectedMicro: 200_000, highMicro: 600_000 });
    expect(estimateAttemptCost(option(null))).toBeNull();
    expect(estimateAttemptCost(null)).toBeNull();
  });

  it('has what judging took in it, by which no tier is chosen', () => {
    const outcomes = Array.from({ length: 6 }, (_, index) => ({
      id: `T${index}#1`,
      model: MODELS.haiku,
      passed: true,
      cost_usd: 0.1,
      judging_cost_usd: 0.4,
      seconds: 1,
      at: FIXED_NOW.toISOString(),
    }));
    const memory = {
      ...EMPTY_ROLE_LEARNING_STATE,
      windows: [{ complexity: 'low', tier: 'haiku', window: outcomes }],
    } as const;
    const belief = estimateTierPassRate(memory, 'low', { tier: 'haiku', model: MODELS.haiku }, 5);
    expect(belief.mean_cost_usd).toBeCloseTo(0.1, 9);
    expect(estimateAttemptCost({ ...belief, cost_usd: 0.1 })).toMatchObject({
      expectedMicro: 500_000,
      highMicro: 500_000,
    });
  });
});

describe('what models took for an attempt', () => {
  const usd = fc.integer({ min: 0, max: 500_000 }).map((micro) => micro / 1e6);
  const maybe = fc.option(usd);
  const judged = fc.record({
    cost_usd: maybe,
    judges: fc.array(maybe, { maxLength: 3 }),
    gates: fc.option(maybe),
    earlier: fc.option(maybe),
    micro: fc.integer({ min: 0, max: 600_000 }),
    runner: fc.constantFrom('managed' as const, 'external' as const),
  });
  type Judged = typeof judged extends fc.Arbitrary<infer T> ? T : never;
  const attemptOf = ({ cost_usd, judges, gates, earlier }: Judged): Attempt =>
    attempt({
      outcome: null,
      cost_usd,
      verdict: verdict({ judgements: judges.map((each) => judgement({ cost_usd: each, calls: 1 })) }),
      ...(gates !== null && { gates_metered_usage: { calls: 1, cost_usd: gates, unsettled_calls: 0 } }),
      ...(earlier !== null && {
        reverification: {
          count: 1,
          earlier_judging_cost_usd: earlier,
          earlier_verdict: 'refer' as const,
          reason: 'again',
          by: 'ada',
          at: FIXED_NOW.toISOString(),
        },
      }),
    });
  /** Dollars that somebody here pays for, as far as they are known. */
  const paid = ({ cost_usd, judges, gates, earlier, runner }: Judged): number =>
    [runner === 'managed' ? cost_usd : 0, ...judges, gates, earlier].reduce<number>(
      (sum, each) => sum + (each ?? 0),
      0,
    );

  it('counts in the budgets of a chain, of a task, of a repository and of the deployment alike: agent, judges and gates, and never less than is known', async () => {
    let tasks = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(judged, { minLength: 1, maxLength: 4 }), async (given) => {
        const at = freshDay();
        const day = dayOf(at);
        let expected = 0;
        for (const each of given) {
          const id = `J${tasks++}`;
          const of = { reservationId: `${id}#1`, repository: 'r', estimate: costs(each.micro) };
          const made = attemptOf(each);
          const before = { ...task({ id, repository: 'r', runner: each.runner }), attempts: [made] };
          const learning = {
            spend: table.spend,
            policy: TierPolicySettings.parse({ budgets: { day_usd: 1_000 } }),
          };
          const launched =
            each.runner === 'managed' ? await table.spend.reserve(of, { day_usd: 1_000 }, at) : null;
          if (launched && 'refused' in launched) throw new Error('there was room');
          const counted = launched
            ? { reservation: launched }
            : await recordJudgingReservation(before, { learning, now: at });
          const over = { ...made, outcome: 'failed' as const, ...counted };
          // The stream brings it twice.
          for (const _ of [1, 2])
            await applyTaskWriteEffects(before, { ...before, attempts: [over] }, followed);
          const counts = computeBudgetedAttemptMicroUsd(over, each.runner);
          expect(counts).toBeGreaterThanOrEqual(Math.floor(paid(each) * 1e6));
          expected += counts;
          const tight = { chain_usd: counts / 1e6, task_usd: counts / 1e6 };
          expect(
            findTaskBudgetRefusalReason({ ...before, attempts: [over] }, costs(2), tight),
          ).not.toBeNull();
          const wide = { chain_usd: counts / 1e6 + 0.000_004, task_usd: counts / 1e6 + 0.000_004 };
          expect(findTaskBudgetRefusalReason({ ...before, attempts: [over] }, costs(2), wide)).toBeNull();
        }
        expect(await table.spend.readDayTotal(day)).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('is written down by the decision about work for which nothing was set aside', async () => {
    const at = freshDay();
    const judgedTask = {
      ...taskInReview({
        verification: verification(),
        verdict: verdict({ judgements: [judgement({ cost_usd: 0.3 })] }),
      }),
      id: 'J-external',
      runner: 'external' as const,
      run: 1,
      version: 1,
    };
    await table.tasks.create(judgedTask);
    await runDecideStep('J-external', 1, {
      tasks: table.tasks,
      deadlines: table.deadlines,
      locks: table.locks,
      models: MODELS,
      learning: {
        beliefs: table.beliefs,
        spend: table.spend,
        policy: TierPolicySettings.parse({ budgets: { repository_usd: 1 } }),
      },
      now: at,
    });
    const decided = await table.tasks.require('J-external');
    const last = decided.attempts.at(-1);
    expect(last?.reservation).toEqual({ day: dayOf(at), micro_usd: 0 });
    await applyTaskWriteEffects(
      decided,
      { ...decided, attempts: decided.attempts.map((each) => ({ ...each, outcome: 'passed' as const })) },
      followed,
    );
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(300_000);
  });
});

describe('the budgets of one task', () => {
  const spent = (fields: object) =>
    task({ attempts: [attempt({ outcome: 'failed', cost_usd: 0.9, ...fields })] });

  it('count what attempts have cost, in the round and in all rounds', () => {
    expect(findTaskBudgetRefusalReason(spent({}), costs(200_000), { chain_usd: 1 })).toContain(
      'budget of a chain: $0.9000',
    );
    expect(findTaskBudgetRefusalReason(spent({}), costs(100_000), { chain_usd: 1 })).toBeNull();
    const retried = { ...spent({}), first_budgeted_attempt: 2 };
    expect(findTaskBudgetRefusalReason(retried, costs(200_000), { chain_usd: 1 })).toBeNull();
    expect(findTaskBudgetRefusalReason(retried, costs(200_000), { task_usd: 1 })).toContain(
      'budget of a task: $0.9000',
    );
  });

  it('count an attempt of unknown cost as what was set aside for it', () => {
    const unknown = spent({ cost_usd: null, reservation: { day: '2026-11-20', micro_usd: 950_000 } });
    expect(findTaskBudgetRefusalReason(unknown, costs(100_000), { chain_usd: 1 })).toContain(
      '$0.9500 of $1.0000',
    );
  });

  it('count what ended between evidence and verdict as what was set aside: models may have been asked that nobody has heard', () => {
    const reserved = { day: '2026-11-20', micro_usd: 950_000 };
    const [cut] = spent({
      outcome: 'cancelled',
      reservation: reserved,
      verification: verification(),
      verdict: null,
    }).attempts;
    const [early] = spent({
      outcome: 'cancelled',
      reservation: reserved,
      verification: null,
      verdict: null,
    }).attempts;
    if (!cut || !early) throw new Error('there are attempts');
    expect([
      computeBudgetedAttemptMicroUsd(cut, 'managed'),
      computeBudgetedAttemptMicroUsd(early, 'managed'),
    ]).toEqual([950_000, 900_000]);
  });

  it.each([
    ['a negative one', { day_usd: -1 }, 'day_usd'],
    ['none at all', { day_usd: 0 }, 'day_usd'],
    ['one that there is not', { week_usd: 1 }, 'week_usd'],
  ])('refuse %s by name', (_what, given, name) => {
    expect(JSON.stringify(Budgets.safeParse(given).error?.issues)).toContain(name);
  });
});

describe('a deployment with budgets', () => {
  const at = addSeconds(0);
  const context = (budgets: Budgets) => ({
    tasks: table.tasks,
    deadlines: table.deadlines,
    locks: table.locks,
    models: MODELS,
    learning: {
      beliefs: table.beliefs,
      spend: table.spend,
      policy: TierPolicySettings.parse({ budgets }),
    },
    now: at,
  });
  const stored = async (id: string) => {
    const made = { ...task({ id, run: 1 }, { complexity: 'low' }), version: 1 };
    await table.tasks.create(made);
    return made;
  };

  it('stops a task before the launch that could exceed one, says why on the task, and settles what was set aside', async () => {
    await stored('B1');
    await stored('B2');
    // By the price of the cheapest tier with caution, an attempt is set aside at $0.72.
    const budgets = { day_usd: 1 };
    const launched = await runSelectModelStep('B1', 1, context(budgets));
    expect(launched.stage).toBe('run_agent');
    const one = await table.tasks.require('B1');
    expect(one.attempts[0]?.reservation).toEqual({ day: dayOf(at), micro_usd: 720_000 });
    const refused = await runSelectModelStep('B2', 1, context(budgets));
    expect(refused.stage).toBe('ended');
    const two = await table.tasks.require('B2');
    expect(two).toMatchObject({ status: 'failed', attempts: [], failure: { code: 'budget_exhausted' } });
    expect(two.failure?.message).toContain('$0.7200 of $1.0000 is spent or set aside');

    const [running] = one.attempts;
    if (!running) throw new Error('nothing runs');
    const over = { ...one, attempts: [{ ...running, outcome: 'failed' as const, cost_usd: 0.02 }] };
    for (const _ of [1, 2]) await applyTaskWriteEffects(one, over, followed);
    expect(await table.spend.readDayTotal(dayOf(at))).toBe(20_000);
  });

  it('refuses a model of which nobody knows what it costs', async () => {
    await stored('B3');
    const unpriced = { ...context({ day_usd: 1_000 }), models: { ...MODELS, haiku: 'nobody' } };
    await runSelectModelStep('B3', 1, unpriced);
    expect((await table.tasks.require('B3')).failure?.message).toContain(
      'nobody knows what an attempt on nobody costs',
    );
  });
});
