import { describe, expect, test } from 'vitest';
import { FAILURE_CODES, type FailureCode } from '../../../../shared/contract/failure/failure-class.ts';
import { remedyForCode } from '../../../../shared/contract/failure/failure-classes.ts';
import { retryNotBefore } from '../../../../shared/control/failures/retry-backoff.ts';
import { addSeconds, attempt, FIXED_NOW, meteredUsage, report } from '../../../support/builders.ts';

const AT = FIXED_NOW.toISOString();
const failed = (number: number, failure_class: FailureCode, retry_after_s: number | null = null) =>
  attempt({
    number,
    outcome: 'infra_failed',
    report: report({ status: 'failed', failure_code: failure_class, retry_after_s, at: AT }),
    decision: { action: 'retry', reason: failure_class, next_model: 'm', next_tier: null, at: AT },
  });
const seconds = (attempts: ReturnType<typeof attempt>[]): number | null => {
  const until = retryNotBefore({ attempts });
  return until && (until.getTime() - FIXED_NOW.getTime()) / 1_000;
};

test('what passes if one waits is what a provider of models cannot do just now', () => {
  expect(FAILURE_CODES.filter((each) => remedyForCode(each) === 'later')).toEqual([
    'rate_limited',
    'provider_overloaded',
    'provider_transient',
  ]);
});

describe('the next attempt waits', () => {
  test('as long as the provider asked for', () => {
    expect(seconds([failed(1, 'rate_limited', 600)])).toBe(600);
  });

  test('as long as the gateway has seen it ask for, whatever the agent says of it', () => {
    const seen = (retry_at: string | null, said: number | null = 600) =>
      seconds([
        attempt({
          ...failed(1, 'agent_failed', said),
          metered_usage: meteredUsage({ code: 'rate_limited', status: 429, calls: 3, retry_at }),
        }),
      ]);
    expect(seen(addSeconds(90).toISOString())).toBe(90);
    expect(seen(null)).toBe(600);
    expect(seen(null, null)).toBe(5);
    // A second each time would use up all retries within some.
    expect(seen(addSeconds(1).toISOString())).toBe(5);
  });

  test('longer with each time in a row, up to five minutes, where it named no time', () => {
    const all = Array.from({ length: 9 }, (_, index) => failed(index + 1, 'provider_overloaded'));
    expect(all.map((_, index) => seconds(all.slice(0, index + 1)))).toEqual([
      5, 10, 20, 40, 80, 160, 300, 300, 300,
    ]);
    expect(seconds([failed(1, 'rate_limited'), failed(2, 'container_lost'), failed(3, 'rate_limited')])).toBe(
      5,
    );
  });

  test.each(FAILURE_CODES)('or does not, after %s', (failureClass) => {
    expect(seconds([failed(1, failureClass)])).toBe(remedyForCode(failureClass) === 'later' ? 5 : null);
  });

  test('not when another model tries, and not at the first', () => {
    const { decision, ...last } = failed(1, 'rate_limited');
    expect(decision && seconds([{ ...last, decision: { ...decision, action: 'escalate' } }])).toBeNull();
    expect(seconds([])).toBeNull();
    expect(seconds([attempt({ report: null, decision: null })])).toBeNull();
  });
});
