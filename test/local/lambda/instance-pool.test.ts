import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInstancePool } from '../../../local/lambda/instance-pool.ts';
import type { InvokeResult } from '../../../local/shared-types.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pool whose instances answer when they are told to. */
function pooled() {
  const stopped: number[] = [];
  const answers: (() => void)[] = [];
  let started = 0;
  const pool = createInstancePool({
    maxInstances: 2,
    idleMs: 1_000,
    start: async () => {
      const number = ++started;
      return {
        invoke: () =>
          new Promise<InvokeResult>((resolve) => {
            answers.push(() => resolve({ payload: number }));
          }),
        stop: async () => {
          stopped.push(number);
        },
      };
    },
  });
  const invoke = () => pool.invoke('{}', () => {});
  return { pool, invoke, answers, stopped };
}

test('an instance beside another is ended when it has rested, and the last one stays', async () => {
  const { pool, invoke, answers, stopped } = pooled();
  const both = [invoke(), invoke()];
  await vi.advanceTimersByTimeAsync(250);
  expect(answers).toHaveLength(2);
  for (const answer of answers) answer();
  await Promise.all(both);
  await vi.advanceTimersByTimeAsync(900);
  expect(stopped).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stopped).toEqual([1]);
  await pool.stop();
  expect(stopped).toEqual([1, 2]);
});

test('one that is at work is not ended, however long another has rested', async () => {
  const { pool, invoke, answers, stopped } = pooled();
  const [first, second] = [invoke(), invoke()];
  await vi.advanceTimersByTimeAsync(250);
  answers[0]?.();
  await first;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(stopped).toEqual([1]);
  answers[1]?.();
  expect((await second).payload).toBe(2);
  await pool.stop();
});
