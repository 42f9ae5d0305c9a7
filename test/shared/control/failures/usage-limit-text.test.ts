import { describe, expect, it } from 'vitest';
import { findUsageLimit } from '../../../../shared/control/failures/usage-limit-text.ts';

const NOW = new Date('2026-11-27T12:00:00.000Z');

describe('usage limits in the words of a CLI', () => {
  it.each([
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 days.", 3 * 86_400],
    ['You have hit your usage limit. Try again in 2 days 3 hours 5 minutes.', 2 * 86_400 + 3 * 3_600 + 300],
    ['rate limit: please try again in 34s', 34],
    ['Claude AI usage limit reached|1795788000', 1_795_788_000 - NOW.getTime() / 1_000],
    ['Weekly limit reached, resets at 2026-11-28T12:00:00Z', 86_400],
    ['Session limit reached', null],
    ['Credit balance is too low', null],
  ])('finds the end of: %s', (text, seconds) => {
    const positive = seconds !== null && seconds <= 0 ? null : seconds;
    expect(findUsageLimit(text, NOW)).toEqual({ retryAfterSeconds: positive });
  });

  it.each(['3 tests failed', 'the limit of the array is 3', 'ENOSPC: no space left'])(
    'finds none in: %s',
    (text) => expect(findUsageLimit(text, NOW)).toBeNull(),
  );

  it('believes no time beyond eight days', () => {
    expect(findUsageLimit('usage limit reached, try again in 400 days', NOW)).toEqual({
      retryAfterSeconds: 8 * 86_400,
    });
  });
});
