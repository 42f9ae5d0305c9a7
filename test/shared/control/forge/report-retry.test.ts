import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  nextReportRetry,
  type ReportRetry,
  retryDelaySeconds,
} from '../../../../shared/control/forge/report-retry.ts';
import { addSeconds } from '../../../support/builders.ts';

const secondsUntil = (retry: ReportRetry | null, from: Date): number =>
  (Date.parse(retry?.due_at ?? '') - from.getTime()) / 1_000;

it('waits a minute at least and twice as long each time, and gives up after six hours', () => {
  const waits: number[] = [];
  let now = addSeconds(0);
  let retry = nextReportRetry('T1', null, null, now);
  while (retry !== null) {
    waits.push(secondsUntil(retry, now));
    now = new Date(retry.due_at);
    retry = nextReportRetry('T1', null, retry, now);
  }
  expect(waits.slice(0, 8)).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(6 * 3_600);
  expect(now.getTime()).toBeGreaterThan(addSeconds(5 * 3_600 - 60).getTime());
});

it('waits as long as the forge says, and a minute where that is less', () => {
  const now = addSeconds(0);
  expect(secondsUntil(nextReportRetry('T1', 2_700, null, now), now)).toBe(2_700);
  expect(secondsUntil(nextReportRetry('T1', 1, null, now), now)).toBe(60);
  expect(nextReportRetry('T1', 7 * 3_600, null, now)).toBeNull();
});

it('is kept back by SQS for 15 minutes at most, until it is due', () => {
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 20_000 }), (seconds) => {
      const retry = nextReportRetry('T1', seconds, null, addSeconds(0)) as ReportRetry;
      let [now, messages] = [addSeconds(0), 0];
      while (Date.parse(retry.due_at) > now.getTime()) {
        const delay = retryDelaySeconds(retry, now);
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(900);
        now = addSeconds(delay, now);
        messages++;
      }
      expect(messages).toBe(Math.ceil(seconds / 900));
      expect(now.getTime() - Date.parse(retry.due_at)).toBeLessThan(1_000);
    }),
  );
});
