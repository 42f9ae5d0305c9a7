import { BaselineOccurrences } from '../../../code/parsing/baseline-occurrences.ts';
import { computeTestId, listTestSourceNames, type TestResult } from '../../../core/test-result.ts';
import {
  computeKeptTestValueShare,
  hasLiteralTestValues,
  isParametrizedTestName,
  isTestMergedIntoOthers,
  type TestCaseSource,
  type TestSourceIndex,
  textSimilarity,
} from './test-source-index.ts';

/** A test that passed on the base and does not run with the patch, nor does another in its stead. */
export interface UnreplacedBaseTest {
  readonly test: TestResult;
  readonly reason: 'missing' | 'skipped';
}

/** From how much two bodies have in common they are taken for the same test under another name. */
const MIN_SIMILARITY = 0.6;

const wasRun = ({ outcome }: TestResult): boolean => outcome !== 'skipped';

/**
 * The function that rows of a table share: `test_sum[1-2]` is a row of `test_sum`, `TestSum/zero` one of `TestSum`, and `adds 1 to 2`
 * one of what is written as `adds %i to %i`.
 */
const tableFunctionOf = ({ name }: TestResult, written: TestCaseSource | null): string =>
  written !== null && isParametrizedTestName(written.name)
    ? written.name
    : name.replace(/^([^[]*)\[.*\]$/s, '$1').replace(/(::|^)(Test\w+)\/.*$/s, '$1$2');

/** What became of the tests that passed on the base and that no test of their name and place takes up. */
export interface TestInventoryDiff {
  readonly lost: readonly UnreplacedBaseTest[];
  /** The test that took the place of one of the base, by the id of that. */
  readonly replacements: ReadonlyMap<string, TestResult>;
  /** Ids of tests that seem to have become rows of a table, or several tests. They are lost all the same where they fail on the new code. */
  readonly merged: ReadonlySet<string>;
  /** Tests that passed on the base and that no test of their name takes up, and those that the base has none of their name for. */
  readonly removed: readonly TestResult[];
  readonly added: readonly TestResult[];
}

/**
 * Compares what ran, one by one and by name: what passed on the base must run with the patch. A name that is gone is matched with a
 * new one: the same in another file, module or suite, another row of the same table, a like body; or its lines stand in another test now, or its values in a table or in several tests.
 */
export function diffTestInventory(
  before: readonly TestResult[],
  now: readonly TestResult[],
  bodies: TestSourceIndex,
): TestInventoryDiff {
  const executed = now.filter(wasRun);
  const there = new BaselineOccurrences(executed.map(computeTestId));
  const skipped = new BaselineOccurrences(now.filter((each) => !wasRun(each)).map(computeTestId));
  // Of two of one name that differ, the failed one is looked for first: then the other is missing.
  const ran = before.filter(wasRun);
  const gone = [...ran.filter(({ outcome }) => outcome === 'failed'), ...ran.filter(isPassed)].filter(
    (test) => !there.takeOne(computeTestId(test)) && isPassed(test),
  );

  const known = new BaselineOccurrences(ran.map(computeTestId));
  const added = executed.filter((test) => !known.takeOne(computeTestId(test)));
  const { left, replacements, merged } = matchReplacements(gone, new Set(added), executed, bodies);
  return {
    removed: gone,
    added,
    lost: left.map((test) => ({
      test,
      reason: skipped.takeOne(computeTestId(test)) ? 'skipped' : 'missing',
    })),
    replacements,
    merged,
  };
}

const isPassed = ({ outcome }: TestResult): boolean => outcome === 'passed';

/** Gives each gone test a new one that takes its place, one for one; what stands in another test as it is needs none. */
function matchReplacements(
  gone: readonly TestResult[],
  added: Set<TestResult>,
  ran: readonly TestResult[],
  bodies: TestSourceIndex,
): { readonly left: readonly TestResult[] } & Pick<TestInventoryDiff, 'replacements' | 'merged'> {
  const instead = new Map<string, TestResult>();
  const rows = new Set<string>();
  const here = (test: TestResult): string | null => (test.file === null ? null : bodies.movedPath(test.file));
  const byName = groupBy(added, ({ name }) => name);
  const byFunction = groupBy(added, (each) => `${each.file}\0${tableFunctionOf(each, bodies.inPatch(each))}`);
  const takes = (test: TestResult, found: TestResult | null | undefined): boolean => {
    if (!found) return false;
    added.delete(found);
    instead.set(computeTestId(test), found);
    return true;
  };
  const free = (group: readonly TestResult[] | undefined) => group?.find((each) => added.has(each));
  const left = gone
    .filter((test) => !takes(test, free(byName.get(test.name)) ?? findSameName(test, added, bodies)))
    .filter(
      (test) =>
        !takes(test, free(byFunction.get(`${here(test)}\0${tableFunctionOf(test, bodies.inBase(test))}`))),
    )
    .filter((test) => {
      const body = bodies.inBase(test);
      if (body === null || isKeptButNotRun(body, ran, bodies)) return true;
      if (
        takes(test, findMostSimilar(body, [...added], here(test), bodies)) ||
        isContainedInOther(body, bodies)
      )
        return false;
      const pieces = [...added].flatMap((each) => bodies.inPatch(each) ?? []);
      if (!isTestMergedIntoOthers(body, bodies, pieces)) return true;
      rows.add(computeTestId(test));
      return false;
    });
  return { left, replacements: instead, merged: rows };
}

/** A new test that is written under the same name, in another module or suite, which runners name with it. */
function findSameName(
  test: TestResult,
  added: ReadonlySet<TestResult>,
  bodies: TestSourceIndex,
): TestResult | null {
  const name = bodies.inBase(test)?.name;
  if (name === undefined || isParametrizedTestName(name)) return null;
  return [...added].find((each) => bodies.inPatch(each)?.name === name) ?? null;
}

/** Whether a test is still written as it was, and nothing that ran is it: then no like one has taken its place. */
function isKeptButNotRun(body: TestCaseSource, ran: readonly TestResult[], bodies: TestSourceIndex): boolean {
  const still = bodies.patchTests.filter(
    (each) => each.name === body.name && textSimilarity(body.text, each.text) >= MIN_SIMILARITY,
  );
  if (still.length === 0) return false;
  return !ran.some(
    (test) =>
      listTestSourceNames(test.name).has(body.name) && still.some((each) => each === bodies.inPatch(test)),
  );
}

function groupBy(
  tests: Iterable<TestResult>,
  keyOf: (test: TestResult) => string,
): Map<string, TestResult[]> {
  const found = new Map<string, TestResult[]>();
  for (const test of tests) found.set(keyOf(test), [...(found.get(keyOf(test)) ?? []), test]);
  return found;
}

/** The new test whose body is most like this one; those of the same file come first. */
function findMostSimilar(
  body: TestCaseSource,
  added: readonly TestResult[],
  file: string | null,
  bodies: TestSourceIndex,
): TestResult | null {
  let best: TestResult | null = null;
  let most = MIN_SIMILARITY;
  for (const test of added) {
    const other = bodies.inPatch(test);
    if (other === null) continue;
    const score = textSimilarity(body.text, other.text) + (test.file === file ? 1 : 0);
    if (score < most || score - (test.file === file ? 1 : 0) < MIN_SIMILARITY) continue;
    most = score;
    best = test;
  }
  return best;
}

/** Whether every line of a test stands in another one now. */
const isContainedInOther = (body: TestCaseSource, { patchTests }: TestSourceIndex): boolean => {
  const lines = distinctiveLines(body);
  return (
    lines.length > 0 &&
    patchTests.some((other) => {
      if (other.name === body.name) return false;
      const there = new Set(distinctiveLines(other));
      return lines.every((line) => there.has(line));
    })
  );
};

/** What a test does line by line, without the frame that every test has. */
const distinctiveLines = ({ text, name }: TestCaseSource): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.includes(name) && /\w/.test(line));

/** From what share of its values on a new test asks what the old one did. */
const MIN_SHARED_VALUES = 0.5;

/**
 * The new tests that may ask what a test of the base did which is gone by its name: the one that took its place and has its values,
 * or else, where it became rows or one of several, all new ones of its file that do not ask with values of their own for something else.
 */
export function findReplacementTests(
  test: TestResult,
  { replacements, added }: TestInventoryDiff,
  bodies: TestSourceIndex,
): readonly TestResult[] {
  const before = bodies.inBase(test);
  const asksTheSame = (now: TestResult): boolean => {
    const after = bodies.inPatch(now);
    return before === null || after === null || computeKeptTestValueShare(before, after) >= MIN_SHARED_VALUES;
  };
  const other = replacements.get(computeTestId(test));
  if (other && asksTheSame(other)) return [other];
  const file = test.file === null ? null : bodies.movedPath(test.file);
  return added.filter((now) => {
    const after = bodies.inPatch(now);
    return now.file === file && (asksTheSame(now) || (after !== null && !hasLiteralTestValues(after)));
  });
}
