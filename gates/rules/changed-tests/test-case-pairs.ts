import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import type { TestCase } from '../../code/cases/test-case.ts';
import type { PatchView, RuleFinding } from '../framework/rule.ts';

/** A test case with the file that it stands in. */
export interface LocatedTestCase extends TestCase {
  readonly path: string;
}

export interface TestCasePairs {
  /** Cases of one name, in the same file or moved to another. */
  readonly matched: readonly (readonly [LocatedTestCase, LocatedTestCase])[];
  /** Cases of the patch that the base has not. */
  readonly added: readonly LocatedTestCase[];
  /** Cases of the base that the patch has not. */
  readonly removed: readonly LocatedTestCase[];
}

/** The test cases of the changed files, those of both sides that belong together. Read once for all rules. */
export const readTestCasePairs = (patch: PatchView): Promise<TestCasePairs> => patch.readOnce(pairTestCases);

/** Lists tests of which the rule has something to say; `describe` returns what follows the name of the test, or null. */
export const findInTestPairs = async (
  patch: PatchView,
  describe: (then: LocatedTestCase, now: LocatedTestCase) => string | null,
): Promise<RuleFinding[]> =>
  (await readTestCasePairs(patch)).matched.flatMap(([then, now]) => {
    const description = describe(then, now);
    const { path: file, line, name: test } = now;
    return description === null ? [] : [{ file, line, test, message: `the test "${test}" ${description}` }];
  });

async function pairTestCases(patch: PatchView): Promise<TestCasePairs> {
  const before: LocatedTestCase[] = [];
  const after: LocatedTestCase[] = [];
  for (const text of patch.changedTexts) {
    const moved = text.basePath ?? text.path;
    if (!isTestPath(text.path) && !isTestPath(moved) && !text.path.endsWith('.rs')) continue;
    // Under the name that the file has now, so that a moved one is the same.
    for (const each of await patch.readTestCases(text, 'before')) before.push({ ...each, path: text.path });
    for (const each of await patch.readTestCases(text, 'after')) after.push({ ...each, path: text.path });
  }
  const left = new Set(after);
  const kept: (readonly [LocatedTestCase, LocatedTestCase])[] = [];
  let open = before;
  for (const same of [
    (a: LocatedTestCase, b: LocatedTestCase) => a.path === b.path && a.name === b.name,
    (a: LocatedTestCase, b: LocatedTestCase) => a.name === b.name,
  ])
    open = open.filter((old) => {
      const now = [...left].find((each) => same(old, each));
      if (!now) return true;
      left.delete(now);
      kept.push([old, now]);
      return false;
    });
  return { matched: kept, added: [...left], removed: open };
}
