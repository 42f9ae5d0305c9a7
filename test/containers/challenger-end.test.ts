import { expect, it } from 'vitest';
import { describeChallengerEnd } from '../../gates/tests/exam/challenger-end.ts';

const exited = (exitCode: number) => ({ end: 'exited', exitCode, startError: null }) as const;
const failed = (code: 'refused' | 'provider_spend_limit') => ({
  hasEnded: true,
  isFinished: true,
  failure: { class: code, reason: 'test("hidden input")' },
});

it('takes the answer of a challenger that ended by itself', () => {
  expect(describeChallengerEnd(exited(0), null)).toMatchObject({ outcome: null });
  expect(describeChallengerEnd(exited(0), { hasEnded: true, isFinished: true, failure: null })).toMatchObject(
    {
      outcome: null,
    },
  );
});

it.each([
  ['exits with another code', exited(3), null, 'the challenger exited with code 3'],
  ['reports a failure and exits with 0', exited(0), failed('refused'), 'the challenger failed (refused)'],
  [
    'exits with 0 before its last event',
    exited(0),
    { hasEnded: false, isFinished: false, failure: null },
    'the challenger ended before its last event',
  ],
] as const)('takes no pass from a challenger that %s', (_, result, runState, why) => {
  expect(describeChallengerEnd(result, runState)).toEqual({ outcome: 'no_answer', why, isContained: true });
});

const stopped = { end: 'aborted', exitCode: null, startError: null } as const;

it('takes the answer of a challenger that printed its final event and did not exit', () => {
  expect(describeChallengerEnd(stopped, { hasEnded: true, isFinished: true, failure: null })).toEqual({
    outcome: null,
    why: '',
    isContained: true,
  });
});

it('takes no answer from a challenger that was stopped before its final event', () => {
  const runState = { hasEnded: false, isFinished: false, failure: null };
  expect(describeChallengerEnd(stopped, runState)).toMatchObject({ outcome: 'no_answer' });
});

it('knows a spent budget and a time limit', () => {
  expect(describeChallengerEnd(exited(0), failed('provider_spend_limit')).outcome).toBe('budget_spent');
  const late = { end: 'timed_out', exitCode: null, startError: null } as const;
  expect(describeChallengerEnd(late, failed('provider_spend_limit')).outcome).toBe('timed_out');
});
