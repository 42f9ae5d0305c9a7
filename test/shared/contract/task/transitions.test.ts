import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTerminalStatus,
  nextStatus,
  statusesAllowingEvent,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  type TaskEvent,
  type TaskStatus,
} from '../../../../shared/contract/task/status.ts';

const events = Object.keys(TASK_TRANSITIONS) as TaskEvent[];
const anyEvent = fc.constantFrom(...events);

describe('the transition table', () => {
  it('lets nothing out of done and cancelled, and only a retry out of failed; of done work it is written down what became of it', () => {
    for (const event of events) {
      expect(nextStatus('done', event)).toBe(event === 'outcome' ? 'done' : null);
      expect(nextStatus('cancelled', event)).toBeNull();
      expect(nextStatus('failed', event)).toBe(event === 'retry' ? 'open' : null);
    }
  });

  it('reaches done only from in_review, by accept', () => {
    const ways = events.flatMap((event) =>
      TASK_STATUSES.filter((from) => from !== 'done' && nextStatus(from, event) === 'done').map(
        (from) => `${from} ${event}`,
      ),
    );
    expect(ways).toEqual(['in_review accept']);
  });

  it('can bring every status to an end', () => {
    const reaches = (from: TaskStatus, seen: ReadonlySet<TaskStatus> = new Set()): boolean =>
      isTerminalStatus(from) ||
      (!seen.has(from) &&
        events.some((event) => {
          const to = nextStatus(from, event);
          return to !== null && to !== from && reaches(to, new Set([...seen, from]));
        }));
    for (const status of TASK_STATUSES) expect(reaches(status), status).toBe(true);
  });

  it('stays within its statuses on any walk, and never leaves an end but by retry', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (walk) => {
        let status: TaskStatus = 'open';
        for (const event of walk) {
          const to = nextStatus(status, event);
          if (to === null) continue;
          if (isTerminalStatus(status)) expect(event).toBe('retry');
          expect(statusesAllowingEvent(event)).toContain(status);
          status = to;
        }
        expect(TASK_STATUSES).toContain(status);
      }),
    );
  });
});
