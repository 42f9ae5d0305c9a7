import type { GateFinding } from '../../../core/gate-finding.ts';
import { isProjectCode } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import { readAddedLines } from '../../running/added-lines.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { testFinding } from '../engine/findings.ts';
import { switchedOff } from '../mutants/switch-off.ts';
import { changedFunctions, limitFor } from '../mutants/try.ts';
import { type Bodies, bodiesOf } from './bodies.ts';
import type { ExecutedDifference } from './executed.ts';
import { withOnly } from './narrowed.ts';
import { oldTests } from './old-tests.ts';
import { failedIn } from './on-mutants.ts';
import { successorsOf } from './successors.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';
import { baseWithNewTests } from './trees.ts';

/** A test that passes although no function of the project works. */
interface Idle {
  readonly test: TestResult;
  /** It passes where each function answers nothing, and on the code of the base too; only where they break off it fails. */
  readonly onlyCalls: boolean;
  /** The test of the base that this one is, or whose place it took, and that noticed; null: there is none. */
  readonly noticedBefore: TestResult | null;
  readonly isNew: boolean;
}

/**
 * Whether tests that the patch brings or changes pass where no function of the project works any more: once each gives nothing at once,
 * and once each breaks off. Such a test asks for nothing, whatever is written in it: a copy or a stand-in of its subject, a condition
 * that does not hold, a name that nobody defines.
 */
export async function runIdle(terms: FurtherTerms): Promise<Further> {
  const { subject, run, again, difference } = terms;
  const touched = await touchedTests(subject);
  if (touched.length === 0) return NOTHING;
  const limit = { limitMs: limitFor(run) };
  const off = await switchedOff(subject, subject.tree, 'nothing');
  if (off === null) return NOTHING;
  const only = await again(await withOnly(subject, off, touched), limit);
  const suspects = passedIn(only);
  if (suspects.size === 0) return said('none', []);
  const broken = await switchedOff(subject, subject.tree, 'breaks');
  if (broken === null) return NOTHING;
  const passing = passedIn(await again(await withOnly(subject, broken, touched), limit));
  // Tests of code that stays as it is pass on the base anyway, and Go and Rust answer a zero that may be asked for.
  const canTell = !bringsTestsOnly(subject) && touched.every((path) => !/\.(?:go|rs)$/.test(path));
  const calling = canTell ? [...suspects.keys()].filter((id) => !passing.has(id)) : [];
  const onBase = calling.length === 0 ? null : passedIn(await again(await newTestsOnBase(subject)));
  const idle = [...suspects].flatMap(([id, test]) =>
    passing.has(id) || onBase?.has(id) ? [{ test, onlyCalls: !passing.has(id) }] : [],
  );
  if (idle.length === 0) return said('none', []);
  const base = await switchedOff(subject, subject.base, 'nothing');
  const before = base === null ? null : await again(base, limit);
  // Where nothing at all is noticed, the tests may run on other code than this.
  if (before?.outcome !== 'failed' && (await again(off, limit)).outcome === 'passed')
    return said('nobody can tell', []);
  const takenUp = placesTaken(idle, before, difference, await bodiesOf(subject));
  return said(
    'some',
    await judged(
      subject,
      idle.map((each) => known(each, before, takenUp)),
      only,
    ),
  );
}

/** Tests of the base that noticed and are gone by their name, where all that may ask the same now asks nothing; by the id of each of these. */
function placesTaken(
  idle: readonly Pick<Idle, 'test' | 'onlyCalls'>[],
  before: CommandRun | null,
  difference: ExecutedDifference,
  bodies: Bodies,
): ReadonlyMap<string, TestResult> {
  const idleIds = new Set(idle.map(({ test }) => computeTestId(test)));
  const noticed = before === null ? new Set() : failedIn(before);
  const taken = new Map<string, TestResult>();
  for (const gone of difference.gone) {
    const successors = noticed.has(computeTestId(gone)) ? successorsOf(gone, difference, bodies) : [];
    if (successors.every((each) => idleIds.has(computeTestId(each))))
      for (const each of successors) taken.set(computeTestId(each), gone);
  }
  return taken;
}

/** The code of the base with the tests that the patch writes. */
export const newTestsOnBase = async (subject: PatchSubject): Promise<string> =>
  (await oldTests(subject))?.newOnOldCode() ?? baseWithNewTests(subject);

const said = (idle: string, seen: readonly GateFinding[]): Further => ({ seen, facts: { idle_tests: idle } });

/** Tests, and what lies beside them, that the patch writes: also where they stand among the code. */
export async function touchedTests(subject: PatchSubject): Promise<string[]> {
  const { allAfter } = await bodiesOf(subject);
  const written = new Set(allAfter.map(({ path }) => path));
  return subject.changes.flatMap(({ path, headEntry }) =>
    headEntry && (isTestPath(path) || written.has(path)) ? [path] : [],
  );
}

/** The tests that passed, by id; without names one for all. */
function passedIn({ outcome, cases }: CommandRun): ReadonlyMap<string, TestResult> {
  if (cases === null)
    return new Map(
      outcome === 'passed' ? [['', { name: 'the tests', file: null, outcome, duration_ms: null }]] : [],
    );
  return new Map(cases.flatMap((test) => (test.outcome === 'passed' ? [[computeTestId(test), test]] : [])));
}

function known(
  { test, onlyCalls }: Pick<Idle, 'test' | 'onlyCalls'>,
  before: CommandRun | null,
  takenUp: ReadonlyMap<string, TestResult>,
): Idle {
  const id = computeTestId(test);
  const same = (before?.cases ?? []).filter((each) => computeTestId(each) === id);
  const itself = onlyCalls ? undefined : same.find(({ outcome }) => outcome === 'failed');
  return {
    test,
    onlyCalls,
    isNew: same.length === 0 && before?.cases !== null,
    noticedBefore: itself ?? takenUp.get(id) ?? null,
  };
}

const bringsTestsOnly = ({ changes }: PatchSubject): boolean =>
  !changes.some(({ path }) => isProjectCode(path) && !isTestPath(path));

/** A single new test may ask for a constant, or only that something loads; where most are like that, they are for show. */
async function judged(
  subject: PatchSubject,
  idle: readonly Idle[],
  only: CommandRun,
): Promise<GateFinding[]> {
  const { allAfter, allBefore, after } = await bodiesOf(subject);
  const had = new Set(allBefore.map(({ text }) => text));
  const fresh = allAfter.filter(({ text }) => !had.has(text)).length;
  // What only moved is not new, and what no case stands for may be a file that a runner loads without a test in it.
  const written = (test: TestResult): boolean => {
    const text = after(test)?.text;
    return text === undefined ? only.cases === null : !had.has(text);
  };
  const news = idle.filter(({ test, isNew }) => isNew && written(test));
  const ran = Math.max(1, Math.min(fresh, (only.cases ?? []).length));
  const added = await readAddedLines(subject.store, subject.base, subject.tree);
  const isMost =
    news.length > ran / 2 && (bringsTestsOnly(subject) || (await changedFunctions(subject, added.isAdded)));
  return idle.flatMap(({ test, isNew, noticedBefore, onlyCalls }): GateFinding[] =>
    (isNew && written(test)) || noticedBefore !== null
      ? [
          testFinding(
            test,
            {
              rule: 'run_test_asks_nothing',
              passes: !onlyCalls
                ? 'stubbed_and_failing'
                : noticedBefore === null
                  ? 'stubbed_and_on_old_code'
                  : 'stubbed',
              noticedBefore:
                noticedBefore === null || computeTestId(noticedBefore) === computeTestId(test)
                  ? noticedBefore && 'itself'
                  : { replaced: noticedBefore.name },
            },
            noticedBefore !== null || isMost ? 'unclear' : 'reported',
          ),
        ]
      : [],
  );
}
