import {
  type FileChangeOutcome,
  NO_FILE_CHANGE_OUTCOME_COUNTS,
} from '../../../shared/control/file-health/file-change-outcomes.ts';
import { FileHealthQuery } from '../../../shared/control/file-health/file-health-schemas.ts';
import {
  buildFileHealthHistory,
  buildFileHealthList,
  type HealthTrackedFile,
} from '../../../shared/control/file-health/file-health-views.ts';
import type { DerivedRow } from '../../../shared/control/ledger/derive-rows.ts';
import { budgetForecastView } from '../../../shared/control/metrics/budget-forecast.ts';
import { buildQualityCost } from '../../../shared/control/metrics/cost-view.ts';
import {
  addRecordToDailyMetrics,
  type DailyMetrics,
  EMPTY_DAILY_METRICS,
} from '../../../shared/control/metrics/daily-metrics.ts';
import { buildQualityMetrics, buildQualityTrend } from '../../../shared/control/metrics/quality-views.ts';
import { FIXED_NOW } from '../../support/builders.ts';
import type { ScriptedApi } from './scripted-api.ts';

/** What happened on the day that is `ago` days back: more unverified, and dearer, the later it is. */
function day(ago: number): readonly [string, DailyMetrics] {
  const date = new Date(FIXED_NOW.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
  const row = (table: string, fields: object): DerivedRow =>
    ({ table, date, row: fields }) as unknown as DerivedRow;
  const records = [
    ...[0, 1, 2, 3].map((each) => row('verification_nudges', { verified: each > 3 - (ago % 4) || each > 1 })),
    row('cascade_chains', {
      role: 'backend',
      author: 'you',
      status: 'done',
      succeeded: true,
      total_cost_usd: 3 - ago / 10,
      attempts: [],
      saved_vs_direct_opus_usd: 1 - ago / 12,
    }),
    ...['haiku', 'sonnet', 'haiku'].map((tier, index) =>
      row('cascade_attempts', {
        tier,
        model: tier,
        success: (ago + index) % 3 > 0,
        cost_usd: 0.4 * (index + 1),
        tokens_used: 900,
        latency_s: 40,
        repository: 'https://example.test/shop.git',
        outcome: (ago + index) % 3 > 0 ? 'passed' : 'failed',
        judging_cost_usd: 0,
        gates_cost_usd: 0,
        quality_score: 80,
      }),
    ),
    ...['tests', 'lint', 'mutation'].map((gate, index) =>
      row('quality_gates', {
        gate,
        result: index === 1 && ago % 2 ? 'blocked' : 'pass',
        duration_ms: 4_000 * (index + 1) + 300 * ago,
      }),
    ),
    row('tasks', {
      status: 'claimed',
      previous_status: 'open',
      attempt: 1,
      age_ms: 20_000 + 9_000 * (ago % 5),
    }),
    row('reviews', {
      decision: ago % 2 ? 'approve' : 'reject',
      blocking_gates: ['lint'],
      passed_gates: ['tests'],
    }),
  ];
  return [date, records.reduce(addRecordToDailyMetrics, EMPTY_DAILY_METRICS)];
}

/** Answers of an API that has figures of the last two weeks. */
export function tellFigures(api: ScriptedApi): void {
  const days = new Map(Array.from({ length: 14 }, (_, ago) => day(ago)));
  api.answers.set('GET /quality', () => ({ body: buildQualityMetrics(days, FIXED_NOW) }));
  api.answers.set('GET /quality/trend', () => ({ body: buildQualityTrend(days, 'day', 30, FIXED_NOW) }));
  api.answers.set('GET /quality/cost', () => ({ body: buildQualityCost(days, 30, FIXED_NOW) }));
  const file = (
    path: string,
    outcomes: readonly FileChangeOutcome['outcome'][],
    findings = 0,
  ): HealthTrackedFile => ({
    ...{ repository: 'https://example.test/shop.git', path, earlier: NO_FILE_CHANGE_OUTCOME_COUNTS },
    latest: outcomes.map((outcome, index) => ({
      ...{ id: `T${index}#1#file#0`, outcome, findings, flaky: findings > 4 ? 1 : 0 },
      at: new Date(FIXED_NOW.getTime() - (20 - index) * 3_600_000).toISOString(),
    })),
  });
  const files = [
    file('src/prices/round.ts', ['rejected', 'accepted', 'rejected', 'reverted'], 5),
    file('src/cart.ts', ['accepted', 'accepted', 'rejected']),
    file('src/an\u202egnp.exe.ts', ['accepted']),
  ];
  api.answers.set('GET /quality/file-health', () => ({
    body: buildFileHealthList(files, FileHealthQuery.parse({}), false, FIXED_NOW),
  }));
  api.answers.set('GET /quality/file-health/file', () => ({
    body: buildFileHealthHistory(files[0] as HealthTrackedFile, FIXED_NOW),
  }));
  api.answers.set('GET /quality/budget-forecast', () => ({
    body: budgetForecastView(days, new Map([['backend', { open: 12 }]]), 40, FIXED_NOW),
  }));
}
