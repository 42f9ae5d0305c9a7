import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { DerivedRow } from '../../../../shared/control/ledger/derive-rows.ts';
import {
  addDailyMetrics,
  addRecordToDailyMetrics,
  type DailyMetrics,
  EMPTY_DAILY_METRICS,
} from '../../../../shared/control/metrics/daily-metrics.ts';
import { computeQualityScore } from '../../../../shared/control/verdict/quality-score.ts';
import { attempt, verification } from '../../../support/builders.ts';

/** Records that name a gate, a role and a model so. */
const rowsOf = (name: string, seconds = 1): DerivedRow[] =>
  [
    { table: 'quality_gates', row: { gate: name, result: 'pass', duration_ms: 1_000 * seconds } },
    {
      table: 'cascade_chains',
      row: {
        role: name,
        author: name,
        status: 'done',
        succeeded: true,
        total_cost_usd: 1,
        saved_vs_direct_opus_usd: null,
        attempts: [{ tokens_used: 5, latency_s: seconds }],
      },
    },
    {
      table: 'cascade_attempts',
      row: {
        ...{
          model: name,
          tier: name,
          repository: name,
          outcome: 'passed',
          success: true,
          latency_s: seconds,
        },
        ...{ tokens_used: 5, cost_usd: 1, judging_cost_usd: null, gates_cost_usd: null, quality_score: null },
      },
    },
    { table: 'work_outcomes', row: { outcome: 'reverted', passed_gates: [name], author: name } },
  ] as unknown as DerivedRow[];

/** As `createDocumentClient` does. */
const AS_STORED = { convertClassInstanceToMap: true };
const addAll = (sum: DailyMetrics, rows: readonly DerivedRow[]): DailyMetrics =>
  rows.reduce(addRecordToDailyMetrics, sum);
const marshalled = (sum: DailyMetrics): string => JSON.stringify(marshall(sum, AS_STORED));

describe('daily metrics', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'tests'])(
    'count a gate, role or model named %s, and are stored and read',
    (name) => {
      const once = addAll(EMPTY_DAILY_METRICS, rowsOf(name));
      const stored = unmarshall(marshall(addDailyMetrics(once, once), AS_STORED)) as DailyMetrics;
      const key = name === '__proto__' ? 'others' : name;
      expect(Object.keys(stored.gates)).toEqual([key]);
      expect(stored.gates[key]).toEqual({ total: 2, pass: 2, blocked: 0, flagged: 0, seconds: 2 });
      expect(stored.roles[key]).toMatchObject({ count: 2, seconds: 2, cost_usd: 2 });
      expect(stored.models[key]).toMatchObject({ count: 2, tokens: 10 });
      expect(stored.further.words[key]).toEqual({ held: 0, false_blocks: 0, false_greens: 2 });
    },
  );

  it('do not grow with the number or the length of names', () => {
    let sum = EMPTY_DAILY_METRICS;
    for (let n = 0; n < 500; n++) sum = addAll(sum, rowsOf(`${n}-${'x'.repeat(5_000)}`, 1.07 ** (n % 140)));
    expect(marshalled(sum).length).toBeLessThan(300_000);
    expect(sum.gates['others']?.total).toBeGreaterThan(400);
    expect(Object.values(sum.gates).reduce((total, each) => total + each.total, 0)).toBe(500);
    const both = addDailyMetrics(sum, addAll(EMPTY_DAILY_METRICS, rowsOf('another')));
    expect(marshalled(both).length).toBeLessThan(300_000);
  });
});

it.each(['constructor', '__proto__'])('the quality score of a gate named %s is a number', (name) => {
  const gates = [
    ...verification({
      gates: [{ name, outcome: 'passed', kind: 'executed', blocked: false }] as unknown as ReturnType<
        typeof verification
      >['gates'],
    }).gates,
  ];
  const score = computeQualityScore(attempt({ verification: verification({ gates }) }));
  expect(score).toMatchObject({ total: 100, gates: [{ name, weight: expect.any(Number) }] });
});
