import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { DerivedRow } from '../../shared/control/ledger/derive-rows.ts';
import {
  AttemptChainRow,
  AttemptRow,
  GateRow,
  RECORD_TABLES,
  type RecordTableName,
  ReviewRow,
  TaskRow,
  VerificationNudgeRow,
  WorkOutcomeRow,
} from '../../shared/control/ledger/record-rows.ts';
import { BudgetForecast, budgetForecastView } from '../../shared/control/metrics/budget-forecast.ts';
import { buildQualityCost, QualityCost } from '../../shared/control/metrics/cost-view.ts';
import {
  addDailyMetrics,
  addRecordToDailyMetrics,
  type DailyMetrics,
  EMPTY_DAILY_METRICS,
} from '../../shared/control/metrics/daily-metrics.ts';
import { addToHistogram, histogramPercentile } from '../../shared/control/metrics/histogram.ts';
import {
  QualityAuthors,
  QualityByModel,
  QualityMetrics,
  QualityTrend,
} from '../../shared/control/metrics/quality-schemas.ts';
import {
  buildQualityAuthors,
  buildQualityByModel,
  buildQualityMetrics,
  buildQualityTrend,
  classifyScoreTrend,
  sumDailyMetrics,
} from '../../shared/control/metrics/quality-views.ts';
import { deriveRecordMetricsGroups } from '../../shared/control/metrics/record-metrics.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import { createTestTable } from '../support/dynalite-table.ts';
import { createRowArbitrary } from '../support/records/generated-records.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const ROLES = new Map([
  ['qa', { open: 2, done: 5 }],
  ['backend', { in_progress: 1 }],
]);
const TABLES = [
  'quality_gates',
  'cascade_chains',
  'cascade_attempts',
  'reviews',
  'tasks',
  'verification_nudges',
  'work_outcomes',
] as const satisfies RecordTableName[];

/** Records of the last days of November, in the order in which they were made, as batches of single writes. */
const records = fc
  .array(
    fc.record({
      table: fc.constantFrom(...TABLES),
      day: fc.integer({ min: 1, max: 20 }),
      rows: fc.record(
        Object.fromEntries(
          TABLES.map((table) => [
            table,
            createRowArbitrary(
              z.toJSONSchema(RECORD_TABLES[table], { io: 'output' }),
            ) as fc.Arbitrary<object>,
          ]),
        ),
      ),
    }),
    { maxLength: 40 },
  )
  .map((writes) =>
    writes.map(
      ({ table, day, rows }, index) =>
        ({
          table,
          date: `2026-11-${String(day).padStart(2, '0')}`,
          row: {
            ...rows[table],
            record_id: `${table}-${index}`,
            task_id: `t-${index}`,
            chain_id: `c-${index}`,
          },
        }) as unknown as DerivedRow,
    ),
  );

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** The same numbers, however they were added up. */
const settled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, each) => (typeof each === 'number' ? Number(each.toPrecision(9)) : each)),
  );

describe('figures by day', () => {
  test('are what the records say, each counted once, however often and in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.infiniteStream(fc.nat()), async (all, choice) => {
        const name = `f${Math.random().toString(36).slice(2)}`;
        const store = new DailyMetricsStore(new ItemTable(table.db, await table.another(name)));
        const order = all
          .flatMap((each) => [each, each])
          .toSorted(() => ((choice.next().value ?? 0) % 3) - 1);
        for (let at = 0; at < order.length; at += 7)
          await store.addFacts(deriveRecordMetricsGroups(order.slice(at, at + 7)), NOW);
        const days = await store.readDays('2026-11-01', '2026-11-30');
        expect(settled(sumDailyMetrics(days))).toEqual(
          settled(all.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS)),
        );
        for (const [day, figures] of days)
          expect(settled(figures)).toEqual(
            settled(
              all.filter(({ date }) => date === day).reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS),
            ),
          );
      }),
      { numRuns: 8, seed: 5 },
    );
  });

  test('count a fact once when writers race and when it was long ago', async () => {
    const store = new DailyMetricsStore(new ItemTable(table.db, await table.another('races')));
    const [row] = fc.sample(createRowArbitrary(z.toJSONSchema(GateRow)) as fc.Arbitrary<object>, {
      numRuns: 1,
      seed: 1,
    });
    const facts = Array.from({ length: 120 }, (_, index) =>
      deriveRecordMetricsGroups([
        {
          table: 'quality_gates',
          date: '2026-11-03',
          row: {
            ...GateRow.parse({ ...row, timestamp: '2026-11-03T00:00:00.000Z' }),
            record_id: `r-${index}`,
            task_id: `t-${index}`,
          },
        },
      ]),
    );
    await Promise.all(facts.slice(0, 12).map((each) => store.addFacts(each, NOW)));
    for (let at = 12; at < facts.length; at += 27) await store.addFacts(facts.slice(at, at + 27).flat(), NOW);
    expect(await store.addFacts(facts.flat(), NOW)).toBe(0);
    const days = await store.readDays('2026-11-03', '2026-11-03');
    expect(Object.values(sumDailyMetrics(days).gates).reduce((sum, { total }) => sum + total, 0)).toBe(120);
  });

  test('can be added up by parts', () => {
    fc.assert(
      fc.property(records, fc.nat(40), (all, cut) => {
        const fold = (part: readonly DerivedRow[]) =>
          part.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS);
        expect(settled(addDailyMetrics(fold(all.slice(0, cut)), fold(all.slice(cut))))).toEqual(
          settled(fold(all)),
        );
      }),
      { numRuns: 30 },
    );
  });
});

test('a percentile is the value at floor(p(n-1)), to 2.5 %', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0, 0.5, 0.9, 0.99, 1),
      (values, p) => {
        const exact = values.toSorted((a, b) => a - b)[Math.floor(p * (values.length - 1))] ?? 0;
        const told =
          histogramPercentile(
            values.reduce<Record<string, number>>((sum, each) => ({ ...addToHistogram(sum, each) }), {}),
            p,
          ) ?? 0;
        expect(Math.abs(told / exact - 1)).toBeLessThan(0.026);
      },
    ),
  );
  expect(histogramPercentile({}, 0.5)).toBeNull();
});

describe('what is told of quality', () => {
  test('is null where there is nothing, and never a perfect rate', () => {
    const view = buildQualityMetrics(new Map(), NOW);
    expect(QualityMetrics.parse(view)).toMatchObject({
      overall: { total_tasks: 0, success_rate: null, p50_completion_seconds: null },
      guardrail_pass_rate: null,
      review_rejection_rate: null,
    });
    expect(buildQualityByModel(new Map(), NOW).models).toEqual({});
    expect(buildQualityTrend(new Map(), 'day', 90, NOW).series).toEqual([]);
  });

  test('keeps to its shapes, whatever the records are', () => {
    fc.assert(
      fc.property(records, (all) => {
        const days = new Map(
          [...Map.groupBy(all, ({ date }) => date)].map(([day, part]) => [
            day,
            part.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS),
          ]),
        );
        expect(() => QualityMetrics.parse(buildQualityMetrics(days, NOW))).not.toThrow();
        expect(() => QualityByModel.parse(buildQualityByModel(days, NOW))).not.toThrow();
        expect(() => QualityTrend.parse(buildQualityTrend(days, 'week', 30, NOW))).not.toThrow();
        expect(() => QualityCost.parse(buildQualityCost(days, 30, NOW))).not.toThrow();
        expect(() => QualityAuthors.parse(buildQualityAuthors(days, 30, NOW))).not.toThrow();
        expect(() => BudgetForecast.parse(budgetForecastView(days, ROLES, 10, NOW))).not.toThrow();
      }),
      { numRuns: 30 },
    );
  });

  test('follows the formulas', () => {
    const gate = (result: 'pass' | 'blocked' | 'flagged', n: number): DerivedRow => ({
      table: 'quality_gates',
      date: '2026-11-19',
      row: { ...base(GateRow), gate: 'lint', result, duration_ms: 1_000, task_id: `g-${result}-${n}` },
    });
    const review = (decision: 'approve' | 'reject' | null): DerivedRow => ({
      table: 'reviews',
      date: '2026-11-19',
      row: { ...base(ReviewRow), decision },
    });
    const chain = (succeeded: boolean, cost: number | null): DerivedRow => ({
      table: 'cascade_chains',
      date: '2026-11-19',
      row: { ...base(AttemptChainRow), role: 'qa', attempts: [], succeeded, total_cost_usd: cost },
    });
    const attempt = (success: boolean, tokens: number | null): DerivedRow => ({
      table: 'cascade_attempts',
      date: '2026-11-19',
      row: { ...base(AttemptRow), model: 'm', success, tokens_used: tokens, latency_s: 10, cost_usd: null },
    });
    const all = [
      gate('pass', 1),
      gate('pass', 2),
      gate('blocked', 3),
      gate('flagged', 4),
      review('approve'),
      review('reject'),
      review('reject'),
      review(null),
      chain(true, 1),
      chain(false, null),
      chain(true, 2),
      attempt(true, 100),
      attempt(false, null),
    ];
    const view = buildQualityMetrics(
      new Map([['2026-11-19', all.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS)]]),
      NOW,
    );
    expect(view).toMatchObject({
      overall: { total_tasks: 3, success_rate: 0.6667 },
      per_model: {
        m: {
          total_tasks: 2,
          success_rate: 0.5,
          avg_tokens: 100,
          avg_cost_usd: null,
          cost_unknown: 2,
          avg_completion_seconds: 10,
        },
      },
      gate_stats: { lint: { total: 4, pass: 2, blocked: 1, flagged: 1, pass_rate: 0.5, seconds: 4 } },
      guardrail_pass_rate: 0.5,
      review_rejection_rate: 0.6667,
    });
  });

  test('tells cost, savings, queue, unverified work and how the word of gates has held, by their formulas', () => {
    const on = (date: string, ...all: object[]) =>
      [date, (all as DerivedRow[]).reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS)] as const;
    const chain = (cost: number | null, saved: number | null) => ({
      table: 'cascade_chains',
      row: {
        ...base(AttemptChainRow),
        role: 'qa',
        attempts: [],
        succeeded: true,
        total_cost_usd: cost,
        saved_vs_direct_opus_usd: saved,
      },
    });
    const attempt = (tier: string | null, success: boolean, cost: number | null) => ({
      table: 'cascade_attempts',
      row: {
        ...base(AttemptRow),
        tier,
        success,
        cost_usd: cost,
        repository: 'r',
        outcome: success ? 'passed' : 'failed',
      },
    });
    const word = (decision: string | null, blocking_gates: string[], passed_gates: string[]) => ({
      table: 'reviews',
      row: { ...base(ReviewRow), decision, blocking_gates, passed_gates },
    });
    const ended = (verified: boolean) => ({
      table: 'verification_nudges',
      row: { ...base(VerificationNudgeRow), verified },
    });
    const claimed = (age: number, attempts = 1, from = 'open') => ({
      table: 'tasks',
      row: { ...base(TaskRow), status: 'claimed', previous_status: from, attempt: attempts, age_ms: age },
    });
    const days = new Map([
      on(
        '2026-11-18',
        chain(1, -0.5),
        attempt('haiku', false, 0.25),
        attempt('opus', true, 0.75),
        ended(true),
      ),
      on(
        '2026-11-19',
        chain(null, null),
        attempt('haiku', true, null),
        ended(false),
        claimed(60_000),
        claimed(1, 2),
        claimed(1, 1, 'in_review'),
      ),
      on(
        '2026-11-20',
        word('approve', ['lint'], []),
        word('reject', ['lint'], ['tests']),
        word(null, ['lint'], ['tests']),
      ),
    ]);
    expect(buildQualityTrend(days, 'day', 30, NOW).series).toMatchObject([
      {
        unverified_ratio: 0,
        saved_usd: -0.5,
        tier_pass_rates: { haiku: 0, opus: 1 },
        queue_p50_seconds: null,
      },
      {
        unverified_ratio: 1,
        saved_usd: null,
        tier_pass_rates: { haiku: 1 },
        queue_p50_seconds: expect.closeTo(60, -1),
      },
      { unverified_ratio: null, completions: 0, saved_usd: null, tier_pass_rates: {} },
    ]);
    expect(buildQualityCost(days, 30, NOW)).toMatchObject({
      tasks: { count: 2, cost_usd: 1, cost_unknown: 1, usd_per_success: null },
      per_tier: { haiku: { count: 2, cost_usd: 0.25, cost_unknown: 1 }, opus: { usd_per_success: 0.75 } },
      per_repository: { r: { count: 3 } },
      per_outcome: { failed: { count: 1, cost_usd: 0.25, usd_per_success: null }, passed: { count: 2 } },
      saved_vs_direct_opus_usd: -0.5,
      saved_unknown: 1,
    });
    const gates = on(
      '2026-11-20',
      ...['lint', 'tests'].map((gate) => ({
        table: 'quality_gates',
        row: { ...base(GateRow), gate, result: 'pass' },
      })),
    );
    const reverted = (outcome: string) => ({
      table: 'work_outcomes',
      row: { ...base(WorkOutcomeRow), outcome, passed_gates: ['tests'] },
    });
    const undone = [reverted('merged'), reverted('reverted')].reduce<DailyMetrics>(
      (sum, each) => addRecordToDailyMetrics(sum, each as unknown as DerivedRow),
      EMPTY_DAILY_METRICS,
    );
    expect(undone.further?.words).toEqual({ tests: { held: 0, false_blocks: 0, false_greens: 1 } });
    const both = new Map([
      ...days,
      ['2026-11-20', addDailyMetrics(gates[1], days.get('2026-11-20') ?? EMPTY_DAILY_METRICS)],
    ]);
    expect(buildQualityMetrics(both, NOW).gate_stats).toMatchObject({
      lint: { reviewed_blocks: 2, false_blocks: 1, false_block_rate: 0.5, false_greens: 0 },
      tests: { reviewed_blocks: 0, false_block_rate: null, false_greens: 1, false_green_rate: 1 },
    });
    // Of three tasks that have not ended two are of a role with one known cost, the mean of which counts for the other role, too.
    expect(budgetForecastView(days, ROLES, 3, NOW)).toMatchObject({
      task_count: 3,
      current_spend_usd: 1,
      estimated_remaining_cost_usd: 3,
      projected_total_cost_usd: 4,
      within_budget: false,
      confidence_level: 'low',
      per_role: [
        { role: 'backend', task_count: 1 },
        { role: 'qa', task_count: 2, estimated_cost_usd: 2 },
      ],
    });
    expect(budgetForecastView(new Map(), ROLES, 3, NOW)).toMatchObject({
      estimated_remaining_cost_usd: null,
      within_budget: null,
    });
  });

  test('tells whose work passes, what it costs and how often it is reverted, and nothing of cancelled work', () => {
    const base = (shape: z.ZodObject) => fc.sample(createRowArbitrary(z.toJSONSchema(shape)), 1)[0] as object;
    const verified = (author: string, status: string, cost: number | null) => ({
      table: 'cascade_chains',
      date: '2026-11-19',
      row: {
        ...base(AttemptChainRow),
        ...{ author, status, succeeded: status === 'done', total_cost_usd: cost },
      },
    });
    const became = (author: string, outcome: string) => ({
      table: 'work_outcomes',
      date: '2026-11-19',
      row: { ...base(WorkOutcomeRow), author, outcome, passed_gates: [] },
    });
    const rows = [
      verified('copilot[bot]', 'done', 0.2),
      verified('copilot[bot]', 'done', 0.1),
      verified('copilot[bot]', 'failed', 0.3),
      verified('copilot[bot]', 'cancelled', 9),
      verified('people', 'failed', null),
      became('copilot[bot]', 'merged'),
      became('copilot[bot]', 'merged'),
      became('copilot[bot]', 'reverted'),
      became('copilot[bot]', 'closed'),
    ] as unknown as DerivedRow[];
    const day = rows.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS);
    const view = buildQualityAuthors(new Map([['2026-11-19', day]]), 30, NOW);
    expect(QualityAuthors.parse(view).authors).toEqual({
      'copilot[bot]': {
        ...{ verified: 3, passed: 2, pass_rate: 0.6667, cost_usd: 0.6, cost_unknown: 0, usd_per_pass: 0.3 },
        ...{ merged: 2, reverted: 1, revert_rate: 0.5 },
      },
      people: {
        ...{ verified: 1, passed: 0, pass_rate: 0, cost_usd: null, cost_unknown: 1, usd_per_pass: null },
        ...{ merged: 0, reverted: 0, revert_rate: null },
      },
    });
  });

  test('is null where every cost is unknown, $0 where there is none, and never within a budget by what nobody knows', () => {
    const on = (date: string, ...costs: (number | null)[]) =>
      [
        date,
        costs
          .flatMap((cost) => [
            {
              table: 'cascade_chains',
              row: { ...base(AttemptChainRow), role: 'qa', attempts: [], total_cost_usd: cost },
            },
            {
              table: 'cascade_attempts',
              row: {
                ...base(AttemptRow),
                model: 'm',
                cost_usd: cost,
                judging_cost_usd: cost,
                gates_cost_usd: cost,
              },
            },
          ])
          .reduce(
            (sum, each) => addRecordToDailyMetrics(sum, each as unknown as DerivedRow),
            EMPTY_DAILY_METRICS,
          ),
      ] as const;
    const unknown = new Map([on('2026-11-19', null, null)]);
    expect(budgetForecastView(unknown, ROLES, 3, NOW)).toMatchObject({
      current_spend_usd: null,
      cost_unknown: 2,
      estimated_remaining_cost_usd: null,
      projected_total_cost_usd: null,
      within_budget: null,
    });
    expect(budgetForecastView(unknown, new Map(), 3, NOW)).toMatchObject({
      estimated_remaining_cost_usd: 0,
      projected_total_cost_usd: null,
      within_budget: null,
    });
    const [one] = buildQualityTrend(unknown, 'day', 30, NOW).series;
    expect(one).toMatchObject({ cost_usd: null, judging_cost_usd: null });
    expect(buildQualityMetrics(unknown, NOW).judging).toMatchObject({ cost_usd: null, gates_cost_usd: null });
    expect(buildQualityMetrics(unknown, NOW).per_model['m']).toMatchObject({
      cost_usd: null,
      cost_unknown: 2,
    });
    expect(buildQualityCost(unknown, 30, NOW).tasks).toMatchObject({ cost_usd: null, cost_unknown: 2 });

    const some = new Map([on('2026-11-19', 0.5, null)]);
    const roles = new Map([['qa', { open: 1 }]]);
    expect(budgetForecastView(some, roles, 3, NOW)).toMatchObject({
      current_spend_usd: 0.5,
      cost_unknown: 1,
      projected_total_cost_usd: 1,
      within_budget: null,
    });
    expect(budgetForecastView(some, roles, 0.9, NOW).within_budget).toBe(false);
    expect(budgetForecastView(new Map([on('2026-11-19', 0.5)]), roles, 3, NOW).within_budget).toBe(true);
    expect(budgetForecastView(new Map(), roles, 3, NOW)).toMatchObject({
      current_spend_usd: 0,
      cost_unknown: 0,
    });
    expect(buildQualityCost(new Map(), 30, NOW).tasks.cost_usd).toBe(0);
  });

  test('has what judging took, and the quality scores with their trend', () => {
    const attempt = (judging: number | null, score: number | null): DerivedRow => ({
      table: 'cascade_attempts',
      date: '',
      row: {
        ...base(AttemptRow),
        judging_cost_usd: judging,
        gates_cost_usd: judging === null ? null : judging / 2,
        quality_score: score,
      },
    });
    const figures = (...all: DerivedRow[]) => all.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS);
    const days = new Map([
      ['2026-11-16', figures(attempt(0.5, 60), attempt(null, null))],
      ['2026-11-17', figures(attempt(0, 70), attempt(0.25, 80))],
      ['2026-11-18', figures(attempt(0, null))],
      ['2026-11-19', figures(attempt(0, 90))],
    ]);
    expect(buildQualityMetrics(days, NOW).judging).toEqual({
      attempts: 6,
      cost_usd: 0.75,
      gates_cost_usd: 0.375,
      cost_unknown: 1,
    });
    const trend = buildQualityTrend(days, 'day', 30, NOW);
    expect(trend.series.map((each) => [each.judging_cost_usd, each.avg_quality_score])).toEqual([
      [0.5, 60],
      [0.25, 75],
      [0, null],
      [0, 90],
    ]);
    expect(trend.quality_trend).toBe('improving');
  });

  test.each([
    [[], 'stable'],
    [[10], 'stable'],
    [[50, 52], 'stable'],
    [[50, 53], 'improving'],
    [[90, 80, 85, 70], 'declining'],
    // The latest ten count, and nothing before them.
    [[0, 100, ...Array(10).fill(70)], 'stable'],
  ])('of the scores %j it says that they are %s', (scores, word) => {
    expect(classifyScoreTrend(scores)).toBe(word);
  });

  test('has a window that includes today: a day before it does not count', () => {
    const one: DerivedRow = {
      table: 'cascade_chains',
      date: '',
      row: { ...base(AttemptChainRow), succeeded: true },
    };
    const of = (day: string) =>
      buildQualityMetrics(new Map([[day, addRecordToDailyMetrics(EMPTY_DAILY_METRICS, one)]]), NOW).overall
        .total_tasks;
    expect([of('2026-11-20'), of('2026-11-14'), of('2026-11-13')]).toEqual([1, 1, 0]);
  });

  test('puts days of one week together, from Monday on', () => {
    const one: DerivedRow = {
      table: 'cascade_chains',
      date: '',
      row: { ...base(AttemptChainRow), succeeded: true },
    };
    const figures = addRecordToDailyMetrics(EMPTY_DAILY_METRICS, one);
    const days = new Map(['2026-11-15', '2026-11-16', '2026-11-20'].map((day) => [day, figures]));
    expect(
      buildQualityTrend(days, 'week', 30, NOW).series.map(({ date, tasks_total }) => [date, tasks_total]),
    ).toEqual([
      ['2026-11-09', 1],
      ['2026-11-16', 2],
    ]);
  });
});

/** Some row of a schema. */
function base<T extends z.ZodObject>(schema: T): z.infer<T> {
  const [row] = fc.sample(createRowArbitrary(z.toJSONSchema(schema, { io: 'output' })), {
    numRuns: 1,
    seed: 2,
  });
  return row as z.infer<T>;
}
