import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import {
  buildFailureClassification,
  normaliseFailureText,
} from '../../../../shared/control/failures/failure-classification.ts';
import { attempt, report, verdict, verification } from '../../../support/builders.ts';

const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length - 1}}$`)).map((each) => `7${each}`);
const path = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/), { minLength: 2, maxLength: 5 })
  .map((parts) => parts.join('/'));
const varying = fc.record({
  path,
  line: fc.nat(9_999),
  count: fc.nat(999_999),
  ms: fc.nat(99_999),
  hash: hex(40),
  pointer: hex(12),
  at: fc.date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true }),
});
type Varying = typeof varying extends fc.Arbitrary<infer T> ? T : never;

const printed = (of: Varying, word: string): string =>
  [
    `\u001b[31m${of.at.toISOString()} FAIL\u001b[0m /tmp/${of.path}:${of.line}:3 in ${of.ms} ms`,
    `AssertionError: expected ${word} at 0x${of.pointer}, commit ${of.hash}`,
    `${of.count} of 12 tests`,
  ].join('\n');

describe('what is left of a text', () => {
  test.each([
    ['at /tmp/a1/src/x.ts:10:4', 'at <path>'],
    ['src/x.ts(10,4): error TS2304', '<path>(<n>): error ts2304'],
    ['C:\\work\\a.py:3', '<path>'],
    ['took 1.25 s, at 12:30:01.5', 'took <time>, at <time>'],
    ['2026-11-23T08:52:43.123Z started', '<time> started'],
    ['object at 0x7f3a9c is gone', 'object at <address> is gone'],
    ['id 123e4567-e89b-12d3-a456-426614174000', 'id <address>'],
    ['test_7 failed', 'test_7 failed'],
    ['expected -3.5 to be 12', 'expected <n> to be <n>'],
    ['HTTP 429', 'http <n>'],
    ['a   b\n\tc', 'a b c'],
    ['', ''],
  ])('%j is %j', (text, left) => {
    expect(normaliseFailureText(text)).toBe(left);
  });

  test('is the same whatever paths, numbers, times and addresses were in it', () => {
    fc.assert(
      fc.property(varying, varying, (one, other) => {
        expect(normaliseFailureText(printed(one, 'true'))).toBe(normaliseFailureText(printed(other, 'true')));
        expect(normaliseFailureText(printed(one, 'true'))).not.toBe(
          normaliseFailureText(printed(one, 'false')),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('stays as it is when it is done again, and takes no time for long lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (text) => {
        const once = normaliseFailureText(text);
        expect(normaliseFailureText(once)).toBe(once);
      }),
      { numRuns: 200 },
    );
    for (const part of ['a/', '1', '1.', '0x', 'a-', '::', '1:', '~/', 'f', '\u001b['])
      expect(normaliseFailureText(part.repeat(20_000)).length).toBeLessThanOrEqual(160_000);
  });
});

describe('a fingerprint', () => {
  const judged = (failing: NonNullable<Attempt['verification']>['failed_checks'] = [], fields = {}) =>
    buildFailureClassification(
      attempt({
        report: report(),
        verification: { ...verification(), failed_checks: failing },
        verdict: verdict({ verdict: 'fail' }),
        outcome: 'failed',
        ...fields,
      }),
    );

  test('is of the checks that failed, in any order, each once', () => {
    const a = { check: 'tests', message: 'test/a.test.ts:4 test_failed: rounds: expected 3 to be 4' };
    const b = { check: 'lint', message: 'src/a.ts:9 E501: line too long' };
    expect(judged([a, b]).signature).toBe(judged([b, a, a]).signature);
    expect(judged([a]).signature).not.toBe(judged([a, b]).signature);
    expect(judged([a]).signature).toBe(
      judged([{ ...a, message: 'test/a.test.ts:40 test_failed: rounds: expected 5 to be 6' }]).signature,
    );
    expect(judged([a])).toMatchObject({
      class: null,
      mode: 'quality',
      normalized_message: 'tests: <path> test_failed: rounds: expected <n> to be <n>',
    });
  });

  test('says nothing of what the agent says', () => {
    const said = (summary: string) => judged([], { report: report({ summary, output_tail: summary }) });
    expect(said('all done')).toEqual(said('I could not do it'));
    const gaveUp = (summary: string) =>
      buildFailureClassification(
        attempt({ report: report({ status: 'failed', failure_code: 'agent_failed', summary }) }),
      );
    expect(gaveUp('I am tired')).toEqual(gaveUp('no time'));
  });

  test('tells failures of programs apart by their class and their words', () => {
    const printing = (output_tail: string, failure_class: 'agent_failed' | 'timeout' = 'agent_failed') =>
      buildFailureClassification(
        attempt({
          report: report({
            status: 'failed',
            failure_code: failure_class,
            output_tail,
            exit: { failure_text_source: 'output_tail' },
          }),
        }),
      ).signature;
    expect(printing('panic at src/a.go:3')).toBe(printing('panic at src/b.go:70'));
    expect(printing('panic at src/a.go:3')).not.toBe(printing('no such module x'));
    expect(printing('x')).not.toBe(printing('x', 'timeout'));
    // However long a number is: what is looked at ends with what is said, and begins at the same word.
    const long = (ms: string) => `${'what broke '.repeat(60)}after ${ms} ms`;
    expect(printing(long('7'))).toBe(printing(long('123456')));
  });
});
