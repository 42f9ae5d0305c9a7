import { describe, expect, it } from 'vitest';
import { attemptListView } from '../../../../shared/api/task-views.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { Judgement } from '../../../../shared/contract/judgement/judgement.ts';
import { totalJudgingCost } from '../../../../shared/contract/task/judging-cost.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { computeAttemptChainCosts } from '../../../../shared/control/cascade/chain-costs.ts';
import { budgetExhaustedReason } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { deriveRecordRows } from '../../../../shared/control/ledger/derive-rows.ts';
import { JudgementRow } from '../../../../shared/control/ledger/record-rows.ts';
import {
  recordEvidence,
  recordVerdict,
} from '../../../../shared/control/task-commands/record-verification.ts';
import {
  attempt,
  evidence,
  FIXED_NOW,
  fakeSha1,
  gate,
  judgement,
  report,
  signal,
  taskInReview,
  verdict,
} from '../../../support/builders.ts';

const unasked = judgement({
  outcome: 'skipped',
  calls: 0,
  cost_usd: null,
  tokens: null,
  model: null,
  prompt: null,
});
const written = <T extends { task: Task } | null>(change: T): Task => {
  if (!change) throw new Error('nothing was written');
  return change.task;
};
const seen = written(
  recordEvidence(
    taskInReview({ cost_usd: 0.01 }),
    1,
    evidence({ signals: [signal()], gates: [gate()] }),
    'key',
    FIXED_NOW,
  ),
);
const judged = (...judgements: Judgement[]): Task =>
  written(recordVerdict(seen, 1, verdict({ verdict: 'fail', judgements }), FIXED_NOW));
const rows = (before: Task, after: Task): JudgementRow[] =>
  deriveRecordRows(before, after, MODELS).flatMap(({ table, row }) => (table === 'judgements' ? [row] : []));

describe('the record of a verdict', () => {
  it('has all that it was made of, with kind, outcome, model, prompt and cost, bound to base and tree', () => {
    const [shown] = attemptListView(judged(judgement(), unasked)).attempts;
    const about = { base_commit: fakeSha1('a'), tree: fakeSha1('b') };
    const nobody = { model: null, prompt_sha256: null, calibration: null, cost_usd: null };
    expect(shown?.inputs).toEqual([
      {
        source: 'signal',
        name: 'path_exists: README.md',
        kind: 'checked',
        outcome: 'passed',
        ...nobody,
        ...about,
      },
      { source: 'gate', name: 'tests', kind: 'executed', outcome: 'passed', ...nobody, ...about },
      {
        source: 'judge',
        name: 'llm_judge: it adds',
        kind: 'judged',
        outcome: 'failed',
        model: 'claude-sonnet-5-5',
        prompt_sha256: 'd'.repeat(64),
        calibration: null,
        cost_usd: 0.002,
        ...about,
      },
      {
        source: 'judge',
        name: 'llm_judge: it adds',
        kind: 'judged',
        outcome: 'skipped',
        ...nobody,
        ...about,
      },
    ]);
  });

  it('is empty before there is a verdict', () => {
    expect(attemptListView(seen).attempts[0]?.inputs).toEqual([]);
  });

  it('leaves a row for each judgement, once, with what it was about', () => {
    const after = judged(judgement(), unasked);
    const made = rows(seen, after);
    expect(made.map((row) => JudgementRow.parse(row))).toEqual(made);
    expect(made).toMatchObject([
      {
        record_id: 'T1#1#0',
        kind: 'llm_judge',
        verdict: 'fail',
        prompt_sha256: 'd'.repeat(64),
        input_tokens: 1_000,
        cost_usd: 0.002,
        writer_model: 'claude-haiku-4-5',
        base_commit: fakeSha1('a'),
        tree: fakeSha1('b'),
      },
      { record_id: 'T1#1#1', outcome: 'skipped', calls: 0, cost_usd: null },
    ]);
    expect(rows(after, { ...after, version: after.version + 1 })).toEqual([]);
  });
});

describe('what judging costs', () => {
  it('is nothing where nobody was asked, and unknown where one answer has no price', () => {
    expect(totalJudgingCost(seen.attempts[0] ?? attempt())).toBe(0);
    expect(totalJudgingCost({ verdict: verdict({ judgements: [judgement(), unasked] }) })).toBe(0.002);
    expect(
      totalJudgingCost({ verdict: verdict({ judgements: [judgement(), judgement({ cost_usd: null })] }) }),
    ).toBeNull();
  });

  it('is in the total of the chain, and not in what was saved', () => {
    const ran = attempt({
      report: report(),
      cost_usd: 0.01,
      usage: { input_tokens: 1_000, output_tokens: 100, cache_read_tokens: 0, cache_write_tokens: 0 },
    });
    const plain = computeAttemptChainCosts([ran], MODELS);
    const paid = { ...ran, verdict: verdict({ judgements: [judgement()] }) };
    expect(computeAttemptChainCosts([paid], MODELS)).toEqual({
      ...plain,
      total_cost_usd: 0.012,
      judging_cost_usd: 0.002,
    });
    const unknown = { ...ran, verdict: verdict({ judgements: [judgement({ cost_usd: null })] }) };
    expect(computeAttemptChainCosts([unknown], MODELS)).toEqual({
      ...plain,
      total_cost_usd: null,
      judging_cost_usd: null,
    });
  });

  it('counts against the budget of the task', () => {
    const of = judged(judgement({ cost_usd: 0.5 }));
    expect(budgetExhaustedReason({ ...of, budget: { max_attempts: 5, max_cost_usd: 0.5 } })).toContain(
      '$0.5100',
    );
    expect(budgetExhaustedReason({ ...of, budget: { max_attempts: 5, max_cost_usd: 0.6 } })).toBeNull();
  });
});
