import { shownPath } from '../../checkout/path-bytes.ts';
import type { Seen, Weight } from '../../code/seen.ts';
import { isNamed, type TestResult, testId } from '../../reports/test-result.ts';
import type { Execution } from '../execution.ts';
import { type Bodies, bodiesOf, goneSubject, type Written } from './bodies.ts';
import { executedDifference, type LostTest } from './executed.ts';
import { type OldTests, oldTests } from './old-tests.ts';
import { valuesKept } from './rows.ts';
import { tellsAsMuch } from './tells-as-much.ts';
import type { BehaviourTerms, Known, TestsForeseen } from './terms.ts';

/** How much is known of what ran; the first is the strongest. */
export type Compared = 'by name' | 'exit code only';

export interface Told {
  readonly seen: readonly Seen[];
  readonly compared: Compared;
  /** Test files of the base that ran on the new code; null: there was no need. */
  readonly oldTests: number | null;
}

/**
 * What runs tell of a patch whose own tests pass: tests that passed on the base and are gone, and tests of the base that fail on the
 * new code. Rules that read are asked only about a test of the base that fails: whether its new version asks less.
 */
export async function toldByRuns(terms: BehaviourTerms): Promise<Told> {
  const { subject, run } = terms;
  const old = oldTests(subject);
  // Without names there is nothing to compare, and where no test differs nothing to ask.
  const base = run.cases === null && old === null ? null : await terms.base();
  const bodies = await bodiesOf(subject);
  const named = run.cases !== null && base?.cases != null;
  const difference = executedDifference(
    base?.cases ?? [],
    named ? (run.cases ?? []) : (base?.cases ?? []),
    bodies,
  );
  const known = { ...terms, bodies, difference, onBase: base };
  const failed = old === null ? [] : await oldFailures(old, known);
  return {
    seen: [...difference.lost.map((each) => lostTest(each, terms.foreseen, bodies)), ...failed],
    compared: named ? 'by name' : 'exit code only',
    oldTests: old === null ? null : old.tests.length,
  };
}

/** Protection that went away: for a person, or no honest work at all where no test was to change. */
const weightOf = (foreseen: TestsForeseen): Weight =>
  foreseen === null ? 'unclear' : foreseen ? 'reported' : 'fails';

function lostTest({ test, how }: LostTest, foreseen: TestsForeseen, bodies: Bodies): Seen {
  const place = { file: test.file, line: null };
  const subject = how === 'skipped' ? null : goneSubject(test, bodies);
  if (subject !== null)
    return {
      ...place,
      rule: 'run_test_gone_with_subject',
      message: `${test.name}: passes on the base, and went with ${subject}, which the patch takes out of the code`,
      weight: foreseen === false ? 'unclear' : 'reported',
    };
  return {
    ...place,
    rule: how === 'skipped' ? 'run_test_skipped' : 'run_test_lost',
    message: `${test.name}: passes on the base, and ${how === 'skipped' ? 'is skipped' : 'was not run'} with the patch; no other test took its place`,
    weight: weightOf(foreseen),
  };
}

/** Most files that are run one by one when they cannot run together. */
const MAX_ALONE = 8;

async function oldFailures(old: OldTests, terms: Known): Promise<Seen[]> {
  const run = await terms.again(await old.tree());
  if (run.outcome === 'passed') return [];
  if (run.outcome !== 'failed')
    return [
      note(null, 'run_old_tests_broke', `the base's tests could not run on the new code: ${run.detail}`),
    ];
  if (run.cases === null) return unnamed(old, run, terms);
  const seen = await failuresIn(run, old, terms);
  const silent = old.tests.filter((path) => !(run.cases ?? []).some(({ file }) => file === path));
  // One that cannot be loaded must not drop the rest.
  const alone =
    old.tests.length > 1 && run.cases.every(({ file }) => file !== null) ? silent.slice(0, MAX_ALONE) : [];
  for (const path of alone) {
    const single = await terms.again(await old.tree([path]));
    seen.push(...(single.cases === null ? [] : await failuresIn(single, old, terms)));
    if (single.outcome === 'failed' && !(single.cases ?? []).some(({ file }) => file === path))
      seen.push(
        note(
          path,
          'run_old_test_not_loaded',
          'the base version of this test cannot be loaded with the new code',
        ),
      );
  }
  return unique(seen);
}

const note = (file: string | null, rule: string, message: string): Seen => ({
  file,
  line: null,
  rule,
  message: message.slice(0, 1_000),
  weight: 'reported',
});

/** Without names nobody can tell which test it was: what is deleted or asks less may be it. */
async function unnamed(
  old: OldTests,
  run: Execution,
  { weakened, foreseen, subject, bodies }: Known,
): Promise<Seen[]> {
  const less = await weakened();
  const gone = new Set(subject.changes.flatMap(({ path, head }) => (head === null ? [path] : [])));
  return old.tests.map((path): Seen => {
    const cases = bodies.allBefore.filter((each) => each.path === path);
    const isGone = gone.has(path) && !(cases.length > 0 && cases.every((each) => bodies.goneSubject(each)));
    const held = isGone || less.some(({ file }) => file === path);
    return {
      file: path,
      line: null,
      rule: held ? 'run_old_test_fails' : 'run_expectation_changed',
      message: `in their base version these tests do not pass on the new code (exit ${run.ran.exitCode ?? '-'}; no report names them)${held ? ', and the patch deletes or weakens them' : ''}`,
      weight: held ? weightOf(foreseen) : 'reported',
    };
  });
}

async function failuresIn(run: Execution, old: OldTests, terms: Known): Promise<Seen[]> {
  const { bodies, difference, foreseen } = terms;
  const takes = (test: TestResult): Pick<TestResult, 'file' | 'name'> =>
    difference.instead.get(testId(test)) ?? {
      file: test.file === null ? null : bodies.movedTo(test.file),
      name: test.name,
    };
  const known = ofOutcome(terms.onBase, 'failed');
  const stillFails = ofOutcome(terms.run, 'failed');
  // What failed before and fails still is no matter of this patch; what failed before and is said to be right now is.
  const failed = (run.cases ?? []).filter(
    (test) => test.outcome === 'failed' && !(known.has(testId(test)) && stillFails.has(testId(takes(test)))),
  );
  if (failed.length === 0) return [];
  const [less, onOldCode] = await Promise.all([terms.weakened(), newTestsOnOldCode(old, terms)]);
  const lost = new Set(
    difference.lost.flatMap(({ test }) => (goneSubject(test, bodies) === null ? [testId(test)] : [])),
  );
  const passesNow = ofOutcome(terms.run, 'passed');
  const isLost = (test: TestResult): boolean =>
    lost.has(testId(test)) ||
    difference.rows.has(testId(test)) ||
    (known.has(testId(test)) && !passesNow.has(testId(takes(test))) && goneSubject(test, bodies) === null);
  const isAsStrong = tellsAsMuch(old, terms);
  const seenIn = async (test: TestResult): Promise<Seen> => {
    const before = bodies.before(test);
    const now = takes(test);
    const asksLess = less.find(
      (each) => each.file === now.file && (before === null || speaksOf(each, before)),
    );
    const passesOnBoth = onOldCode.has(testId(now));
    const after = bodies.after(now);
    // What is only written in another way asks with the same values.
    const isSame = before === null || after === null || valuesKept(before, after) === 1;
    const isStrong = passesOnBoth && isSame && !asksLess && !isLost(test) && (await isAsStrong(test, now));
    const why = isLost(test)
      ? ', and the patch takes it away'
      : isStrong
        ? ''
        : passesOnBoth
          ? ', and what took its place passes on the old code as well: it tells the two apart no more'
          : asksLess
            ? `, and now ${asksLess.message}`
            : '';
    return {
      file: test.file,
      line: before?.line ?? null,
      rule: why === '' ? 'run_expectation_changed' : 'run_old_test_fails',
      message: `${test.name}: its base version fails on the new code${why}${changeOf(before, after)}`.slice(
        0,
        1_000,
      ),
      weight: why !== '' ? weightOf(foreseen) : foreseen === false ? 'unclear' : 'reported',
    };
  };
  const seen: Seen[] = [];
  for (const test of failed) seen.push(await seenIn(test));
  return seen;
}

/** The tests that came to this, by id. */
const ofOutcome = (
  run: Pick<Execution, 'cases'> | null,
  wanted: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set((run?.cases ?? []).flatMap((test) => (test.outcome === wanted ? [testId(test)] : [])));

/** The tests of the patch that pass on the code of the base, by id. */
async function newTestsOnOldCode(old: OldTests, { again }: Known): Promise<ReadonlySet<string>> {
  return ofOutcome(await again(await old.newOnOldCode()), 'passed');
}

/** Whether a finding is about this test: it names it, or stands for the whole file. */
function speaksOf({ message }: Seen, { name }: Written): boolean {
  const quoted = /"([^"]{1,500})"/.exec(message)?.[1];
  return quoted === undefined || isNamed(quoted, name) || quoted === name;
}

/** Most lines that are shown of each side. */
const SHOWN = 4;

/** The old expectation beside the new one. */
function changeOf(before: Written | null, after: Written | null): string {
  if (before === null || after === null) return '';
  const lines = ({ text }: Written): string[] => text.split('\n').map((line) => line.trim());
  const [then, now] = [lines(before), lines(after)];
  const only = (these: readonly string[], those: readonly string[]): string =>
    these
      .filter((line) => line !== '' && !those.includes(line))
      .slice(0, SHOWN)
      .join(' ');
  const [was, is] = [only(then, now), only(now, then)];
  return was === '' && is === '' ? '' : `; before: ${shownPath(was) || '-'}; now: ${shownPath(is) || '-'}`;
}

const unique = (seen: readonly Seen[]): Seen[] => [
  ...new Map(seen.map((each) => [`${each.file}\0${each.rule}\0${each.message}`, each])).values(),
];

/** Facts for the record. */
export const factsOf = ({ compared, oldTests: files }: Told): Record<string, string | number> => ({
  tests_compared: compared,
  ...(files === null ? {} : { old_test_files: files }),
});
