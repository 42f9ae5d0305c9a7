import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allowedFrom,
  isTerminal,
  next,
  STATUSES,
  type Status,
  type TaskEvent,
  TRANSITIONS,
} from '../../../../shared/contract/task/status.ts';

const events = Object.keys(TRANSITIONS) as TaskEvent[];
const anyEvent = fc.constantFrom(...events);

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
      STATUSES.filter((from) => from !== 'done' && next(from, event) === 'done').map(
        (from) => `${from} ${event}`,
      ),
    );
    expect(ways).toEqual(['in_review accept']);
  });

  it('can bring every status to an end', () => {
    const reaches = (from: Status, seen: ReadonlySet<Status> = new Set()): boolean =>
      isTerminal(from) ||
      (!seen.has(from) &&
        events.some((event) => {
          const to = next(from, event);
          return to !== null && to !== from && reaches(to, new Set([...seen, from]));
        }));
    for (const status of STATUSES) expect(reaches(status), status).toBe(true);
  });

  it('stays within its statuses on any walk, and never leaves an end but by retry', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (walk) => {
        let status: Status = 'open';
        for (const event of walk) {
          const to = next(status, event);
          if (to === null) continue;
          if (isTerminal(status)) expect(event).toBe('retry');
          expect(allowedFrom(event)).toContain(status);
          status = to;
        }
        expect(STATUSES).toContain(status);
      }),
    );
  });
});
