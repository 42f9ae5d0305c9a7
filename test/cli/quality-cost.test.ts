import { afterEach, expect, test } from 'vitest';
import { assay, type FakeApi, fakeApi } from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

const part = (count: number, cost_usd: number | null, cost_unknown: number) => ({
  count,
  success: count,
  cost_usd,
  cost_unknown,
  usd_per_success: cost_unknown > 0 || cost_usd === null ? null : cost_usd / count,
});

test('what costs are known is summed up, and where none is known there is no sum', async () => {
  const answer = {
    window_days: 30,
    tasks: part(3, 0.5, 2),
    per_day: [],
    per_role: { backend: part(1, 0.5, 0), docs: part(2, null, 2) },
    per_model: {},
    per_tier: {},
    per_repository: {},
    per_outcome: {},
    saved_vs_direct_opus_usd: null,
    saved_unknown: 3,
    generated_at: '2026-11-20T10:00:00.000Z',
  };
  api = await fakeApi(() => [200, answer]);
  const { stdout } = await assay(['quality', 'cost'], { env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret' } });
  expect(stdout).toContain('$0.50 in 30 days for 3 tasks, unknown for each');
  expect(stdout).toMatch(/backend +1 +1 +\$0\.50 +\$0\.50 +0/);
  expect(stdout).toMatch(/docs +2 +2 +unknown +unknown +2/);
});

test('a forecast says how much of it nobody knows, and no money where nothing is known', async () => {
  const answer = {
    task_count: 2,
    current_spend_usd: null,
    cost_unknown: 3,
    estimated_remaining_cost_usd: null,
    projected_total_cost_usd: null,
    avg_estimated_cost_per_task_usd: null,
    budget_usd: 40,
    within_budget: null,
    confidence_level: 'low',
    per_role: [],
    generated_at: '2026-11-20T10:00:00.000Z',
  };
  api = await fakeApi(() => [200, answer]);
  const { stdout } = await assay(['quality', 'forecast'], {
    env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret' },
  });
  expect(stdout).toContain('unknown this month (3 tasks of unknown cost), and about unknown for 2 tasks');
  expect(stdout).not.toMatch(/\$0|exceeds/);
});
