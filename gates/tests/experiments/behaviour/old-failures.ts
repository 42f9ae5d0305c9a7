import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, isPossibleSourceName, type TestResult } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { findingOf, testFinding } from '../engine/findings.ts';
import type { Cause, ChangedExpectation, FailureReason } from '../engine/messages.ts';
import { changedCases, goneSubject, type Written } from './bodies.ts';
import type { OldTests } from './old-tests.ts';
import { type Came, cameUp, runInto } from './put-into.ts';
import { valuesKept } from './rows.ts';
import { type OldFailure, takenUp } from './taken-up.ts';
import { tellsAsMuch } from './tells-as-much.ts';
import { type Further, type Known, weightOf } from './terms.ts';
import { unasked } from './unasked.ts';

/** Most files that are run one by one when they cannot run together. */
const MAX_ALONE = 8;

/** What the base's tests say of the new code. */
export async function oldFailures(old: OldTests, terms: Known): Promise<Further> {
  const tree = await old.tree();
  const run = await terms.again(tree);
  if (run.outcome === 'passed') return { seen: [], facts: {} };
  if (run.outcome !== 'failed')
    return said([note(null, { rule: 'run_old_tests_broke', detail: run.detail })]);
  const runs = [{ tree, cases: run.cases }, ...(await alone(old, run, terms))];
  const came = await singly(old, runs, terms);
  if (run.cases === null && came.length === 0) return said(await unnamed(old, run, terms));
  const failed = [
    ...runs.flatMap((each) => (each.cases ?? []).map((test) => ({ test, tree: each.tree }))),
    ...came,
  ].filter(({ test }) => test.outcome === 'failed');
  const { seen, facts } = await judged(
    unique(failed, ({ test }) => computeTestId(test)),
    old,
    terms,
  );
  const isLoaded = (path: string): boolean =>
    runs.some(({ cases }) => (cases ?? []).some(({ file }) => file === path)) ||
    came.some(({ test }) => test.file === path);
  const places = (run.cases ?? []).every(({ file }) => file !== null);
  const silent = old.tests.length > 1 && places ? old.tests.filter((path) => !isLoaded(path)) : [];
  return {
    seen: [...seen, ...silent.map((path) => note(path, { rule: 'run_old_test_not_loaded' }))],
    facts: { ...facts, ...(came.length === 0 ? {} : { single_cases: came.length }) },
  };
}

const said = (seen: readonly GateFinding[]): Further => ({ seen, facts: {} });

interface Run extends Pick<CommandRun, 'cases'> {
  readonly tree: string;
}

/** Files that cannot be loaded must not drop the rest: each of them by itself. */
async function alone(old: OldTests, { cases }: CommandRun, { again }: Known): Promise<Run[]> {
  if (cases === null || old.tests.length < 2 || cases.some(({ file }) => file === null)) return [];
  const silent = old.tests.filter((path) => !cases.some(({ file }) => file === path)).slice(0, MAX_ALONE);
  const runs: Run[] = [];
  for (const path of silent) {
    const tree = await old.tree([path]);
    runs.push({ tree, cases: (await again(tree)).cases });
  }
  return runs;
}

/** Changed cases of files that cannot be loaded with the new code, each put into the new version of its file. */
async function singly(old: OldTests, runs: readonly Run[], terms: Known): Promise<Came[]> {
  const { bodies, difference, run } = terms;
  if (run.cases === null) return [];
  const lost = new Set(difference.lost.map(({ test }) => bodies.before(test)));
  const wanted = changedCases(bodies, old.tests).filter(
    (each) => !lost.has(each) && runs.every((before) => cameUp(before, each) === null),
  );
  return [...(await runInto('patch', wanted, terms)).values()];
}

const note = (file: string | null, cause: Cause): GateFinding =>
  findingOf({ file, severity: 'reported', cause });

/** Without names nobody can tell which test it was: what is deleted or asks less may be it. */
async function unnamed(
  old: OldTests,
  run: CommandRun,
  { weakened, foreseen, subject, bodies }: Known,
): Promise<GateFinding[]> {
  const less = await weakened();
  const gone = new Set(subject.changes.flatMap(({ path, headEntry }) => (headEntry === null ? [path] : [])));
  return old.tests.map((path): GateFinding => {
    const cases = bodies.allBefore.filter((each) => each.path === path);
    const isGone = gone.has(path) && !(cases.length > 0 && cases.every((each) => bodies.goneSubject(each)));
    const isWeakened = isGone || less.some(({ file }) => file === path);
    return findingOf({
      file: path,
      severity: isWeakened ? weightOf(foreseen, 'expectations_change') : 'reported',
      cause: {
        rule: isWeakened ? 'run_old_test_fails' : 'run_expectation_changed',
        unnamed: { exitCode: run.processResult.exitCode, isWeakened },
      },
    });
  });
}

/** Set where the patch's version passes on both, and is as strong: the test is only written in another way. */
type Rewritten = { readonly code: 'as_strong' };

/** What of the tests that fail holds the patch, and what is a changed expectation. */
async function judged(all: readonly OldFailure[], old: OldTests, terms: Known): Promise<Further> {
  const { bodies, difference, foreseen } = terms;
  const takes = (test: TestResult): Pick<TestResult, 'file' | 'name'> =>
    difference.instead.get(computeTestId(test)) ?? {
      file: test.file === null ? null : bodies.movedTo(test.file),
      name: test.name,
    };
  const known = ofOutcome(terms.onBase, 'failed');
  const stillFails = ofOutcome(terms.run, 'failed');
  // What failed before and fails still is no matter of this patch; what failed before and is said to be right now is.
  const failed = all.filter(
    ({ test }) => !(known.has(computeTestId(test)) && stillFails.has(computeTestId(takes(test)))),
  );
  if (failed.length === 0) return said([]);
  const [less, onOldCode] = await Promise.all([
    terms.weakened(),
    newTestsOnOldCode(
      failed.map(({ test }) => takes(test)),
      old,
      terms,
    ),
  ]);
  const lost = new Set(
    difference.lost.flatMap(({ test }) => (goneSubject(test, bodies) === null ? [computeTestId(test)] : [])),
  );
  const passesNow = ofOutcome(terms.run, 'passed');
  const isLost = (test: TestResult): boolean =>
    lost.has(computeTestId(test)) ||
    difference.rows.has(computeTestId(test)) ||
    (known.has(computeTestId(test)) &&
      !passesNow.has(computeTestId(takes(test))) &&
      goneSubject(test, bodies) === null);
  const isAsStrong = tellsAsMuch(old, terms);
  /** Returns why a failure needs review, or that the test was only rewritten; null: nothing tells so far. */
  const classify = async ({ test }: OldFailure): Promise<FailureReason | Rewritten | null> => {
    if (isLost(test)) return { code: 'test_removed' };
    const now = takes(test);
    // Such a test asks for the work itself. Only who knows the task can say that it asked for the wrong thing.
    if (known.has(computeTestId(test)) && goneSubject(test, bodies) === null)
      return { code: 'failed_on_base' };
    const [before, after] = [bodies.before(test), bodies.after(now)];
    const asksLess = less.find(
      (each) => each.file === now.file && (before === null || isAbout(each, before)),
    );
    const there = onOldCode.get(computeTestId(now));
    if (there?.test.outcome !== 'passed')
      return asksLess ? { code: 'reads_weaker', message: asksLess.message } : null;
    // What is only written in another way asks with the same values.
    const isSame = before === null || after === null || valuesKept(before, after) === 1;
    return isSame && !asksLess && (await isAsStrong(test, now, there.tree, before !== null && after !== null))
      ? { code: 'as_strong' }
      : { code: 'passes_on_old_code' };
  };
  const classes = new Map<OldFailure, FailureReason | Rewritten | null>();
  for (const each of failed) classes.set(each, await classify(each));
  const isHeld = [...classes.values()].some((each) => each !== null && each.code !== 'as_strong');
  const open = isHeld
    ? []
    : failed.filter((each) => classes.get(each) === null && goneSubject(each.test, bodies) === null);
  const { missed, asked, tried } = await takenUp(open, old, terms);
  const nobodyAsks = await unasked(
    open.filter((each) => !missed.has(each)),
    old,
    terms,
  );
  const doubt = (each: OldFailure): FailureReason | null => {
    if (nobodyAsks.has(each)) return { code: 'values_not_tested' };
    const part = missed.get(each);
    if (part) return { code: 'hunk_not_tested', path: part.path, line: part.line };
    const other = difference.instead.get(computeTestId(each.test));
    const [before, after] = [bodies.before(each.test), other ? bodies.after(other) : null];
    return open.includes(each) &&
      !asked.has(each) &&
      before &&
      after &&
      after.name !== before.name &&
      valuesKept(before, after) < SAME
      ? { code: 'replaced_by_other_values', replacement: after.name }
      : null;
  };
  const seen = failed.map((each): GateFinding => {
    const { test } = each;
    const before = bodies.before(test);
    const changed = changedExpectation(before, bodies.after(takes(test)));
    const found = classes.get(each) ?? doubt(each);
    return found === null || found.code === 'as_strong'
      ? testFinding(
          test,
          { rule: 'run_expectation_changed', changed },
          foreseen?.size === 0 ? 'unclear' : 'reported',
          before?.line,
        )
      : testFinding(
          test,
          { rule: 'run_old_test_fails', reason: found, changed },
          weightOf(foreseen, 'expectations_change'),
          before?.line,
        );
  });
  return { seen, facts: open.length === 0 ? {} : { parts_taken_back: tried } };
}

/** From what share of the values on a test under another name is the same one with another expectation. */
const SAME = 0.5;

/** What became of tests of the patch on the code of the base, by id. */
async function newTestsOnOldCode(
  wanted: readonly Pick<TestResult, 'file' | 'name'>[],
  old: OldTests,
  terms: Known,
): Promise<ReadonlyMap<string, Came>> {
  const { again, bodies } = terms;
  const tree = await old.newOnOldCode();
  const { cases } = await again(tree);
  const known = new Map((cases ?? []).map((test) => [computeTestId(test), { test, tree }]));
  const open = new Map(
    wanted.flatMap((now) => {
      const after = known.has(computeTestId(now)) ? null : bodies.after(now);
      return after === null ? [] : [[after, computeTestId(now)] as const];
    }),
  );
  // Their file asks for what the old code has not.
  for (const [written, came] of await runInto('base', [...open.keys()], terms)) {
    const id = open.get(written);
    if (id !== undefined) known.set(id, came);
  }
  return known;
}

/** The tests that came to this, by id. */
const ofOutcome = (
  run: Pick<CommandRun, 'cases'> | null,
  wanted: TestResult['outcome'],
): ReadonlySet<string> =>
  new Set((run?.cases ?? []).flatMap((test) => (test.outcome === wanted ? [computeTestId(test)] : [])));

/** Whether a finding is about this test: it names it, or stands for the whole file. */
const isAbout = ({ test }: GateFinding, { name }: Written): boolean =>
  test === undefined || test === name || isPossibleSourceName(test, name);

/** Most lines that are shown of each side. */
const SHOWN = 4;

/** The old expectation beside the new one; null where the text tells none. */
function changedExpectation(before: Written | null, after: Written | null): ChangedExpectation | null {
  if (before === null || after === null) return null;
  const lines = ({ text }: Written): string[] => text.split('\n').map((line) => line.trim());
  const [then, now] = [lines(before), lines(after)];
  const only = (these: readonly string[], those: readonly string[]): string =>
    these
      .filter((line) => line !== '' && !those.includes(line))
      .slice(0, SHOWN)
      .join(' ');
  const changed = { before: only(then, now), now: only(now, then) };
  return changed.before === '' && changed.now === '' ? null : changed;
}

const unique = <Value>(all: readonly Value[], keyOf: (value: Value) => string): Value[] => [
  ...new Map(all.map((each) => [keyOf(each), each])).values(),
];
