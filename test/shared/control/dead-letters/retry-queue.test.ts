import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { RetryQueue } from '../../../../shared/control/dead-letters/dead-letter.ts';
import { LETTER_LIFECYCLE, LETTER_STATUSES } from '../../../../shared/control/dead-letters/letter-status.ts';
import {
  addFailedOperation,
  applyOperatorEventToDeadLetter,
  EMPTY_RETRY_QUEUE,
  findDueLetter,
  findNextDeadLetterRetryAt,
  leaseDueLetter,
  type PermanentlyFailedOperation,
  recordRetryResult,
} from '../../../../shared/control/dead-letters/retry-queue.ts';
import { addSeconds, FIXED_NOW } from '../../../support/builders.ts';

const dead = (
  what: string,
  message = `m-${what}`,
  fields: Partial<PermanentlyFailedOperation> = {},
): PermanentlyFailedOperation => ({
  id: `T1.${what}`,
  operation: 'launch:agent',
  args: '{}',
  error: 'given up',
  category: 'transient',
  message,
  ...fields,
});
const laneOf = (...all: PermanentlyFailedOperation[]): RetryQueue =>
  all.reduce((lane, each) => addFailedOperation(lane, each, FIXED_NOW, FIXED_NOW) ?? lane, EMPTY_RETRY_QUEUE);
const statuses = ({ letters }: RetryQueue) => letters.map(({ status }) => status);
const leased = (lane: RetryQueue, at = addSeconds(60)) => {
  const taken = leaseDueLetter(lane, at);
  if (!taken?.letter) throw new Error('nothing is due');
  return { lane: taken.lane, letter: taken.letter };
};

describe('a lane of dead letters', () => {
  it('takes an operation once, however often its message comes', () => {
    expect(addFailedOperation(laneOf(dead('a')), dead('a'), FIXED_NOW, addSeconds(5))).toBeNull();
  });

  it('tries the first open one only, so that the order stays', () => {
    const lane = laneOf(dead('a'), dead('b'));
    expect(findDueLetter(lane, addSeconds(59))).toBeNull();
    const one = leased(lane);
    expect(one.letter).toMatchObject({ id: 'T1.a', attempts: 2 });
    expect(leaseDueLetter(one.lane, addSeconds(61))).toBeNull();
    const done = recordRetryResult(
      one.lane,
      one.letter,
      { outcome: 'done', reason: 'sent again' },
      addSeconds(62),
    ) as RetryQueue;
    expect(leased(done, addSeconds(63)).letter.id).toBe('T1.b');
  });

  it('waits longer with each failure and ends as abandoned; what is behind it goes on', () => {
    const one = leased(laneOf(dead('a'), dead('b')));
    const back = recordRetryResult(
      one.lane,
      one.letter,
      { outcome: 'failed', reason: 'no queue' },
      addSeconds(61),
    ) as RetryQueue;
    expect(back.letters[0]).toMatchObject({ status: 'pending', error: 'no queue' });
    expect(findNextDeadLetterRetryAt(back)).toBe(addSeconds(61 + 300).toISOString());
    const two = leased(back, addSeconds(400));
    const over = recordRetryResult(
      two.lane,
      two.letter,
      { outcome: 'failed', reason: 'no queue' },
      addSeconds(401),
    ) as RetryQueue;
    expect(statuses(over)).toEqual(['abandoned', 'pending']);
    expect(leased(over, addSeconds(401)).letter.id).toBe('T1.b');
  });

  it('abandons at once what there is nothing left to do for', () => {
    const one = leased(laneOf(dead('a')));
    const gone = recordRetryResult(
      one.lane,
      one.letter,
      { outcome: 'gone', reason: 'there is no task T1 any more' },
      addSeconds(61),
    );
    expect(gone?.letters[0]).toMatchObject({ status: 'abandoned', lease_until: null });
    expect(gone?.letters[0]?.history.at(-1)).toMatchObject({ event: 'give_up', by: 'assay' });
  });

  it('opens one again that was resolved and dies again', () => {
    const one = leased(laneOf(dead('a')));
    const done = recordRetryResult(
      one.lane,
      one.letter,
      { outcome: 'done', reason: 'sent again' },
      addSeconds(61),
    ) as RetryQueue;
    const again = addFailedOperation(
      done,
      dead('a', 'another'),
      addSeconds(600),
      addSeconds(601),
    ) as RetryQueue;
    expect(again.letters).toHaveLength(1);
    expect(again.letters[0]).toMatchObject({ status: 'pending', attempts: 2, auto_retry: true });
  });

  it('never tries by itself what a person must look at', () => {
    const lane = laneOf(dead('r', 'm', { operation: 'stream:record', category: 'permanent' }));
    expect(findNextDeadLetterRetryAt(lane)).toBeNull();
    expect(leaseDueLetter(lane, addSeconds(1e6))).toBeNull();
    expect(() =>
      applyOperatorEventToDeadLetter(lane, 'T1.r', 'requeue', { by: 'ann', reason: 'x', now: FIXED_NOW }),
    ).toThrow('nothing that can be sent again');
    expect(
      applyOperatorEventToDeadLetter(lane, 'T1.r', 'resolve', {
        by: 'ann',
        reason: 'rows are there',
        now: FIXED_NOW,
      }).letters[0],
    ).toMatchObject({
      status: 'resolved',
      history: [{ event: 'resolve', by: 'ann', reason: 'rows are there' }],
    });
  });

  it('leaves what is being tried to who tries it, and gives it back when that one is gone', () => {
    const one = leased(laneOf(dead('a')));
    for (const event of ['requeue', 'resolve', 'abandon'] as const)
      expect(() =>
        applyOperatorEventToDeadLetter(one.lane, 'T1.a', event, { by: 'ann', reason: 'x', now: FIXED_NOW }),
      ).toThrow('retrying until');
    const two = leased(one.lane, addSeconds(60 + 120));
    expect(two.letter.attempts).toBe(3);
    // The first one comes back to life: its word does not count any more.
    expect(
      recordRetryResult(two.lane, one.letter, { outcome: 'failed', reason: 'late' }, addSeconds(190)),
    ).toBeNull();
    expect(() =>
      applyOperatorEventToDeadLetter(EMPTY_RETRY_QUEUE, 'T1.a', 'abandon', {
        by: 'ann',
        reason: 'x',
        now: FIXED_NOW,
      }),
    ).toThrow('there is no dead letter');
  });
});

test('one that is open again stands behind the one that is being tried, and before those that came after it', () => {
  const word = { by: 'ann', reason: 'x', now: FIXED_NOW };
  const abandoned = applyOperatorEventToDeadLetter(
    laneOf(dead('a'), dead('b'), dead('c')),
    'T1.a',
    'abandon',
    word,
  );
  const ids = ({ letters }: RetryQueue): string[] => letters.map(({ id }) => id);
  expect(ids(applyOperatorEventToDeadLetter(abandoned, 'T1.a', 'requeue', word))).toEqual([
    'T1.a',
    'T1.b',
    'T1.c',
  ]);
  const { lane } = leased(abandoned);
  expect(ids(applyOperatorEventToDeadLetter(lane, 'T1.a', 'requeue', word))).toEqual([
    'T1.b',
    'T1.a',
    'T1.c',
  ]);
  const resolved = leased(
    applyOperatorEventToDeadLetter(laneOf(dead('a'), dead('b'), dead('c')), 'T1.a', 'resolve', word),
  ).lane;
  expect(
    ids(addFailedOperation(resolved, dead('a', 'again'), FIXED_NOW, FIXED_NOW) ?? EMPTY_RETRY_QUEUE),
  ).toEqual(['T1.b', 'T1.a', 'T1.c']);
});

test('a letter only ever moves as the table says', async () => {
  const known = new Set(
    LETTER_STATUSES.flatMap((status) =>
      LETTER_LIFECYCLE.events.map((event) => `${status} ${LETTER_LIFECYCLE.next(status, event)}`),
    ),
  );
  const step = fc.constantFrom('add', 'lease', 'done', 'failed', 'gone', 'requeue', 'resolve', 'abandon');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(2), fc.nat(400)), { maxLength: 30 }), async (steps) => {
      let lane = EMPTY_RETRY_QUEUE;
      let now = 0;
      let held: RetryQueue['letters'][number] | null = null;
      let message = 0;
      for (const [kind, which, seconds] of steps) {
        now += seconds;
        const before = new Map(lane.letters.map(({ id, status }) => [id, status]));
        try {
          if (kind === 'add')
            lane =
              addFailedOperation(
                lane,
                dead(`x${which}`, `m${message++}`),
                addSeconds(now),
                addSeconds(now),
              ) ?? lane;
          else if (kind === 'lease') {
            const taken = leaseDueLetter(lane, addSeconds(now));
            held = taken?.letter ?? held;
            lane = taken?.lane ?? lane;
          } else if (kind === 'done' || kind === 'failed' || kind === 'gone')
            lane =
              (held && recordRetryResult(lane, held, { outcome: kind, reason: kind }, addSeconds(now))) ??
              lane;
          else
            lane = applyOperatorEventToDeadLetter(lane, `T1.x${which}`, kind as 'resolve', {
              by: 'ann',
              reason: 'x',
              now: addSeconds(now),
            });
        } catch {}
        for (const { id, status } of lane.letters) {
          const was = before.get(id);
          // A lease that has run out goes back and is taken again in one step.
          if (was !== undefined && was !== status) expect(known).toContain(`${was} ${status}`);
        }
        // At most one is being tried, and nothing open stands before it.
        const open = lane.letters.filter(({ status }) => status === 'pending' || status === 'retrying');
        expect(open.slice(1).every(({ status }) => status === 'pending')).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
