import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { isStillFound, isTestPath } from '../../languages/test-paths.ts';
import { nativeLanguage } from '../native/lex.ts';
import { casesOf, type TestCase } from '../tests/cases.ts';
import { type Counts, count, isCountable } from '../tests/count.ts';
import { namesOneOf } from '../tests/removed.ts';
import { codeOnly } from '../tests/strip.ts';
import { joined } from './cases/joined.ts';
import type { ReadCase, ReadFile } from './cases/model.ts';
import { assertingHelpers, callsOf } from './helpers.ts';
import { type Weakness, weaknessesOf } from './weaknesses.ts';

/** One test file on one side of the patch. */
export interface TestSide {
  readonly path: string;
  readonly text: string;
  readonly counts: Counts;
  readonly cases: readonly TestCase[];
  readonly weaknesses: readonly Weakness[];
}

export interface TestFile {
  readonly path: string;
  readonly before: TestSide | null;
  readonly after: TestSide | null;
}

const sideOf = (path: string, text: string): TestSide => ({
  path,
  text,
  counts: count(path, text),
  cases: casesOf(path, text),
  weaknesses: weaknessesOf(path, text),
});

/** The changed tests, on both sides. A test that was moved to where no runner looks for it is gone. */
export const testFiles = (texts: readonly ChangedText[]): TestFile[] =>
  texts.flatMap(({ path, from, before, after }) => {
    const then = before !== null && from !== null && isTestCode(from) ? sideOf(from, before) : null;
    const now =
      after !== null && isTestCode(path) && (then === null || isStillFound(from ?? path, path, after))
        ? sideOf(path, after)
        : null;
    return then || now ? [{ path: now ? path : (from ?? path), before: then, after: now }] : [];
  });

/** Tests of Go and Rust are read by the rules of their languages; see ../native. */
const isTestCode = (path: string): boolean =>
  isTestPath(path) && isCountable(path) && nativeLanguage(path) === null;

const NONE: Counts = { cases: 0, assertions: 0, exact: 0, skips: 0, only: 0, exits: 0 };

/** What all test files of one side have together. */
export function totalOf(sides: readonly (TestSide | null)[]): Counts {
  const total = { ...NONE };
  for (const side of sides)
    for (const key of Object.keys(NONE) as (keyof Counts)[]) total[key] += side?.counts[key] ?? 0;
  return total;
}

/** One table of values instead of many cases. */
const TABLES = /\.each\b|\bparametrize\b|\bsubTest\(|\bt\.Run\(|\bfor\b|\.forEach\(|#\[\s*case\b/g;
const tablesOf = (sides: readonly (TestSide | null)[]): number =>
  sides.reduce(
    (sum, side) => sum + (side ? (codeOnly(side.path, side.text).match(TABLES)?.length ?? 0) : 0),
    0,
  );
const trivialOf = (sides: readonly (TestSide | null)[]): number =>
  sides.reduce(
    (sum, side) => sum + (side?.weaknesses.filter(({ rule }) => rule === 'assertion_trivial').length ?? 0),
    0,
  );

/** Which protection went away, compared over all changed tests: what was moved is not lost. */
export function lostProtection(
  files: readonly TestFile[],
  removed: ReadonlySet<string>,
  withSubjects: ReadonlySet<string>,
  read: readonly ReadFile[] = [],
): Seen[] {
  const before = files.map((file) => file.before);
  const after = files.map((file) => file.after);
  const isGoneWithSubject = (path: string, { text }: TestCase): boolean =>
    withSubjects.has(path) || namesOneOf(text, removed);
  const pool = new PoolOfCases(after);
  const [then, now] = [strengthOf(before), strengthOf(after)];
  // Cases that stand in another one now are fewer, and ask no less.
  const { gone, hosts } = joined(read);
  const isIn = (path: string, { name }: TestCase): boolean => gone.has(`${path}\0${name}`);
  // What went away with its subject is not missed.
  for (const { path, before: side } of files)
    for (const each of side?.cases ?? [])
      if (side && !isIn(path, each) && !pool.has(each, side.path) && isGoneWithSubject(side.path, each)) {
        then.cases--;
        then.assertions -= count(side.path, each.text).assertions;
      }
  const tree = isAllRead(files, read) ? treeStrengths(read, then) : null;
  then.cases -= gone.size - hosts;
  const fewer = tree
    ? tree.cases < then.cases || (tree.assertions < tree.before && !tree.open)
    : now.cases < then.cases || now.assertions < then.assertions;
  // A table excuses fewer cases, but not fewer questions.
  const tables =
    tablesOf(after) > tablesOf(before) && (tree === null || tree.open || tree.assertions >= tree.before);
  const [helpersBefore, helpersAfter] = [helpersOf(before), helpersOf(after)];
  const followed = new Set(read.flatMap((file) => (file.before && file.after ? [file.path] : [])));
  const seen: Seen[] = [];
  for (const { path, before: side, after: head } of files) {
    if (side === null) continue;
    const missing = side.cases.filter((each) => !pool.has(each, side.path));
    for (const each of missing) {
      const { name, line } = each;
      const withSubject = isGoneWithSubject(side.path, each);
      const isJoined = isIn(path, each);
      seen.push({
        file: side.path,
        line,
        rule: withSubject ? 'test_removed_with_subject' : 'test_removed',
        message: withSubject
          ? `the test "${name}" went away together with what it tests`
          : `the test "${name}" is gone${isJoined ? '; another test does the same' : fewer && !tables ? '' : '; others were added in its stead'}`,
        weight: withSubject || isJoined || !fewer || tables ? 'reported' : 'fails',
      });
    }
    // What the syntax tree tells, patterns need not guess.
    for (const each of followed.has(path) ? [] : side.cases) {
      const other = pool.of(each, side.path);
      if (!other) continue;
      if (namesOneOf(each.text, removed)) continue;
      const how = asksLess(
        strengthOfCase(side.path, each, helpersBefore),
        strengthOfCase(side.path, other, helpersAfter),
      );
      if (how)
        seen.push({
          file: head?.path ?? side.path,
          line: other.line,
          rule: 'test_asks_less',
          message: `the test "${each.name}" has ${how}`,
          weight: fewer || how.includes('exact') ? 'fails' : 'reported',
        });
    }
    // Languages and styles in which we find no cases are compared file by file.
    if (
      side.cases.length === 0 &&
      !withSubjects.has(side.path) &&
      head === null &&
      side.counts.assertions > 0
    )
      seen.push({
        file: side.path,
        line: null,
        rule: 'test_removed',
        message: `a test file with ${side.counts.assertions} assertions is gone`,
        weight: fewer ? 'fails' : 'reported',
      });
  }
  return seen;
}

const isAllRead = (files: readonly TestFile[], read: readonly ReadFile[]): boolean =>
  read.length === files.length &&
  files.every(
    ({ before, after }, index) =>
      (before === null || read[index]?.before != null) && (after === null || read[index]?.after != null),
  );

/**
 * The strength of all tests by their syntax trees. `then.cases` and `before` leave
 * out what went away with its subject, as `then` does.
 */
function treeStrengths(
  read: readonly ReadFile[],
  then: { cases: number; assertions: number },
): { readonly cases: number; readonly assertions: number; readonly before: number; readonly open: boolean } {
  const live = (side: ReadFile['before']): readonly ReadCase[] =>
    (side?.cases ?? []).filter(({ reach }) => reach !== 'never');
  const asked = (cases: readonly ReadCase[]): number =>
    cases.reduce((sum, { strength }) => sum + strength.filter((level) => level > 0).length, 0);
  const before = read.flatMap((file) => live(file.before));
  const after = read.flatMap((file) => live(file.after));
  const gone = Math.max(0, before.length - then.cases);
  const weakest = before
    .map((each) => asked([each]))
    .toSorted((a, b) => b - a)
    .slice(0, gone);
  return {
    cases: after.length,
    assertions: asked(after),
    before: Math.max(0, asked(before) - weakest.reduce((sum, each) => sum + each, 0)),
    open: after.some(({ open }) => open) || before.some(({ open }) => open),
  };
}

type Strength = Pick<Counts, 'cases' | 'assertions' | 'exact'>;

/** Functions of the tests that assert something; tests of the other side may have been written out. */
const helpersOf = (sides: readonly (TestSide | null)[]): Set<string> =>
  new Set(sides.flatMap((side) => (side ? assertingHelpers(side.path, side.text) : [])));

/** What tests ask together: what is always true asks nothing, and a call of a helper asks what the helper asks. */
function strengthOf(sides: readonly (TestSide | null)[]): { cases: number; assertions: number } {
  const { cases, assertions } = totalOf(sides);
  const helpers = helpersOf(sides);
  const calls = sides.reduce(
    (sum, side) => sum + (side?.cases ?? []).reduce((all, { code }) => all + callsOf(code, helpers), 0),
    0,
  );
  return { cases, assertions: assertions - trivialOf(sides) + calls };
}

function strengthOfCase(path: string, each: TestCase, helpers: ReadonlySet<string>): Strength {
  const { cases, assertions, exact } = count(path, each.text);
  const calls = callsOf(each.code, helpers);
  return { cases, assertions: assertions + calls, exact: exact + calls };
}

function asksLess(then: Strength, now: Strength): string | null {
  if (now.assertions < then.assertions) return `${now.assertions} assertions instead of ${then.assertions}`;
  return now.exact < then.exact ? `${now.exact} exact assertions instead of ${then.exact}` : null;
}

/** Everything but the name. */
const bodyOf = ({ text, name }: TestCase): string => text.replace(name, '').replace(/\s+/g, ' ');

/** The cases of the new tests, to be found by name or, when they were renamed, by what they do. */
class PoolOfCases {
  readonly #here = new Map<string, TestCase>();
  readonly #names = new Map<string, TestCase>();
  readonly #bodies = new Set<string>();

  constructor(sides: readonly (TestSide | null)[]) {
    for (const side of sides)
      for (const each of side?.cases ?? []) {
        this.#here.set(`${side?.path}\0${each.name}`, each);
        this.#names.set(each.name, each);
        this.#bodies.add(bodyOf(each));
      }
  }

  /** The case of the same name: in the same file, or moved to another one. */
  of(each: TestCase, path: string): TestCase | undefined {
    return this.#here.get(`${path}\0${each.name}`) ?? this.#names.get(each.name);
  }

  has(each: TestCase, path: string): boolean {
    return this.of(each, path) !== undefined || this.#bodies.has(bodyOf(each));
  }
}
