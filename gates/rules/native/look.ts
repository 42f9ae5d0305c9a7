import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { namesOneOf } from '../tests/removed.ts';
import { TooTangled } from './brackets.ts';
import { goTests } from './go.ts';
import { type GoHelpers, goHelpers } from './go-helpers.ts';
import { nativeLanguage } from './lex.ts';
import { modulesIn } from './lost-modules.ts';
import { mergedInto } from './merged.ts';
import { MAX_CHARACTERS, type NativeCase, type NativeFile } from './model.ts';
import { rustTests } from './rust.ts';

export interface NativeTests {
  readonly before: readonly NativeFile[];
  readonly after: readonly NativeFile[];
  readonly tooLarge: readonly string[];
}

const testsOf = (path: string, text: string, helpers: GoHelpers): NativeFile =>
  nativeLanguage(path) === 'go' ? goTests(path, text, helpers) : rustTests(path, text);

/** What the changed files of Go on one side have to hand a test to. */
function helpersOf(texts: readonly (string | null)[]): GoHelpers {
  try {
    return goHelpers(texts.flatMap((text) => (text !== null && text.length <= MAX_CHARACTERS ? [text] : [])));
  } catch (error) {
    // Whose file it is, is told below.
    if (error instanceof TooTangled) return new Map();
    throw error;
  }
}

/** Files of Rust that belong to their crate without being named by another. */
const ROOT = /(^|\/)(?:build|lib|main)\.rs$|(^|\/)(?:tests|examples|benches|src\/bin)\/[^/]+\.rs$/;
const moduleOf = (path: string): string => /([^/]+)(?:\/mod)?\.rs$/.exec(path)?.[1] ?? '';

/** The tests of a file that is new, or new in its place, and that nothing in the patch makes part of a crate. */
const orphaned = (file: NativeFile): NativeFile => ({
  ...file,
  cases: file.cases.map((each) => ({ ...each, skipped: each.skipped ?? 'nothing names its file' })),
});

/** The tests of Go and Rust in the changed files, on both sides. Those of Rust stand beside the code as well. */
export function nativeTests(texts: readonly ChangedText[]): NativeTests {
  const before: NativeFile[] = [];
  const after: NativeFile[] = [];
  const tooLarge: string[] = [];
  const declared = new Set(
    texts.flatMap(({ path, after: now }) =>
      path.endsWith('.rs') && now !== null && now.length <= MAX_CHARACTERS ? [...modulesIn(now)] : [],
    ),
  );
  const go = texts.filter(({ path }) => nativeLanguage(path) === 'go');
  const [knownBefore, knownAfter] = [
    helpersOf(go.map((text) => text.before)),
    helpersOf(go.map((text) => text.after)),
  ];
  for (const { path, from, before: then, after: now } of texts) {
    if ((then?.length ?? 0) > MAX_CHARACTERS || (now?.length ?? 0) > MAX_CHARACTERS) {
      if (nativeLanguage(path) !== null) tooLarge.push(path);
      continue;
    }
    try {
      if (then !== null && from !== null && nativeLanguage(from) !== null)
        before.push(testsOf(from, then, knownBefore));
      if (now !== null && nativeLanguage(path) !== null) {
        const tests = testsOf(path, now, knownAfter);
        const isKnown =
          path === from || !path.endsWith('.rs') || ROOT.test(path) || declared.has(moduleOf(path));
        after.push(isKnown ? tests : orphaned(tests));
      }
    } catch (error) {
      if (!(error instanceof TooTangled)) throw error;
      tooLarge.push(path);
    }
  }
  return { before, after, tooLarge };
}

interface Placed {
  readonly path: string;
  readonly one: NativeCase;
}

const placed = (files: readonly NativeFile[]): Placed[] =>
  files.flatMap(({ path, cases }) => cases.map((one) => ({ path, one })));
const sum = (cases: readonly Placed[], key: 'assertions' | 'exact'): number =>
  cases.reduce((total, { one }) => total + one[key], 0);

/**
 * What the patch takes from the tests of Go and Rust, compared over all changed files: what was moved or renamed is not lost.
 * @param gone names that the patch takes out of the source: what tested them goes with them.
 * @param withSubjects files of tests that went away together with what they test.
 */
export function judgeNative(
  { before, after, tooLarge }: NativeTests,
  gone: ReadonlySet<string>,
  withSubjects: ReadonlySet<string>,
): Seen[] {
  // Tests that stand beside the code are no subject of others.
  const ofTests = new Set(before.flatMap(({ defines }) => defines));
  const removed = new Set([...gone].filter((name) => !ofTests.has(name)));
  const now = placed(after);
  const find = finder(now);
  const inTables = mergedInto(
    placed(before).flatMap((each) => (find(each).place === null ? [each.one] : [])),
    now.map(({ one }) => one),
  );
  const then = placed(before).filter(
    ({ one, path }) => !withSubjects.has(path) && !namesOneOf(one.text, removed) && !inTables.has(one),
  );
  const fewer = now.length < then.length || sum(now, 'assertions') < sum(then, 'assertions');
  const seen: Seen[] = [];
  for (const { path, one } of placed(before)) {
    const { place, same } = find({ path, one });
    if (place === null) {
      const gone = withSubjects.has(path) || namesOneOf(one.text, removed);
      seen.push({
        file: path,
        line: one.line,
        rule: gone ? 'test_removed_with_subject' : 'test_removed',
        message: `the test "${one.name}" is gone${gone ? ' together with what it tests' : inTables.has(one) ? '; its values stand in a table' : fewer ? '' : '; others were added in its stead'}`,
        weight: gone || !fewer || inTables.has(one) ? 'reported' : 'fails',
      });
      continue;
    }
    const at = { file: place.path, line: place.one.line };
    if (place.one.skipped !== null && one.skipped === null)
      seen.push({
        ...at,
        rule: 'test_skipped',
        message: `the test "${one.name}" no longer counts: ${place.one.skipped}`,
        weight: 'fails',
      });
    if (!same && !namesOneOf(one.text, removed))
      seen.push(...asksLess(one, place.one, fewer).map((less) => ({ ...at, ...less })));
  }
  for (const { path, one } of now)
    if (one.skipped !== null && find.isNew({ path, one }))
      seen.push({
        file: path,
        line: one.line,
        rule: 'test_skipped',
        message: `the new test "${one.name}" does not count: ${one.skipped}`,
        weight: 'reported',
      });
  for (const file of tooLarge)
    seen.push({
      file,
      line: null,
      rule: 'test_too_large',
      message: 'is too large to be looked at',
      weight: 'unclear',
    });
  return [...seen, ...addedWeaknesses(before, after), ...withoutSubject(before, after)];

  function finder(list: readonly Placed[]) {
    const here = new Map(list.map((each) => [`${each.path}\0${each.one.name}`, each]));
    const names = new Map(list.map((each) => [each.one.name, each]));
    const bodies = new Map(list.map((each) => [each.one.body, each]));
    const known = placed(before);
    const knownNames = new Set(known.map(({ one }) => one.name));
    const knownBodies = new Set(known.map(({ one }) => one.body));
    const search = ({ path, one }: Placed): { readonly place: Placed | null; readonly same: boolean } => {
      const named = here.get(`${path}\0${one.name}`) ?? names.get(one.name);
      if (named)
        return { place: named, same: named.one.body === one.body && named.one.assertions === one.assertions };
      const renamed = bodies.get(one.body);
      return { place: renamed ?? null, same: true };
    };
    return Object.assign(search, {
      isNew: ({ one }: Placed): boolean => !knownNames.has(one.name) && !knownBodies.has(one.body),
    });
  }
}

/** In what way a test asks for less than before. */
function asksLess(
  then: NativeCase,
  now: NativeCase,
  fewer: boolean,
): Pick<Seen, 'rule' | 'message' | 'weight'>[] {
  const rule = 'test_asks_less';
  if (now.assertions < then.assertions)
    return [
      {
        rule,
        message: `the test "${then.name}" has ${now.assertions} assertions instead of ${then.assertions}`,
        weight: fewer ? 'fails' : 'reported',
      },
    ];
  if (now.exact < then.exact)
    return [
      {
        rule,
        message: `the test "${then.name}" has ${now.exact} exact assertions instead of ${then.exact}`,
        weight: 'fails',
      },
    ];
  // Rows of a table are values; half of them may go when a test is tidied up.
  if (now.values < then.values)
    return [
      {
        rule,
        message: `the test "${then.name}" has ${now.values} values instead of ${then.values}`,
        weight: now.values * 2 <= then.values ? 'fails' : 'reported',
      },
    ];
  return [];
}

/** A path of Rust that leads out of the file, and out of what everybody has. */
const OWN = /\b(?!(?:std|core|alloc|self|super|crate|test)::)[a-z_]\w{0,80}\s{0,5}::/;
const STARTS = /\bCommand\b|\bfs::|\bcargo_bin\b/;

/** New files of tests beside a crate that name nothing of any crate. */
const withoutSubject = (before: readonly NativeFile[], after: readonly NativeFile[]): Seen[] =>
  after.flatMap(({ path, cases, code }): Seen[] =>
    code === null ||
    cases.length === 0 ||
    OWN.test(code) ||
    STARTS.test(code) ||
    before.some((each) => each.path === path)
      ? []
      : [
          {
            file: path,
            line: null,
            rule: 'test_without_subject',
            message: 'never names any of the code that it claims to test',
            weight: 'fails',
          },
        ],
  );

/** What makes tests say yes more easily, where it was not so before. */
function addedWeaknesses(before: readonly NativeFile[], after: readonly NativeFile[]): Seen[] {
  const known = new Map<string, number>();
  for (const { weaknesses } of before)
    for (const { rule } of weaknesses) known.set(rule, (known.get(rule) ?? 0) + 1);
  const seen: Seen[] = [];
  const names = new Set(before.flatMap(({ cases }) => cases.map(({ name }) => name)));
  // A new test that is left out takes nothing away.
  const isInNew = (path: string, line: number): boolean =>
    after.some(
      (file) =>
        file.path === path &&
        file.cases.some(
          (one) => !names.has(one.name) && one.line <= line && line < one.line + one.text.split('\n').length,
        ),
    );
  for (const { path, weaknesses } of after)
    for (const weakness of weaknesses) {
      const left = known.get(weakness.rule) ?? 0;
      if (left > 0) known.set(weakness.rule, left - 1);
      else
        seen.push({
          ...weakness,
          file: path,
          weight:
            weakness.rule === 'test_depends_on_environment' && isInNew(path, weakness.line)
              ? 'reported'
              : 'fails',
        });
    }
  return seen;
}
