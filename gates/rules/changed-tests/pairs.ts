import type { TestCase } from '../../code/cases/model.ts';
import { isTestPath } from '../../core/test-paths.ts';
import type { PatchView } from '../framework/rule.ts';

/** A test case with the file that it stands in. */
export interface Placed extends TestCase {
  readonly path: string;
}

export interface TestPairs {
  /** Cases of one name, in the same file or moved to another. */
  readonly kept: readonly (readonly [Placed, Placed])[];
  /** Cases of the patch that the base has not. */
  readonly added: readonly Placed[];
}

/** The test cases of the changed files, those of both sides that belong together. Read once for all rules. */
export const testPairs = (patch: PatchView): Promise<TestPairs> => patch.read(pair);

async function pair(patch: PatchView): Promise<TestPairs> {
  const before: Placed[] = [];
  const after: Placed[] = [];
  for (const text of patch.texts) {
    const moved = text.from ?? text.path;
    if (!isTestPath(text.path) && !isTestPath(moved) && !text.path.endsWith('.rs')) continue;
    // Under the name that the file has now, so that a moved one is the same.
    for (const each of await patch.cases(text, 'before')) before.push({ ...each, path: text.path });
    for (const each of await patch.cases(text, 'after')) after.push({ ...each, path: text.path });
  }
  const left = new Set(after);
  const kept: (readonly [Placed, Placed])[] = [];
  let open = before;
  for (const same of [
    (a: Placed, b: Placed) => a.path === b.path && a.name === b.name,
    (a: Placed, b: Placed) => a.name === b.name,
  ])
    open = open.filter((old) => {
      const now = [...left].find((each) => same(old, each));
      if (!now) return true;
      left.delete(now);
      kept.push([old, now]);
      return false;
    });
  return { kept, added: [...left] };
}
