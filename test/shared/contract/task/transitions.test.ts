import { describe, expect, it } from 'vitest';
import { TASK_LIFECYCLE, TASK_STATUSES } from '../../../../shared/contract/task/status.ts';

const { events, next } = TASK_LIFECYCLE;

describe('the transition table', () => {
  it('lets nothing out of done and cancelled, and only a retry out of failed; of done work it is written down what became of it', () => {
    for (const event of events) {
      expect(next('done', event)).toBe(event === 'outcome' ? 'done' : null);
      expect(next('cancelled', event)).toBeNull();
      expect(next('failed', event)).toBe(event === 'retry' ? 'open' : null);
    }
  });

  it('reaches done only from in_review, by accept', () => {
    const ways = events.flatMap((event) =>
      TASK_STATUSES.filter((from) => from !== 'done' && next(from, event) === 'done').map(
        (from) => `${from} ${event}`,
      ),
    );
    expect(ways).toEqual(['in_review accept']);
  });
});
