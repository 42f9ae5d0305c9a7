import { describe, expect, it } from 'vitest';
import { attemptListView } from '../../../../shared/api/task-views.ts';
import type { Judgement } from '../../../../shared/contract/judgement/judgement.ts';
import { summarizeVerification } from '../../../../shared/control/verdict/janitor-result.ts';
import { judgement, taskInReview, verdict, verification } from '../../../support/builders.ts';

const of = (said: 'pass' | 'fail' | 'refer', judgements: Judgement[] = [], more: object = {}) => {
  const task = taskInReview(
    {
      verification: {
        ...verification(),
        signals: [
          {
            type: 'path_exists',
            subject: 'path_exists: a.js',
            outcome: 'passed',
            kind: 'executed',
            detail: 'exists',
          },
          {
            type: 'test_passes',
            subject: 'test_passes: npm test',
            outcome: 'could_not_run',
            kind: 'executed',
            detail: 'no test ran',
          },
        ],
      },
      verdict: verdict({ verdict: said, judgements }),
    },
    more,
  );
  return attemptListView(task).attempts[0]?.janitor_result;
};

describe('the result of a janitor', () => {
  it('has a result for each signal and gate; what could not be checked is no pass', () => {
    expect(of('pass')).toMatchObject({
      passed: true,
      signal_results: [
        { description: 'path_exists: a.js', passed: true, detail: 'exists' },
        { description: 'test_passes: npm test', passed: null, detail: 'no test ran' },
      ],
      guardrail_results: verification().gates.map(({ name }) =>
        expect.objectContaining({ description: name }),
      ),
      judge_verdict: null,
      fix_tasks_created: [],
    });
  });

  it('has the word of the judge, and whether a person is asked because of it', () => {
    const unsure = judgement({
      outcome: 'passed',
      verdict: 'refer',
      confidence: 0.4,
      reasons: ['hard to tell'],
    });
    expect(of('refer', [unsure])).toMatchObject({
      passed: null,
      judge_verdict: {
        verdict: 'accept',
        confidence: 0.4,
        feedback: 'hard to tell',
        flagged_for_review: true,
      },
    });
    expect(of('fail', [judgement()])).toMatchObject({
      passed: false,
      judge_verdict: { verdict: 'retry', flagged_for_review: false },
    });
  });

  it('has no word of a judge that was not asked', () => {
    const unasked = judgement({ outcome: 'skipped', calls: 0, confidence: null, reasons: [] });
    expect(of('fail', [unasked])).toMatchObject({
      judge_verdict: null,
      signal_results: expect.arrayContaining([
        { description: unasked.subject, passed: null, detail: 'asked' },
      ]),
    });
  });

  it('names the fix-up that took the place of the task', () => {
    expect(of('fail', [], { superseded_by: 'fix-1' })?.fix_tasks_created).toEqual(['fix-1']);
  });

  it('is not there before the verdict', () => {
    const task = taskInReview();
    const [attempt] = task.attempts;
    expect(attempt && summarizeVerification(task, attempt)).toBeNull();
  });
});
