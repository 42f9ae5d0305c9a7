import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BaselineOccurrences } from '../../../../gates/code/parsing/baseline-occurrences.ts';

test('each key is there as often as the base has it, in any order', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c'));
  fc.assert(
    fc.property(keys, keys, (before, after) => {
      const known = new BaselineOccurrences(before);
      const fresh = after.filter((key) => !known.takeOne(key));
      for (const key of ['a', 'b', 'c']) {
        const count = (all: readonly string[]): number => all.filter((each) => each === key).length;
        expect(count(fresh)).toBe(Math.max(0, count(after) - count(before)));
      }
    }),
  );
});
