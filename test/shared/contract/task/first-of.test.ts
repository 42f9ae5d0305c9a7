import fc from 'fast-check';
import { expect, it } from 'vitest';
import { truncateText } from '../../../../shared/lib/truncate.ts';

it('the first characters of a text never end with half of one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, characters) => {
      const first = truncateText(text, characters);
      expect(first.isWellFormed()).toBe(true);
      expect(text.startsWith(first)).toBe(true);
      expect(first.length).toBeGreaterThanOrEqual(Math.min(text.length, characters) - 1);
    }),
  );
});
