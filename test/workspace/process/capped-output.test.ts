import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CappedOutput, truncateToTail } from '../../../workspace/process/capped-output.ts';

const collect = (limit: number, chunks: readonly string[]): CappedOutput => {
  const output = new CappedOutput(limit);
  for (const chunk of chunks) output.add(Buffer.from(chunk, 'latin1'));
  return output;
};
const ascii = fc.stringMatching(/^[a-z\n]{0,40}$/);

test('output within the limit is kept as it is, however it was cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(ascii), (chunks) => {
      const whole = chunks.join('');
      expect(collect(whole.length + 4, chunks).text()).toBe(whole);
    }),
  );
});

test('beyond the limit the beginning and the end are kept, and the rest is counted', () => {
  fc.assert(
    fc.property(fc.array(ascii), fc.integer({ min: 8, max: 60 }), (chunks, limit) => {
      const whole = chunks.join('');
      const output = collect(limit, chunks);
      expect(output.totalBytes).toBe(whole.length);
      expect(output.cutBytes).toBe(Math.max(0, whole.length - limit));
      if (whole.length <= limit) return;
      const head = Math.floor(limit / 4);
      expect(output.text().startsWith(`${whole.slice(0, head)}\n[... `)).toBe(true);
      expect(output.text().endsWith(` bytes of output cut ...]\n${whole.slice(-(limit - head))}`)).toBe(true);
    }),
  );
});

test('a tail is never longer than asked for', () => {
  expect(truncateToTail('  abcdef \n', 4)).toBe('…def');
  expect(truncateToTail(' abc ', 4)).toBe('abc');
});
