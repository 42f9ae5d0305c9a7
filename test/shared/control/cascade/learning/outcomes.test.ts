import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveAttemptOutcomes,
  deriveNewAttemptOutcomes,
  hasAttemptPassed,
  type LearnedAttemptOutcome,
} from '../../../../../shared/control/cascade/learning/attempt-outcomes.ts';
import {
  addToRecentAttemptOutcomes,
  MAX_RECENT_ATTEMPT_OUTCOMES,
  type RecentAttemptOutcomes,
  selectLatestAttemptOutcomes,
} from '../../../../../shared/control/cascade/learning/recent-attempt-outcomes.ts';
import { addSeconds, attempt, FIXED_NOW, report, task, verdict } from '../../../../support/builders.ts';

const at = (second: number): string => addSeconds(second).toISOString();
const outcome = (number: number, fields: Partial<LearnedAttemptOutcome> = {}): LearnedAttemptOutcome => ({
  id: `T${number}#1`,
  model: 'claude-haiku-4-5',
  passed: number % 2 === 0,
  cost_usd: 0.01,
  judging_cost_usd: 0,
  seconds: 10,
  at: at(number),
  ...fields,
});
/** Outcomes of which each has its own number, some at the same second. */
const outcomes = fc
  .uniqueArray(fc.nat({ max: 300 }), { minLength: 1, maxLength: 150, size: 'max' })
  .map((numbers) => numbers.map((number) => outcome(number, { at: at(Math.floor(number / 3)) })));
const all = (window: RecentAttemptOutcomes, each: readonly LearnedAttemptOutcome[]): RecentAttemptOutcomes =>
  each.reduce((present, next) => addToRecentAttemptOutcomes(present, next) ?? present, window);

describe('the window of outcomes', () => {
  it('holds the latest whatever the order of delivery, and however often each comes', () => {
    fc.assert(
      fc.property(
        outcomes.chain((given) =>
          fc.tuple(
            fc.constant(given),
            fc.shuffledSubarray([...given, ...given], { minLength: given.length * 2 }),
          ),
        ),
        ([given, delivered]) => {
          expect(all([], delivered)).toEqual(selectLatestAttemptOutcomes(given));
        },
      ),
    );
  });

  it('is not changed by what it has forgotten', () => {
    fc.assert(
      fc.property(outcomes, (given) => {
        const window = all([], given);
        for (const each of given) expect(addToRecentAttemptOutcomes(window, each)).toBeNull();
        expect(window.length).toBeLessThanOrEqual(MAX_RECENT_ATTEMPT_OUTCOMES);
      }),
    );
  });
});

describe('what is learned of an attempt', () => {
  const ended = {
    ended_at: at(60),
    outcome: 'failed' as const,
    report: report({ at: at(40) }),
    cost_usd: 0.25,
  };
  const one = (fields: Parameters<typeof attempt>[0]) =>
    deriveAttemptOutcomes(task({ attempts: [attempt({ ...ended, ...fields })] }));

  it('has its role, complexity, tier and model, cost and seconds until the report', () => {
    expect(one({ verdict: verdict({ verdict: 'fail' }) })).toEqual([
      {
        role: 'backend',
        complexity: 'medium',
        tier: 'haiku',
        outcome: {
          id: 'T1#1',
          model: 'claude-haiku-4-5',
          passed: false,
          cost_usd: 0.25,
          judging_cost_usd: 0,
          seconds: 40,
          at: at(60),
        },
      },
    ]);
  });

  it.each([
    ['the agent says it failed, and there is no verdict', { report: report({ status: 'failed' }) }],
    ['a person was asked', { verdict: verdict({ verdict: 'refer' }) }],
    ['nothing of ours supports the pass', { verdict: verdict({ verified: false }) }],
    ['it still runs', { verdict: verdict(), ended_at: null }],
    ['its model is no tier', { verdict: verdict(), tier: null }],
    ['nobody knows its model', { verdict: verdict(), model: null }],
  ])('is nothing where %s', (_why, fields) => {
    expect(one(fields)).toEqual([]);
  });

  it('is a pass where evidence of ours says so, whatever the agent says of it', () => {
    const unsure = report({ status: 'failed', summary: 'I could not do it' });
    expect(hasAttemptPassed({ verdict: verdict() })).toBe(true);
    expect(one({ verdict: verdict(), report: unsure })[0]?.outcome.passed).toBe(true);
  });

  it('is nothing of a plan', () => {
    const plan = { max_tasks: 5, proposal: null } as never;
    expect(
      deriveAttemptOutcomes(task({ plan, attempts: [attempt({ ...ended, verdict: verdict() })] })),
    ).toEqual([]);
  });

  it('leaves an unknown cost unknown', () => {
    expect(one({ verdict: verdict(), cost_usd: null })[0]?.outcome.cost_usd).toBeNull();
  });

  it('comes with the write that ends the attempt, and with no other', () => {
    const before = task({ attempts: [attempt({ verdict: verdict() })] });
    const after = task({ attempts: [attempt({ ...ended, verdict: verdict() })] });
    expect(deriveNewAttemptOutcomes(before, after)).toHaveLength(1);
    expect(deriveNewAttemptOutcomes(after, { ...after, version: 9 })).toEqual([]);
    expect(deriveNewAttemptOutcomes(null, after)).toHaveLength(1);
    expect(FIXED_NOW.toISOString() < (deriveNewAttemptOutcomes(null, after)[0]?.outcome.at ?? '')).toBe(true);
  });
});
