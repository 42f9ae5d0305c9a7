import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../cli/command-modules.ts');

interface Sizes {
  /** Bytes of the young generation of a program that keeps much of what it makes. */
  readonly young: number;
  /** Most bytes that the whole heap had while the program let go of most of what it made. */
  readonly peak: number;
}

const sizesOf = (first: string): Sizes =>
  JSON.parse(
    execFileSync(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
      ${first}
      const kept = [];
      for (let i = 0; i < 300_000; i++) kept.push({ i, text: [String(i)] });
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
      let peak = 0;
      // Each is old before it is let go of.
      for (let i = 0; i < 3_000_000; i++) {
        kept[i % 100_000] = { i, text: [String(i)] };
        if (i % 10_000 === 0) peak = Math.max(peak, getHeapStatistics().total_heap_size);
      }
      console.log(JSON.stringify({ young, peak }));`,
    ]).toString(),
  ) as Sizes;

describe('the heap of a check', () => {
  let usual: Sizes;
  let small: Sizes;
  beforeAll(() => {
    usual = sizesOf('');
    small = sizesOf(`(await import(${JSON.stringify(MODULE)})).limitHeapGrowth();`);
  });

  test('does not let its young generation grow', () => {
    expect(small.young).toBeGreaterThan(0);
    expect(small.young).toBeLessThan(usual.young / 3);
  });

  test('is looked through before what nobody needs is half of it', () => {
    expect(small.peak).toBeGreaterThan(0);
    expect(small.peak).toBeLessThan(usual.peak * 0.8);
  });
});
