import { describe, expect, it } from 'vitest';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  claimAttemptJudging,
  recordVerdict,
} from '../../../../shared/control/task-commands/record-verification.ts';
import { addSeconds, FIXED_NOW, taskInReview, verdict, verification } from '../../../support/builders.ts';

const waiting = (): Task => taskInReview({ verification: verification() }, { run: 3 });
const first = { execution_id: 'first', is_retry: false };
const claimed = (): Task => claimAttemptJudging(waiting(), 1, 3, first, FIXED_NOW)?.task ?? waiting();

describe('models are asked about an attempt', () => {
  it('by the execution that has written so, and by no other one until it must be gone', () => {
    expect(claimed().attempts[0]?.judging_claim).toEqual({
      run: 3,
      expires_at: addSeconds(300).toISOString(),
      execution_id: 'first',
    });
    const second = { execution_id: 'second', is_retry: false };
    expect(claimAttemptJudging(claimed(), 1, 3, second, addSeconds(299))).toBeNull();
    expect(
      claimAttemptJudging(claimed(), 1, 3, { execution_id: 'second', is_retry: true }, addSeconds(299)),
    ).toBeNull();
    expect(claimAttemptJudging(claimed(), 1, 3, second, addSeconds(300))).not.toBeNull();
  });

  it('by the same one where it has not heard that it had written so, but not where it runs twice', () => {
    expect(
      claimAttemptJudging(claimed(), 1, 3, { execution_id: 'first', is_retry: true }, addSeconds(1)),
    ).not.toBeNull();
    expect(claimAttemptJudging(claimed(), 1, 3, first, addSeconds(1))).toBeNull();
  });

  it('at once for a newer run, and for none that is not the one', () => {
    expect(claimAttemptJudging({ ...claimed(), run: 4 }, 1, 4, first, addSeconds(1))).not.toBeNull();
    expect(claimAttemptJudging({ ...claimed(), run: 4 }, 1, 3, first, addSeconds(400))).toBeNull();
    expect(claimAttemptJudging(waiting(), 2, 3, first, FIXED_NOW)).toBeNull();
  });

  it('and not once there is a verdict, which takes away that they were asked', () => {
    const judged = recordVerdict(claimed(), 1, verdict(), addSeconds(9))?.task ?? claimed();
    expect(judged.attempts[0]).not.toHaveProperty('judging_claim');
    expect(claimAttemptJudging(judged, 1, 3, first, addSeconds(400))).toBeNull();
  });
});
