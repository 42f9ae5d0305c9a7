import { expect, test } from 'vitest';
import type { BusyDayResult } from '../../../lab/scale/busy-day.ts';
import { findFirstQuotaHit, renderBusyDayReport } from '../../../lab/scale/busy-day-report.ts';

const DAY: BusyDayResult = {
  perDay: 1_000_000,
  vcpus: 40_000,
  window: 60,
  tasks: 2_083,
  done: 2_080,
  failed: 1,
  taskSeconds: { p50: 700, p99: 900, work: 600 },
  quotaHits: [
    { name: 'httpApi', most: 900, limit: 10_000, key: '', refused: 0, firstAt: null, next: [] },
    { name: 'runTask', most: 60, limit: 20, key: '', refused: 40, firstAt: 12, next: [] },
    {
      name: 'itemWrites',
      most: 1_200,
      limit: 1_000,
      key: 'by_status open',
      refused: 2,
      firstAt: 3,
      next: [],
    },
  ],
  lambdas: { most: 300, refused: 0 },
  conductorWaits: 9,
  deadLetters: 0,
  broken: [],
};

test('the limit that is met first is the first, not the fullest', () => {
  expect(findFirstQuotaHit(DAY)?.name).toBe('itemWrites');
  expect(renderBusyDayReport(DAY)).toContain(
    'First limit: **write units of a partition**, 3 s after the first task',
  );
});

test('what waited, and what was not at its end, is said', () => {
  const text = renderBusyDayReport(DAY);
  expect(text).toContain('half waited for 100 s at most');
  expect(text).toContain('2 were not at their end');
  expect(text.indexOf('| RunTask |')).toBeLessThan(text.indexOf('| requests of HTTP APIs |'));
});

test('where nothing was refused, that is said', () => {
  expect(findFirstQuotaHit({ ...DAY, quotaHits: DAY.quotaHits.slice(0, 1) })).toBeNull();
});
