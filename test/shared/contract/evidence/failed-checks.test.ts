import { expect, test } from 'vitest';
import { listFailedChecks } from '../../../../shared/contract/evidence/failed-checks.ts';
import { normaliseFailureText } from '../../../../shared/control/failures/failure-classification.ts';

const failed = (detail: string) =>
  listFailedChecks({
    gates: [],
    signals: [
      {
        type: 'test_passes',
        signal: { type: 'test_passes', command: 'go test ./...', timeout_s: 60 },
        kind: 'executed',
        outcome: 'failed',
        detail,
        duration_ms: 1,
      },
    ],
  })[0]?.message ?? '';

const printed = (seconds: string): string =>
  [
    `${'ok a package of ours that has nothing to do with it\n'.repeat(9)}--- FAIL: TestRounds (0.00s)`,
    '    round_test.go:14: got 3, want 4, which is what rounding to even gives for three and a half',
    '--- FAIL: TestSum (0.00s)',
    `FAIL example.org/sums ${seconds}`,
    'FAIL',
  ].join('\n');

test('of what a command printed last, whole lines are named: the same failure is the same however long it took', () => {
  const what = failed(printed('0.1s'));
  expect(what).toMatch(/^(ok|--- FAIL)/);
  expect(what.length).toBeLessThanOrEqual(240);
  for (const seconds of ['0.12s', '10.123s', '1234.123456s'])
    expect(normaliseFailureText(failed(printed(seconds)))).toBe(normaliseFailureText(what));
});

test('of one long line whole words are named, and of one long word its end', () => {
  expect(failed(`${'abc '.repeat(100)}end`)).toMatch(/^abc (abc )+end$/);
  expect(failed('x'.repeat(300))).toBe('x'.repeat(240));
});
