import type {
  Counterexample,
  CounterexampleResult,
  DropReason,
  Exam,
  ExamPointOutcome,
  ExamPointResult,
} from '../../../shared/contract/exam.ts';
import { MIN_NEIGHBOURS } from '../../../shared/contract/exam.ts';
import { decodeHiddenTestFile } from '../../../shared/contract/submission/hidden-tests.ts';
import { runGitInStore } from '../../../workspace/git/git-store.ts';
import { listFiles } from '../../../workspace/git/list-files.ts';
import type { HiddenTestFiles } from '../../core/hidden-tests-result.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import {
  type ExamSubject,
  type ExamTests,
  type ObservedState,
  type ObservedTest,
  runExamTests,
} from './run-exam-tests.ts';
import {
  BASE_RUNS,
  decidePointOnBase,
  isFailure,
  listOverwrittenPaths,
  type PointOnBase,
} from './validate-on-base.ts';

/** Times that a failing point runs on the patched tree before it counts. */
const PATCH_RUNS = 2;
/** Times that a counterexample runs on each tree. */
const COUNTEREXAMPLE_RUNS = 3;

export type ExamPatch = ExamSubject & Pick<PatchToCheck, 'store' | 'tree'>;

/** A failing test with what its author, its run and its files say. It is for the adjudicator only. */
export interface PrivateFailure {
  readonly index: number;
  readonly requirement: string;
  readonly test: string;
  readonly failure: string | null;
  readonly files: HiddenTestFiles;
}

/** Decides for each failing test whether the task demands it. Tests that it leaves out stay as they are. */
export type ExamAdjudicator = (
  kind: 'point' | 'counterexample',
  failures: readonly PrivateFailure[],
) => Promise<ReadonlyMap<number, ExamPointOutcome>>;

const toFiles = (files: Exam['files']): HiddenTestFiles =>
  files.map((file) => ({
    path: file.path,
    mode: file.executable ? '100755' : '100644',
    content: decodeHiddenTestFile(file),
  }));

const toTests = ({ files, command, points }: Exam): ExamTests => ({
  files: toFiles(files),
  command: command ?? '',
  tests: points.map(({ test }) => test),
});

async function baseTree({ store, base }: Pick<ExamPatch, 'store' | 'base'>): Promise<string> {
  const { stdout } = await runGitInStore(store, ['rev-parse', `${base}^{tree}`]);
  return stdout.toString('utf8').trim();
}

async function readBasePaths({
  store,
  base,
}: Pick<ExamPatch, 'store' | 'base'>): Promise<ReadonlySet<string>> {
  return new Set((await listFiles(store, base)).map(({ path }) => path));
}

/**
 * Runs an exam on the base and decides which of its points count. It has to be called before anything of the patch runs.
 * @param limitMs time limit of one run in milliseconds
 */
export async function validateExamOnBase(
  subject: Omit<ExamPatch, 'tree'>,
  exam: Exam,
  limitMs: number,
): Promise<PointOnBase[]> {
  const tests = toTests(exam);
  if (exam.points.length === 0) return [];
  if (listOverwrittenPaths(tests.files, await readBasePaths(subject)).length > 0)
    return exam.points.map(() => ({ valid: false, reason: 'overwrites_base_file' }));
  const tree = await baseTree(subject);
  const runs: ObservedTest[][] = [];
  for (let run = 0; run < BASE_RUNS; run++) {
    runs.push(await runExamTests(subject, tests, tree, limitMs));
    if (runs[0]?.every(({ state }) => state === 'timed_out' || state === 'could_not_run')) break;
  }
  return exam.points.map(({ on_base }, index) =>
    decidePointOnBase(
      on_base,
      runs.flatMap((run) => run[index]?.state ?? []),
    ),
  );
}

/** Result of a point by its states on the patched tree. */
function decidePointOnPatch(states: readonly ObservedState[]): ExamPointOutcome {
  const [first = 'could_not_run'] = states;
  if (states.some((state) => state !== first)) return { outcome: 'not_run', reason: 'flaky' };
  if (first === 'passed') return { outcome: 'met' };
  if (first === 'failed') return { outcome: 'not_met' };
  return { outcome: 'not_run', reason: first };
}

/**
 * Runs the points that the base has confirmed on the patched tree. A failing point counts once it has failed in every run.
 * @param onBase result of `validateExamOnBase`
 */
export async function runExamOnPatch(
  subject: ExamPatch,
  exam: Exam,
  onBase: readonly PointOnBase[],
  { limitMs, adjudicate = null }: { readonly limitMs: number; readonly adjudicate?: ExamAdjudicator | null },
): Promise<ExamPointResult[]> {
  const counted = onBase.some(({ valid }) => valid);
  const tests = toTests(exam);
  const runs: ObservedTest[][] = [];
  for (let run = 0; counted && run < PATCH_RUNS; run++) {
    if (run > 0 && !onBase.some(({ valid }, index) => valid && runs[0]?.[index]?.state === 'failed')) break;
    runs.push(await runExamTests(subject, tests, subject.tree, limitMs));
  }
  const outcomes = exam.points.map((_, index): ExamPointOutcome => {
    const point = onBase[index] ?? { valid: false, notRun: 'could_not_run' as const };
    if (point.valid) return decidePointOnPatch(runs.flatMap((run) => run[index]?.state ?? []));
    return 'reason' in point
      ? { outcome: 'dropped', reason: point.reason }
      : { outcome: 'not_run', reason: point.notRun };
  });
  const failures = exam.points.flatMap(({ requirement, test }, index): PrivateFailure[] =>
    outcomes[index]?.outcome === 'not_met'
      ? [{ index, requirement, test, failure: runs[0]?.[index]?.failure ?? null, files: tests.files }]
      : [],
  );
  const decided = adjudicate && failures.length > 0 ? await adjudicate('point', failures) : new Map();
  return exam.points.map(({ requirement }, index) => ({
    index,
    requirement,
    result: decided.get(index) ?? outcomes[index] ?? { outcome: 'not_run', reason: 'could_not_run' },
  }));
}

/**
 * Re-runs counterexamples on both trees, test by test, and drops those that do not behave as their author said.
 * @param limitMs time limit of one run in milliseconds
 */
export async function runCounterexamples(
  subject: ExamPatch,
  counterexamples: readonly Counterexample[],
  {
    limitMs,
    adjudicate = null,
    onHeld,
  }: {
    readonly limitMs: number;
    readonly adjudicate?: ExamAdjudicator | null;
    /** Gets counterexamples that hold, each as an exam of its test and its neighbours. */
    readonly onHeld?: (exams: readonly Exam[]) => Promise<void>;
  },
): Promise<CounterexampleResult[]> {
  const [tree, paths] = await Promise.all([baseTree(subject), readBasePaths(subject)]);
  const results: CounterexampleResult[] = [];
  const exams: (Exam | null)[] = [];
  const failures: PrivateFailure[] = [];
  for (const [index, each] of counterexamples.entries()) {
    const { kind, requirement, file, line, input, test } = each;
    const tests: ExamTests = {
      files: toFiles(each.files),
      command: each.command,
      tests: [test, ...each.neighbours],
    };
    const run = (of: string): Promise<ObservedTest[][]> =>
      repeat(() => runExamTests(subject, tests, of, limitMs));
    const isOverwriting = listOverwrittenPaths(tests.files, paths).length > 0;
    const onBase = isOverwriting ? [] : await run(tree);
    const { result, neighbours, failure } = isOverwriting
      ? dropped('overwrites_base_file')
      : decideCounterexample(kind, onBase, await run(subject.tree));
    exams.push(toExam(each, onBase));
    results.push({ index, kind, requirement, file, line, input, neighbours, result });
    if (result.outcome === 'not_met')
      failures.push({ index, requirement, test, failure, files: tests.files });
  }
  const decided =
    adjudicate && failures.length > 0 ? await adjudicate('counterexample', failures) : new Map();
  const final = results.map((each) => ({ ...each, result: decided.get(each.index) ?? each.result }));
  await onHeld?.(
    final.flatMap(({ index, result }) => (result.outcome === 'not_met' ? (exams[index] ?? []) : [])),
  );
  return final;
}

/**
 * Makes an exam of a counterexample and its neighbours, of those that behave on the base in every run alike. Its first point is the
 * counterexample. Null: that one does not behave alike.
 */
function toExam(
  { requirement, command, files, test, neighbours }: Counterexample,
  onBase: readonly (readonly ObservedTest[])[],
): Exam | null {
  const points = [test, ...neighbours].flatMap((name, index): Exam['points'] => {
    const states = onBase.flatMap((run) => run[index]?.state ?? []);
    if (states.length === 0) return [];
    if (states.every((state) => state === 'passed')) return [{ requirement, test: name, on_base: 'passes' }];
    return states.every(isFailure) ? [{ requirement, test: name, on_base: 'fails' }] : [];
  });
  return points[0]?.test !== test
    ? null
    : { command, points, files, open: [], questions: [], confidence: 1, keeps_behaviour: true };
}

async function repeat<Value>(run: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let count = 0; count < COUNTEREXAMPLE_RUNS; count++) values.push(await run());
  return values;
}

interface DecidedCounterexample {
  readonly result: ExamPointOutcome;
  readonly neighbours: number;
  readonly failure: string | null;
}

const dropped = (reason: DropReason): DecidedCounterexample => ({
  result: { outcome: 'dropped', reason },
  neighbours: 0,
  failure: null,
});

/** Decides what the runs of a counterexample and its neighbours on both trees show. */
export function decideCounterexample(
  kind: Counterexample['kind'],
  onBase: readonly (readonly ObservedTest[])[],
  onPatch: readonly (readonly ObservedTest[])[],
): DecidedCounterexample {
  const statesOf = (runs: typeof onBase, index: number): ObservedState[] =>
    runs.flatMap((run) => run[index]?.state ?? []);
  const failsAlways = (index: number): boolean =>
    statesOf(onPatch, index).every((state) => state === 'failed');
  const holdsOnBase = (index: number): boolean =>
    kind === 'requirement' || statesOf(onBase, index).every((state) => state === 'passed');
  const base = statesOf(onBase, 0);
  const patch = statesOf(onPatch, 0);
  if (patch.every((state) => state === 'timed_out' || state === 'could_not_run'))
    return { ...dropped('not_found_on_patch'), result: { outcome: 'not_run', reason: 'could_not_run' } };
  if (kind === 'regression' && !holdsOnBase(0))
    return dropped(
      base.includes('passed')
        ? 'flaky_on_base'
        : base.includes('failed')
          ? 'fails_on_base'
          : 'not_found_on_base',
    );
  // The base always passes and the patched tree sometimes: a fault that comes at random is no fault of the test.
  if (kind === 'regression' && patch.includes('failed') && patch.includes('passed'))
    return { ...dropped('flaky_on_patch'), result: { outcome: 'not_run', reason: 'flaky' } };
  if (!failsAlways(0))
    return dropped(
      patch.every((state) => state === 'passed')
        ? 'passes_on_patch'
        : patch.includes('failed')
          ? 'flaky_on_patch'
          : 'not_found_on_patch',
    );
  const all = (onPatch[0]?.length ?? 1) - 1;
  const neighbours = Array.from({ length: all }, (_, index) => index + 1).filter(
    (index) => failsAlways(index) && holdsOnBase(index),
  ).length;
  if (neighbours < MIN_NEIGHBOURS) return { ...dropped('too_few_neighbours'), neighbours };
  return { result: { outcome: 'not_met' }, neighbours, failure: onPatch[0]?.[0]?.failure ?? null };
}
