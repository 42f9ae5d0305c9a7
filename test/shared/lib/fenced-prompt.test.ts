import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fenceUntrustedText } from '../../../shared/lib/fenced-prompt.ts';

const B = '0123456789abcdef01234567';

describe('material for a model', () => {
  it('stands between marks with a boundary that is another each time', () => {
    const piece = { label: 'diff', text: '+ a' };
    expect(fenceUntrustedText([piece], B).text).toBe(`<<<UNTRUSTED ${B} diff\n+ a\nUNTRUSTED ${B}>>>`);
    expect(fenceUntrustedText([piece]).boundary).not.toBe(fenceUntrustedText([piece]).boundary);
  });

  it('holds as many marks as it has pieces, whatever is in them', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom('<<<', '>>>', 'UNTRUSTED', 'untrusted', B, ' ', '\n', 'x', '\u{e0055}', '\u200b'),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ label: hostile, text: hostile }), { maxLength: 4 }), (pieces) => {
        const { text } = fenceUntrustedText(pieces, B);
        expect(text.split(/<<<UNTRUSTED /i).length - 1).toBe(pieces.length);
        expect(text.split(/UNTRUSTED [0-9a-f]{24}>>>/i).length - 1).toBe(pieces.length);
      }),
      { numRuns: 500 },
    );
  });

  it('shows what nobody but a model would read', () => {
    const { text } = fenceUntrustedText([{ label: 'a', text: 'ok\u{e0049}\u{e0067}\u202e\u200b\ufeff' }], B);
    expect(text).toContain(`ok${'\ufffd'.repeat(5)}`);
  });
});
