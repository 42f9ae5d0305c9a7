import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  add,
  type Dead,
  due,
  finish,
  lease,
  NO_LANE,
  nextAt,
  say,
} from '../../../../shared/control/dead-letters/lane.ts';
import type { Lane } from '../../../../shared/control/dead-letters/schema.ts';
import {
  afterEvent,
  LETTER_STATUSES,
  LETTER_TRANSITIONS,
} from '../../../../shared/control/dead-letters/status.ts';
import { later, NOW } from '../../../support/builders.ts';

const dead = (what: string, message = `m-${what}`, fields: Partial<Dead> = {}): Dead => ({
  id: `T1.${what}`,
  operation: 'launch:agent',
  args: '{}',
  error: 'given up',
  category: 'transient',
  message,
  ...fields,
});
const laneOf = (...all: Dead[]): Lane =>
  all.reduce((lane, each) => add(lane, each, NOW, NOW) ?? lane, NO_LANE);
const statuses = ({ letters }: Lane) => letters.map(({ status }) => status);
const leased = (lane: Lane, at = later(60)) => {
  const taken = lease(lane, at);
  if (!taken?.letter) throw new Error('nothing is due');
  return { lane: taken.lane, letter: taken.letter };
};

describe('a lane of dead letters', () => {
  it('takes an operation once, however often its message comes', () => {
    expect(add(laneOf(dead('a')), dead('a'), NOW, later(5))).toBeNull();
  });

  it('tries the first open one only, so that the order stays', () => {
    const lane = laneOf(dead('a'), dead('b'));
    expect(due(lane, later(59))).toBeNull();
    const one = leased(lane);
    expect(one.letter).toMatchObject({ id: 'T1.a', attempts: 2 });
    expect(lease(one.lane, later(61))).toBeNull();
    const done = finish(one.lane, one.letter, { outcome: 'done', reason: 'sent again' }, later(62)) as Lane;
    expect(leased(done, later(63)).letter.id).toBe('T1.b');
  });

  it('waits longer with each failure and ends as abandoned; what is behind it goes on', () => {
    const one = leased(laneOf(dead('a'), dead('b')));
    const back = finish(one.lane, one.letter, { outcome: 'failed', reason: 'no queue' }, later(61)) as Lane;
    expect(back.letters[0]).toMatchObject({ status: 'pending', error: 'no queue' });
    expect(nextAt(back)).toBe(later(61 + 300).toISOString());
    const two = leased(back, later(400));
    const over = finish(two.lane, two.letter, { outcome: 'failed', reason: 'no queue' }, later(401)) as Lane;
    expect(statuses(over)).toEqual(['abandoned', 'pending']);
    expect(leased(over, later(401)).letter.id).toBe('T1.b');
  });

  it('abandons at once what there is nothing left to do for', () => {
    const one = leased(laneOf(dead('a')));
    const gone = finish(
      one.lane,
      one.letter,
      { outcome: 'gone', reason: 'there is no task T1 any more' },
      later(61),
    );
    expect(gone?.letters[0]).toMatchObject({ status: 'abandoned', lease_until: null });
    expect(gone?.letters[0]?.history.at(-1)).toMatchObject({ event: 'give_up', by: 'assay' });
  });

  it('opens one again that was resolved and dies again', () => {
    const one = leased(laneOf(dead('a')));
    const done = finish(one.lane, one.letter, { outcome: 'done', reason: 'sent again' }, later(61)) as Lane;
    const again = add(done, dead('a', 'another'), later(600), later(601)) as Lane;
    expect(again.letters).toHaveLength(1);
    expect(again.letters[0]).toMatchObject({ status: 'pending', attempts: 2, auto_retry: true });
  });

  it('never tries by itself what a person must look at', () => {
    const lane = laneOf(dead('r', 'm', { operation: 'stream:record', category: 'permanent' }));
    expect(nextAt(lane)).toBeNull();
    expect(lease(lane, later(1e6))).toBeNull();
    expect(() => say(lane, 'T1.r', 'requeue', { by: 'ann', reason: 'x', now: NOW })).toThrow(
      'nothing that can be sent again',
    );
    expect(
      say(lane, 'T1.r', 'resolve', { by: 'ann', reason: 'rows are there', now: NOW }).letters[0],
    ).toMatchObject({
      status: 'resolved',
      history: [{ event: 'resolve', by: 'ann', reason: 'rows are there' }],
    });
  });

  it('leaves what is being tried to who tries it, and gives it back when that one is gone', () => {
    const one = leased(laneOf(dead('a')));
    for (const event of ['requeue', 'resolve', 'abandon'] as const)
      expect(() => say(one.lane, 'T1.a', event, { by: 'ann', reason: 'x', now: NOW })).toThrow(
        'retrying until',
      );
    const two = leased(one.lane, later(60 + 120));
    expect(two.letter.attempts).toBe(3);
    // The first one comes back to life: its word does not count any more.
    expect(finish(two.lane, one.letter, { outcome: 'failed', reason: 'late' }, later(190))).toBeNull();
    expect(() => say(NO_LANE, 'T1.a', 'abandon', { by: 'ann', reason: 'x', now: NOW })).toThrow(
      'there is no dead letter',
    );
  });
});

test('one that is open again stands behind the one that is being tried, and before those that came after it', () => {
  const word = { by: 'ann', reason: 'x', now: NOW };
  const abandoned = say(laneOf(dead('a'), dead('b'), dead('c')), 'T1.a', 'abandon', word);
  const ids = ({ letters }: Lane): string[] => letters.map(({ id }) => id);
  expect(ids(say(abandoned, 'T1.a', 'requeue', word))).toEqual(['T1.a', 'T1.b', 'T1.c']);
  const { lane } = leased(abandoned);
  expect(ids(say(lane, 'T1.a', 'requeue', word))).toEqual(['T1.b', 'T1.a', 'T1.c']);
  const resolved = leased(say(laneOf(dead('a'), dead('b'), dead('c')), 'T1.a', 'resolve', word)).lane;
  expect(ids(add(resolved, dead('a', 'again'), NOW, NOW) ?? NO_LANE)).toEqual(['T1.b', 'T1.a', 'T1.c']);
});

test('a letter only ever moves as the table says', async () => {
  const known = new Set(
    LETTER_STATUSES.flatMap((status) =>
      Object.keys(LETTER_TRANSITIONS).map(
        (event) => `${status} ${afterEvent(status, event as keyof typeof LETTER_TRANSITIONS)}`,
      ),
    ),
  );
  const step = fc.constantFrom('add', 'lease', 'done', 'failed', 'gone', 'requeue', 'resolve', 'abandon');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(2), fc.nat(400)), { maxLength: 30 }), async (steps) => {
      let lane = NO_LANE;
      let now = 0;
      let held: Lane['letters'][number] | null = null;
      let message = 0;
      for (const [kind, which, seconds] of steps) {
        now += seconds;
        const before = new Map(lane.letters.map(({ id, status }) => [id, status]));
        try {
          if (kind === 'add')
            lane = add(lane, dead(`x${which}`, `m${message++}`), later(now), later(now)) ?? lane;
          else if (kind === 'lease') {
            const taken = lease(lane, later(now));
            held = taken?.letter ?? held;
            lane = taken?.lane ?? lane;
          } else if (kind === 'done' || kind === 'failed' || kind === 'gone')
            lane = (held && finish(lane, held, { outcome: kind, reason: kind }, later(now))) ?? lane;
          else
            lane = say(lane, `T1.x${which}`, kind as 'resolve', { by: 'ann', reason: 'x', now: later(now) });
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
