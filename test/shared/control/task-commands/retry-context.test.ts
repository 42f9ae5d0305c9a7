import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { buildPromptParts } from '../../../../shared/control/cascade/agent-prompt.ts';
import {
  buildRetryContext,
  MAX_RETRY_CONTEXT_BYTES,
} from '../../../../shared/control/task-commands/retry-context.ts';
import { attempt, report, task, verdict, verification } from '../../../support/builders.ts';

const failed = (what: string, fields: Partial<Attempt> = {}): Attempt =>
  attempt({
    outcome: 'failed',
    report: report({ summary: 'trust me, I ran all tests', output_tail: 'trust me' }),
    verification: { ...verification(), failed_checks: [{ check: 'tests', message: what }] },
    verdict: verdict({
      verdict: 'fail',
      reasons: [{ code: 'gate_failed', subject: 'tests', message: 'gate tests: 1 failed' }],
    }),
    decision: {
      action: 'escalate',
      reason: 'janitor verification failed',
      next_model: null,
      next_tier: null,
      at: '2026-01-01T00:00:00Z',
    },
    ...fields,
  });
const told = (attempts: readonly Attempt[]): string =>
  buildPromptParts(task({ attempts: [...attempts] }), attempts).FEEDBACK ?? '';

/** A scripted agent: it mends what its prompt names, and nothing that it would have to guess. */
const mends = (feedback: string, bugs: readonly string[]): string[] =>
  bugs.filter((bug) => !feedback.includes(bug));

describe('what the next attempt is told', () => {
  test('names what failed and what was tried, in marks, and says nothing that the agent said', () => {
    const text = told([
      failed('test/a.test.ts:4 rounds half up'),
      failed('test/b.test.ts:9 keeps the sign', { number: 2, tier: 'sonnet' }),
    ]);
    expect(text).toContain('test/b.test.ts:9 keeps the sign');
    expect(text).toContain('attempt 1 (haiku, effort low)');
    expect(text).toContain('<<<UNTRUSTED');
    expect(text).not.toContain('trust me');
  });

  test('has the words of a program that failed, and not those of an agent', () => {
    const broke = (end?: { failure_text_source: 'output_tail' }) =>
      attempt({
        outcome: 'failed',
        report: report({
          status: 'failed',
          summary: 'I gave up',
          output_tail: 'panic: no space',
          ...(end && { exit: end }),
        }),
      });
    expect(told([broke({ failure_text_source: 'output_tail' })])).toContain('panic: no space');
    expect(told([broke()])).not.toContain('panic');
    expect(told([broke()])).not.toContain('I gave up');
  });

  test('takes no more bytes than it may, whatever failed, and keeps what was tried', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 20 }), fc.nat(3), (all, times) => {
        const attempts = all.map((what, index) => failed(what.repeat(times + 1), { number: index + 1 }));
        const text = buildRetryContext(attempts);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RETRY_CONTEXT_BYTES);
        expect(text).toContain('what was tried');
      }),
      { numRuns: 60 },
    );
    expect(buildRetryContext([])).toBe('');
  });

  test('lets a scripted agent be done in the attempts that it needs, and without it in none', () => {
    const bugs = ['rounds half up', 'keeps the sign', 'takes no empty list'];
    const attemptsTo = (isTold: boolean): number | null => {
      let left = bugs;
      const attempts: Attempt[] = [];
      for (let number = 1; number <= 5; number++) {
        left = mends(isTold && number > 1 ? told(attempts) : '', left);
        const [first] = left;
        if (first === undefined) return number;
        attempts.push(failed(`test/a.test.ts ${first}`, { number }));
      }
      return null;
    };
    expect(attemptsTo(true)).toBe(4);
    expect(attemptsTo(false)).toBeNull();
  });
});
