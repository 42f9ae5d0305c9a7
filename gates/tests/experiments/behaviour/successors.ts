import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import type { Bodies } from './bodies.ts';
import type { ExecutedDifference } from './executed.ts';
import { asksItself, valuesKept } from './rows.ts';

/** From what share of its values on a new test asks what the old one did. */
const SAME = 0.5;

/**
 * The new tests that may ask what a test of the base did which is gone by its name: the one that took its place and has its values,
 * or else, where it became rows or one of several, all new ones of its file that do not ask with values of their own for something else.
 */
export function successorsOf(
  test: TestResult,
  { instead, added }: ExecutedDifference,
  bodies: Bodies,
): readonly TestResult[] {
  const before = bodies.before(test);
  const asksTheSame = (now: TestResult): boolean => {
    const after = bodies.after(now);
    return before === null || after === null || valuesKept(before, after) >= SAME;
  };
  const other = instead.get(computeTestId(test));
  if (other && asksTheSame(other)) return [other];
  const file = test.file === null ? null : bodies.movedTo(test.file);
  return added.filter((now) => {
    const after = bodies.after(now);
    return now.file === file && (asksTheSame(now) || (after !== null && !asksItself(after)));
  });
}
