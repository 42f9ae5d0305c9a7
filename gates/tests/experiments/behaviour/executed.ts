import { BaselineCount } from '../../../code/parsing/baseline-count.ts';
import { computeTestId, listSourceNames, type TestResult } from '../../../core/test-result.ts';
import { type Bodies, isTemplate, type Written } from './bodies.ts';
import { likeness } from './likeness.ts';
import { isRow } from './rows.ts';

/** A test that passed on the base and does not run with the patch, nor does another in its stead. */
export interface LostTest {
  readonly test: TestResult;
  readonly how: 'missing' | 'skipped';
}

/** From how much two bodies have in common they are taken for the same test under another name. */
const ALIKE = 0.6;

const isExecuted = ({ outcome }: TestResult): boolean => outcome !== 'skipped';

/**
 * The function that rows of a table share: `test_sum[1-2]` is a row of `test_sum`, `TestSum/zero` one of `TestSum`, and `adds 1 to 2`
 * one of what is written as `adds %i to %i`.
 */
const functionOf = ({ name }: TestResult, written: Written | null): string =>
  written !== null && isTemplate(written.name)
    ? written.name
    : name.replace(/\[.*\]$/s, '').replace(/(::|^)(Test\w+)\/.*$/s, '$1$2');

/** What became of the tests that passed on the base and that no test of their name and place takes up. */
export interface ExecutedDifference {
  readonly lost: readonly LostTest[];
  /** The test that took the place of one of the base, by the id of that. */
  readonly instead: ReadonlyMap<string, TestResult>;
  /** Ids of tests that seem to have become rows of a table, or several tests. They are lost all the same where they fail on the new code. */
  readonly rows: ReadonlySet<string>;
  /** Tests that passed on the base and that no test of their name takes up, and those that the base has none of their name for. */
  readonly gone: readonly TestResult[];
  readonly added: readonly TestResult[];
}

/**
 * Compares what ran, one by one and by name: what passed on the base must run with the patch. A name that is gone is matched with a
 * new one: the same in another file, module or suite, another row of the same table, a like body; or its lines stand in another test now, or its values in a table or in several tests.
 */
export function executedDifference(
  before: readonly TestResult[],
  now: readonly TestResult[],
  bodies: Bodies,
): ExecutedDifference {
  const executed = now.filter(isExecuted);
  const there = new BaselineCount(executed.map(computeTestId));
  const skipped = new BaselineCount(now.filter((each) => !isExecuted(each)).map(computeTestId));
  // Of two of one name that differ, the failed one is looked for first: then the other is missing.
  const ran = before.filter(isExecuted);
  const gone = [...ran.filter(({ outcome }) => outcome === 'failed'), ...ran.filter(isPassed)].filter(
    (test) => !there.takeOne(computeTestId(test)) && isPassed(test),
  );

  const known = new BaselineCount(ran.map(computeTestId));
  const added = executed.filter((test) => !known.takeOne(computeTestId(test)));
  const { left, instead, rows } = matched(gone, new Set(added), executed, bodies);
  return {
    gone,
    added,
    lost: left.map((test) => ({ test, how: skipped.takeOne(computeTestId(test)) ? 'skipped' : 'missing' })),
    instead,
    rows,
  };
}

const isPassed = ({ outcome }: TestResult): boolean => outcome === 'passed';

/** Gives each gone test a new one that takes its place, one for one; what stands in another test as it is needs none. */
function matched(
  gone: readonly TestResult[],
  added: Set<TestResult>,
  ran: readonly TestResult[],
  bodies: Bodies,
): { readonly left: readonly TestResult[] } & Pick<ExecutedDifference, 'instead' | 'rows'> {
  const instead = new Map<string, TestResult>();
  const rows = new Set<string>();
  const here = (test: TestResult): string | null => (test.file === null ? null : bodies.movedTo(test.file));
  const byName = groups(added, ({ name }) => name);
  const byFunction = groups(added, (each) => `${each.file}\0${functionOf(each, bodies.after(each))}`);
  const takes = (test: TestResult, found: TestResult | null | undefined): boolean => {
    if (!found) return false;
    added.delete(found);
    instead.set(computeTestId(test), found);
    return true;
  };
  const free = (group: readonly TestResult[] | undefined) => group?.find((each) => added.has(each));
  const left = gone
    .filter((test) => !takes(test, free(byName.get(test.name)) ?? sameCase(test, added, bodies)))
    .filter(
      (test) => !takes(test, free(byFunction.get(`${here(test)}\0${functionOf(test, bodies.before(test))}`))),
    )
    .filter((test) => {
      const body = bodies.before(test);
      if (body === null || isIdle(body, ran, bodies)) return true;
      if (takes(test, mostAlike(body, [...added], here(test), bodies)) || stands(body, bodies)) return false;
      const pieces = [...added].flatMap((each) => bodies.after(each) ?? []);
      if (!isRow(body, bodies, pieces)) return true;
      rows.add(computeTestId(test));
      return false;
    });
  return { left, instead, rows };
}

/** A new test that is written under the same name, in another module or suite, which runners name with it. */
function sameCase(test: TestResult, added: ReadonlySet<TestResult>, bodies: Bodies): TestResult | null {
  const name = bodies.before(test)?.name;
  if (name === undefined || isTemplate(name)) return null;
  return [...added].find((each) => bodies.after(each)?.name === name) ?? null;
}

/** Whether a test is still written as it was, and nothing that ran is it: then no like one has taken its place. */
function isIdle(body: Written, ran: readonly TestResult[], bodies: Bodies): boolean {
  const still = bodies.allAfter.filter(
    (each) => each.name === body.name && likeness(body.text, each.text) >= ALIKE,
  );
  if (still.length === 0) return false;
  return !ran.some(
    (test) => listSourceNames(test.name).has(body.name) && still.some((each) => each === bodies.after(test)),
  );
}

function groups(tests: Iterable<TestResult>, keyOf: (test: TestResult) => string): Map<string, TestResult[]> {
  const found = new Map<string, TestResult[]>();
  for (const test of tests) found.set(keyOf(test), [...(found.get(keyOf(test)) ?? []), test]);
  return found;
}

/** The new test whose body is most like this one; those of the same file come first. */
function mostAlike(
  body: Written,
  added: readonly TestResult[],
  file: string | null,
  bodies: Bodies,
): TestResult | null {
  let best: TestResult | null = null;
  let most = ALIKE;
  for (const test of added) {
    const other = bodies.after(test);
    if (other === null) continue;
    const score = likeness(body.text, other.text) + (test.file === file ? 1 : 0);
    if (score < most || score - (test.file === file ? 1 : 0) < ALIKE) continue;
    most = score;
    best = test;
  }
  return best;
}

/** Whether every line of a test stands in another one now. */
const stands = (body: Written, { allAfter }: Bodies): boolean => {
  const lines = linesIn(body);
  return (
    lines.length > 0 &&
    allAfter.some((other) => {
      if (other.name === body.name) return false;
      const there = new Set(linesIn(other));
      return lines.every((line) => there.has(line));
    })
  );
};

/** What a test does line by line, without the frame that every test has. */
const linesIn = ({ text, name }: Written): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.includes(name) && /\w/.test(line));
