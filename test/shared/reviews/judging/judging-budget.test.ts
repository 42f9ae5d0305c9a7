import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { createJudgementWithoutOpinion } from '../../../../shared/reviews/engine/engine.ts';
import {
  countJudgings,
  judgingBudgetRefusal,
  MAX_ATTEMPTS_REJECTED_BY_OPINION,
  MAX_JUDGINGS_PER_TASK,
} from '../../../../shared/reviews/judging/judging-budget.ts';
import { SIGNAL_REVIEWERS } from '../../../../shared/reviews/reviewers/signal-reviewers.ts';
import { attempt, FIXED_NOW, task, verdict } from '../../../support/builders.ts';

const signal = { type: 'llm_judge', criteria: 'it adds', on_error: 'hold' } as const;
const opinion = (calls: number) => ({
  ...createJudgementWithoutOpinion(
    SIGNAL_REVIEWERS.llm_judge,
    { signal },
    { code: 'no_model', purpose: 'judge' },
  ),
  outcome: 'failed' as const,
  verdict: 'fail' as const,
  calls,
});
const rejected = (number: number, codes = ['judge_failed'], calls = 1) =>
  attempt({
    number,
    tier: 'haiku',
    model: DEFAULT_TIER_MODELS.haiku,
    outcome: 'failed',
    verdict: verdict({
      verdict: 'fail',
      judgements: [opinion(calls)],
      reasons: codes.map((code) => ({ code, subject: 's', message: 'm' })),
    }),
  });
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the budget of a task for opinions', () => {
  it('counts each attempt that was judged and each time that a verdict was made again, in all rounds', () => {
    expect(countJudgings([])).toBe(0);
    const repeated = {
      count: 2,
      earlier_judging_cost_usd: 0,
      earlier_verdict: 'refer',
      reason: 'r',
      by: 'ada',
      at: FIXED_NOW.toISOString(),
    } as const;
    expect(
      countJudgings([
        rejected(1),
        { ...rejected(2), reverification: repeated },
        rejected(3, ['gate_failed'], 0),
      ]),
    ).toBe(4);
  });

  it('is spent after five, by whatever way they came', () => {
    expect(
      judgingBudgetRefusal(range(MAX_JUDGINGS_PER_TASK - 1).map((number) => rejected(number))),
    ).toBeNull();
    expect(judgingBudgetRefusal(range(MAX_JUDGINGS_PER_TASK).map((number) => rejected(number)))).toEqual({
      code: 'judgings_used',
      count: MAX_JUDGINGS_PER_TASK,
      limit: MAX_JUDGINGS_PER_TASK,
    });
  });
});

describe('attempts that mend what models alone rejected', () => {
  const decided = (attempts: ReturnType<typeof rejected>[], first_budgeted_attempt = 1) =>
    decideNextCascadeAction(
      task({
        status: 'in_review',
        first_budgeted_attempt: first_budgeted_attempt,
        attempts: attempts.map((each, index) =>
          index === attempts.length - 1 ? { ...each, outcome: null } : each,
        ),
      }),
      DEFAULT_TIER_MODELS,
    );

  it('are counted although a reason that is only advice stands beside the opinion', () => {
    const advised = range(MAX_ATTEMPTS_REJECTED_BY_OPINION + 1).map((number) =>
      rejected(number, ['judge_failed', 'advice_change_not_demonstrated']),
    );
    expect(decided(advised).action).toBe('refer');
  });

  it('are two; then a person decides, also in a later round', () => {
    const all = range(MAX_ATTEMPTS_REJECTED_BY_OPINION + 1).map((number) => rejected(number));
    expect(decided(all.slice(0, MAX_ATTEMPTS_REJECTED_BY_OPINION)).action).toBe('escalate');
    expect(decided(all)).toMatchObject({
      action: 'refer',
      reason: expect.stringContaining('by models alone'),
    });
    expect(decided(all, MAX_ATTEMPTS_REJECTED_BY_OPINION + 1).action).toBe('refer');
  });

  it('are not those that what ran has failed', () => {
    const all = range(MAX_ATTEMPTS_REJECTED_BY_OPINION + 1).map((number) =>
      rejected(number, ['gate_failed', 'judge_failed']),
    );
    expect(decided(all).action).toBe('escalate');
  });
});
