import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { totalJudgingCost } from '../../../../shared/contract/task/judging-cost.ts';
import { deriveRecordRows } from '../../../../shared/control/ledger/derive-rows.ts';
import {
  computeModelCallCost,
  worstCaseMicroUsd,
} from '../../../../shared/control/model-gateway/call-cost.ts';
import {
  applyGatesUsage,
  shouldReadGatesMeter,
} from '../../../../shared/control/model-gateway/metered-usage.ts';
import { EMPTY_MODEL_ANSWER_USAGE } from '../../../../shared/control/model-gateway/usage-reader.ts';
import { listVerdictInputs } from '../../../../shared/control/verdict/verdict-inputs.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { UsageMeterStore } from '../../../../shared/store/usage-meters.ts';
import { attempt, FIXED_NOW, report, task, verdict } from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
let table: Awaited<ReturnType<typeof createTestTable>>;
let meters: UsageMeterStore;
beforeAll(async () => {
  table = await createTestTable();
  meters = new UsageMeterStore(new ItemTable(table.db, 'tasks'));
});
afterAll(() => table.close());

const launch = {
  number: 1,
  token_sha256: 'x',
  model_token_sha256: 'y',
  assignment_key: 'k',
  lost: false,
  launched_at: FIXED_NOW.toISOString(),
};
const meterOfGates = async (micro: number | null, open = false) => {
  const of = { taskId: `T${Math.random()}`, attempt: 1, caller: 'gates' as const, limitMicro: 2_000_000 };
  await meters.reserve(of, 'a', 500_000, FIXED_NOW);
  await meters.settle(of, 'a', 500_000, {
    ...{ model: 'm', usage: none, micro, estimated: 0, substitution: null },
    end: 'well',
  });
  if (open) await meters.reserve(of, 'b', 100_000, FIXED_NOW);
  expect(await meters.read(of.taskId, 1)).toBeNull();
  const meter = await meters.read(of.taskId, 1, 'gates');
  if (!meter) throw new Error('no meter');
  return meter;
};

describe('what gates asked', () => {
  it('is part of what judging an attempt cost, beside what the janitor asked', async () => {
    const judged = attempt({ verdict: verdict({ judging_cost_usd: 0.25 }) });
    expect(totalJudgingCost(judged)).toBe(0.25);
    expect(totalJudgingCost(applyGatesUsage(judged, await meterOfGates(125_000)))).toBe(0.375);
  });

  it('counts an open call at the worst, and is unknown where a model has no price', async () => {
    expect(applyGatesUsage(attempt(), await meterOfGates(50_000, true)).gates_metered_usage).toEqual({
      calls: 2,
      cost_usd: 0.15,
      unsettled_calls: 1,
    });
    const unknown = applyGatesUsage(attempt(), await meterOfGates(null));
    expect(unknown.gates_metered_usage?.cost_usd).toBeNull();
    expect(totalJudgingCost(unknown)).toBeNull();
  });

  it('is read when the box has reported, when something is decided, and while calls are open; never without a token', () => {
    const running = attempt({
      gates: launch,
      verification: null,
      verdict: null,
      decision: null,
      outcome: null,
    });
    const failed = { failure_code: 'unknown', message: 'm', at: FIXED_NOW.toISOString() } as const;
    expect(shouldReadGatesMeter(running, running)).toBe(false);
    expect(shouldReadGatesMeter({ ...running, verification_failure: failed }, running)).toBe(true);
    expect(shouldReadGatesMeter({ ...running, verdict: verdict() }, running)).toBe(true);
    expect(shouldReadGatesMeter({ ...running, outcome: 'expired' }, running)).toBe(true);
    const open = { ...running, gates_metered_usage: { calls: 1, cost_usd: 1, unsettled_calls: 1 } };
    expect(shouldReadGatesMeter(open, open)).toBe(true);
    const without = { ...launch, model_token_sha256: null };
    expect(shouldReadGatesMeter({ ...open, gates: without }, running)).toBe(false);
  });

  it('is in the records of the attempt and its chain', async () => {
    const judged = applyGatesUsage(
      attempt({ number: 1, verdict: verdict({ judging_cost_usd: 0.25 }), cost_usd: 1, report: report() }),
      await meterOfGates(125_000),
    );
    const after = task({ status: 'done', attempts: [judged], ended_at: FIXED_NOW.toISOString() });
    const rows = deriveRecordRows(task({ ...after, status: 'in_review' }), after, DEFAULT_TIER_MODELS);
    expect(rows.find((each) => each.table === 'cascade_attempts')?.row).toMatchObject({
      judging_cost_usd: 0.375,
      gates_cost_usd: 0.125,
    });
    expect(rows.find((each) => each.table === 'cascade_chains')?.row).toMatchObject({
      total_cost_usd: 1.375,
      judging_cost_usd: 0.375,
    });
  });

  it('names model, prompt and cost of each among the inputs of the verdict', () => {
    const facts = { tool: 'model', tool_version: 'gpt-5.5', prompt_sha256: 'p'.repeat(64), cost_usd: 0.01 };
    const gate = (kind: 'judged' | 'checked') => ({
      ...{ name: 'g', kind, outcome: 'passed' as const, required: false, blocked: false, cached: false },
      ...{ duration_ms: 1, detail: '', finding_count: 0, facts },
    });
    const record = {
      ...{ key: 'k', tree: 't', base_commit: 'b', signals: [], duration_ms: 1, at: FIXED_NOW.toISOString() },
      ...{ protected_files: [], restored_file_count: 0, failed_checks: [], files_with_findings: [] },
      gates: [gate('judged'), gate('checked')],
    };
    expect(listVerdictInputs({ verification: record, verdict: verdict() })).toMatchObject([
      { model: 'gpt-5.5', prompt_sha256: 'p'.repeat(64), cost_usd: 0.01 },
      { model: null, prompt_sha256: null, cost_usd: null },
    ]);
  });
});

describe('the price that a configuration gives', () => {
  const worst = { input: 1_000, output: 100 };
  const own = { input: 2, output: 10 };
  const AT = FIXED_NOW.toISOString();
  it('is what a model without another is reckoned by, before and after', () => {
    expect(worstCaseMicroUsd(worst, 'our-own', AT)).toBeNull();
    expect(worstCaseMicroUsd(worst, 'our-own', AT, own)).toBe(3_000);
    const reading = { ...EMPTY_MODEL_ANSWER_USAGE, input: 100, output: 10 };
    expect(computeModelCallCost(reading, 'our-own', worst, AT, own)).toMatchObject({ micro: 300 });
    expect(computeModelCallCost({ ...reading, model: 'another' }, 'our-own', worst, AT, own)).toMatchObject({
      micro: null,
    });
  });
});
