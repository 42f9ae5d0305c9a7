import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { totalJudgingCost } from '../../../../shared/contract/task/judging-cost.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import {
  computeNextTaskCheckAt,
  computeTaskDeadline,
} from '../../../../shared/control/task-commands/deadline.ts';
import {
  expireReviewHold,
  MAX_REVERIFICATIONS,
  requestReverification,
} from '../../../../shared/control/task-commands/hold.ts';
import { recordCascadeDecision } from '../../../../shared/control/task-commands/record-cascade-decision.ts';
import { recordVerdict } from '../../../../shared/control/task-commands/record-verification.ts';
import type { TaskChange } from '../../../../shared/control/task-commands/task-change.ts';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';
import {
  addSeconds,
  evidence,
  FIXED_NOW,
  gate,
  taskInReview,
  verdict,
  verification,
} from '../../../support/builders.ts';

const DAY = 86_400;
const of = (change: TaskChange | null): Task => {
  if (!change) throw new Error('nothing changed');
  return change.task;
};
const referred = verdict({
  verdict: 'refer',
  judging_cost_usd: 0.25,
  reasons: [{ code: 'judge_unsure', subject: 's', message: 'hard to tell' }],
});
const judged = taskInReview({ verdict: referred, verification: verification() });
const held = (outcome: 'fail' | 'reject', days = 14): Task =>
  of(
    recordCascadeDecision(judged, 1, decideNextCascadeAction(judged, MODELS), FIXED_NOW, {
      days,
      expiry_outcome: outcome,
    }),
  );

describe('work that is held for a person', () => {
  it('says until when, and is looked at then and not before', () => {
    const task = held('fail', 2);
    expect(task.hold).toMatchObject({
      expires_at: addSeconds(2 * DAY).toISOString(),
      expiry_outcome: 'fail',
    });
    expect(computeTaskDeadline(task)).toEqual(addSeconds(2 * DAY));
    expect(computeNextTaskCheckAt(task, FIXED_NOW)).toEqual(addSeconds(2 * DAY));
    expect(expireReviewHold(task, addSeconds(2 * DAY - 1))).toBeNull();
  });

  it('of an earlier version has no limit', () => {
    const task = { ...judged, hold: { reasons: ['r'], since: FIXED_NOW.toISOString() } };
    expect(computeTaskDeadline(task)).toBeNull();
    expect(expireReviewHold(task, addSeconds(10_000 * DAY))).toBeNull();
  });

  it('fails when nobody decides in time, and says so', () => {
    const task = of(expireReviewHold(held('fail'), addSeconds(14 * DAY)));
    expect(task).toMatchObject({
      status: 'failed',
      hold: null,
      failure: { code: 'review_expired', message: expect.stringContaining('hard to tell') },
      attempts: [{ outcome: 'referred' }],
    });
  });

  it('or is refused, as a person would: a stronger model tries', () => {
    const task = of(expireReviewHold(held('reject'), addSeconds(14 * DAY)));
    expect(task).toMatchObject({
      status: 'in_review',
      hold: null,
      run: judged.run + 1,
      review: { decision: 'reject', by: 'assay' },
    });
    expect(determineCascadeStage(task)).toBe('decide');
    expect(decideNextCascadeAction(task, MODELS)).toMatchObject({ action: 'escalate' });
  });

  it('is never let out by time alone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('fail' as const, 'reject' as const),
        fc.integer({ min: 0, max: 100 }),
        (outcome, days) => {
          const change = expireReviewHold(held(outcome), addSeconds(days * DAY));
          expect(change === null).toBe(days < 14);
          if (change)
            expect(
              change.task.status === 'failed' ||
                decideNextCascadeAction(change.task, MODELS).action !== 'accept',
            ).toBe(true);
        },
      ),
    );
  });
});

describe('a verdict that is made again', () => {
  it('is asked for by one write: the task stands where its evidence was in, and what judging cost is kept', () => {
    const task = of(requestReverification(held('fail'), 'the key is there now', 'ann', addSeconds(60)));
    expect(task).toMatchObject({ status: 'in_review', hold: null, run: judged.run + 1 });
    expect(task.attempts[0]).toMatchObject({
      verdict: null,
      decision: null,
      verification: judged.attempts[0]?.verification,
      reverification: { count: 1, earlier_verdict: 'refer', by: 'ann', earlier_judging_cost_usd: 0.25 },
    });
    expect(determineCascadeStage(task)).toBe('verify');
    expect(requestReverification(task, 'again', 'ann', addSeconds(61))).toBeNull();
    const again = of(recordVerdict(task, 1, { ...referred, judging_cost_usd: 0.5 }, addSeconds(62)));
    expect(totalJudgingCost(again.attempts[0] ?? { verdict: null })).toBe(0.75);
    expect(determineCascadeStage(again)).toBe('decide');
    expect(decideNextCascadeAction(again, MODELS)).toMatchObject({ action: 'refer' });
  });

  it('is the same as far as it comes from evidence', () => {
    const seen = evidence({ gates: [gate(), gate({ name: 'lint', outcome: 'could_not_run' })] });
    expect(deriveVerdictFromEvidence(structuredClone(seen))).toEqual(deriveVerdictFromEvidence(seen));
  });

  it.each([
    ['that no person is asked about', judged],
    ['that there is not', taskInReview({}, { hold: { reasons: ['r'], since: FIXED_NOW.toISOString() } })],
    ['of a task that has failed', { ...judged, status: 'failed' as const }],
  ])('is not asked for %s', (_name, task) => {
    expect(() => requestReverification(task, 'r', 'ann', FIXED_NOW)).toThrow(Refusal);
  });

  it('is asked for ten times at the most', () => {
    let task = held('fail');
    for (let time = 0; time < MAX_REVERIFICATIONS; time++) {
      task = of(requestReverification(task, 'r', 'ann', FIXED_NOW));
      task = of(recordVerdict(task, 1, referred, FIXED_NOW));
      task = of(recordCascadeDecision(task, 1, decideNextCascadeAction(task, MODELS), FIXED_NOW));
    }
    expect(totalJudgingCost(task.attempts[0] ?? { verdict: null })).toBe(0.25 * (MAX_REVERIFICATIONS + 1));
    expect(() => requestReverification(task, 'r', 'ann', FIXED_NOW)).toThrow('decide about it');
  });
});
