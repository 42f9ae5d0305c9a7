import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decideMutantThresholdEarly,
  hasTooManySurvivingMutants,
} from '../../../../../gates/tests/experiments/definitions/mutation-threshold.ts';

test.each([
  [0, 0, false],
  [1, 1, false],
  [2, 2, true],
  [3, 2, false],
  [3, 3, true],
  [5, 4, false],
  [6, 2, false],
  [6, 3, true],
  [12, 5, false],
  [12, 6, true],
])('of %i mutants %i survive: held is %s', (tried, survived, held) => {
  expect(hasTooManySurvivingMutants(tried, survived, 0.45)).toBe(held);
});

const Run = fc.record({
  survives: fc.array(fc.boolean(), { maxLength: 14 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  at: fc.nat(14),
});

test('what is settled comes out as it would if all the others were tried, and when none is left it is settled', () => {
  fc.assert(
    fc.property(Run, ({ survives, share, at }) => {
      const upTo = (n: number): [number, number] => [
        Math.min(n, survives.length),
        survives.slice(0, n).filter(Boolean).length,
      ];
      const [tried, survived] = upTo(at);
      const [all, inAll] = upTo(survives.length);
      const held = hasTooManySurvivingMutants(all, inAll, share);
      expect([held, null]).toContain(decideMutantThresholdEarly(tried, survived, all - tried, share));
      expect(decideMutantThresholdEarly(all, inAll, 0, share)).toBe(held);
    }),
    { numRuns: 2_000 },
  );
});
