import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import type { TestInventoryDiff } from './test-inventory-diff.ts';
import type { TestSourceIndex } from './test-source-index.ts';
import { hasOwnValues, shareOfValuesKept } from './test-values.ts';

/** From what share of its values on a new test asks what the old one did. */
const MIN_SHARED_VALUES = 0.5;

/**
 * The new tests that may ask what a test of the base did which is gone by its name: the one that took its place and has its values,
 * or else, where it became rows or one of several, all new ones of its file that do not ask with values of their own for something else.
 */
export function replacementTestsOf(
  test: TestResult,
  { replacements, added }: TestInventoryDiff,
  bodies: TestSourceIndex,
): readonly TestResult[] {
  const before = bodies.inBase(test);
  const asksTheSame = (now: TestResult): boolean => {
    const after = bodies.inPatch(now);
    return before === null || after === null || shareOfValuesKept(before, after) >= MIN_SHARED_VALUES;
  };
  const other = replacements.get(computeTestId(test));
  if (other && asksTheSame(other)) return [other];
  const file = test.file === null ? null : bodies.movedPath(test.file);
  return added.filter((now) => {
    const after = bodies.inPatch(now);
    return now.file === file && (asksTheSame(now) || (after !== null && !hasOwnValues(after)));
  });
}
