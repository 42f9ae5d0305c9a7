import { expect, test, vi } from 'vitest';
import { Budget } from '../../../../../gates/tests/experiments/mutants/budget.ts';

const ran = (cpuMs: number | null, durationMs: number) => ({ processResult: { cpuMs, durationMs } });

test('what runs cost is CPU time, however long a busy machine takes for it', () => {
  const budget = new Budget(1);
  budget.spend(ran(900, 60_000));
  expect(budget.isSpent).toBe(false);
  budget.spend(ran(200, 10));
  expect(budget.isSpent).toBe(true);
});

test('where the system does not say how much CPU time that was, the clock counts', () => {
  const budget = new Budget(1);
  budget.spend(ran(null, 1_500));
  expect(budget.isSpent).toBe(true);
});

test('what only sleeps ends with the clock', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const budget = new Budget(1);
    vi.advanceTimersByTime(3_900);
    expect(budget.isSpent).toBe(false);
    vi.advanceTimersByTime(200);
    expect(budget.isSpent).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
