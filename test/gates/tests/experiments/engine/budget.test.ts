import { describe, expect, it, vi } from 'vitest';
import { ExperimentCpuBudget } from '../../../../../gates/tests/experiments/engine/test-runners.ts';

const FOREVER = (): number => Number.POSITIVE_INFINITY;
const budget = (suiteMs: number, factor: number, timeLeftMs = FOREVER): ExperimentCpuBudget =>
  new ExperimentCpuBudget({ suiteMs, factor, timeLeftMs });

describe('the budget of experiments', () => {
  it('is a multiple of what the suite takes', () => {
    const spent = budget(60_000, 3);
    spent.charge({ cpuMs: 179_000, durationMs: 1 });
    expect(spent.isSpent).toBe(false);
    spent.charge({ cpuMs: 2_000, durationMs: 1 });
    expect(spent.isSpent).toBe(true);
  });

  it('is 10 s for a small suite', () => {
    const spent = budget(10, 3);
    spent.charge({ cpuMs: 9_000, durationMs: 1 });
    expect(spent.isSpent).toBe(false);
    spent.charge({ cpuMs: 2_000, durationMs: 1 });
    expect(spent.isSpent).toBe(true);
  });

  it('counts CPU time, however long a busy machine takes for it', () => {
    const spent = budget(10, 1);
    spent.charge({ cpuMs: 900, durationMs: 600_000 });
    expect(spent.isSpent).toBe(false);
  });

  it('counts the clock where the system does not tell CPU time', () => {
    const spent = budget(10, 1);
    spent.charge({ cpuMs: null, durationMs: 10_100 });
    expect(spent.isSpent).toBe(true);
  });

  it('ends by the clock for tests that only sleep', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const spent = budget(10, 1);
      vi.advanceTimersByTime(39_000);
      expect(spent.isSpent).toBe(false);
      vi.advanceTimersByTime(2_000);
      expect(spent.isSpent).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends with the time limit of the gate', () => {
    let left = 5_000;
    const spent = budget(60_000, 100, () => left);
    expect(spent.isSpent).toBe(false);
    left = 1;
    expect(spent.isSpent).toBe(true);
  });
});
