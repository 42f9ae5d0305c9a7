import { expect, test } from 'vitest';
import { benchScan } from '../../../lab/bench/content-scan.ts';

test('the measurement of the scans finds every secret that it has planted, and nothing else', async () => {
  const figures = await benchScan(2_000_000, 10_000);
  expect(figures).toMatchObject({ planted_found: 1, planted_false: 0 });
  expect(figures.planted).toBeGreaterThan(5);
  expect(figures.bytes).toBeGreaterThanOrEqual(2_000_000);
  expect(figures.hostile.rules).toBeGreaterThan(80);
  expect(Math.min(figures.pii_mb_per_s, figures.dlp_mb_per_s)).toBeGreaterThan(figures.both_mb_per_s);
});
