import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_OUTCOMES } from '../../../../shared/contract/check-outcome.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { computeQualityScore } from '../../../../shared/control/verdict/quality-score.ts';

type Gate = NonNullable<Attempt['verification']>['gates'][number];
const gate = (name: string, outcome: Gate['outcome'], more: Partial<Gate> = {}): Gate => ({
  name,
  kind: 'executed',
  outcome,
  required: true,
  blocked: outcome === 'failed',
  cached: false,
  duration_ms: 1,
  detail: '',
  finding_count: 0,
  facts: {},
  ...more,
});
const score = (...gates: Gate[]) =>
  computeQualityScore({ verification: { gates } as unknown as Attempt['verification'] });

describe('the quality score', () => {
  it.each([
    ['all passed', [gate('lint', 'passed'), gate('tests', 'passed')], 100, 'A'],
    ['tests weigh more than lint', [gate('lint', 'passed'), gate('tests', 'failed')], 38, 'F'],
    ['lint weighs less than tests', [gate('lint', 'failed'), gate('tests', 'passed')], 63, 'D'],
    ['what is not required is half', [gate('dead_code', 'failed', { blocked: false })], 50, 'F'],
    ['what is left out on purpose is nothing', [gate('lint', 'passed'), gate('tests', 'bypassed')], 38, 'F'],
    ['what did not apply does not count', [gate('lint', 'passed'), gate('tests', 'skipped')], 100, 'A'],
    [
      'an opinion does not count',
      [gate('lint', 'passed'), gate('cross_model', 'failed', { kind: 'judged' })],
      100,
      'A',
    ],
  ] as const)('%s', (_, gates, total, grade) => {
    expect(score(...gates)).toMatchObject({ total, grade, formula: expect.stringContaining('Σ weight') });
  });

  it('names what could not run, and is none where nothing ran', () => {
    expect(score(gate('lint', 'passed'), gate('tests', 'could_not_run'))).toMatchObject({
      total: 100,
      unknown: ['tests'],
    });
    expect(score(gate('tests', 'timed_out'))).toBeNull();
    expect(computeQualityScore({ verification: null })).toBeNull();
  });

  it('never gets better by leaving a gate out or failing it, whatever the others are', () => {
    const some = fc.array(
      fc.record({
        name: fc.constantFrom('lint', 'tests', 'pii_scan', 'other'),
        outcome: fc.constantFrom(...CHECK_OUTCOMES),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(some, (all) => {
        const [first, ...rest] = all.map(({ name, outcome }) => gate(name, outcome));
        if (!first) return;
        const with_ = (outcome: Gate['outcome']) => score(gate(first.name, outcome), ...rest)?.total ?? 0;
        expect(with_('bypassed')).toBeLessThanOrEqual(with_('passed'));
        expect(with_('failed')).toBeLessThanOrEqual(with_('passed'));
        expect(with_('bypassed')).toBeLessThanOrEqual(with_('failed'));
      }),
    );
  });
});
