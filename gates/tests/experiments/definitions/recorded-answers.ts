import type { RevisionCode } from '../../../code/project-code.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { collectTestIdsByOutcome, computeTestId } from '../../../core/test-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import { TEST_OUTPUT_FILE_PLACEHOLDER } from '../../running/run-command-line.ts';
import {
  type BaseFailureAssessment,
  type BaseTestFailure,
  createExperimentFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import {
  CALL_RECORDING_FILE_VARIABLE,
  findSideEffectFreeFiles,
  writeTreeWithCallRecording,
} from '../perturbations/input-perturbation/record-calls.ts';
import {
  ALL_CALLS_RECORDING_LIMITS,
  isThrownAnswer,
  parseRecordedFunctionCalls,
  type RecordedFunctionCall,
  type ReplayedReturnValues,
  selectReturnValuesToReplay,
} from '../perturbations/input-perturbation/recorded-calls.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import {
  type ChangedBaseTestFiles,
  listTestFilesInPatch,
  readProjectCodeWithinTimeLimit,
  writeBaseTreeWithChangedPatchTests,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';
import { findUnexplainedBaseTestFailures } from './changed-expectations.ts';

/** Asks functions for neighbours of the values that tests ask, on the new code and on the base's. In Python and JavaScript. */
export const hardCodedAnswersExperiment: TestExperiment = {
  id: 'hard_coded_answers',
  evidence: 'optional',
  tree: 'both',
  tests: 'patch_version',
  perturbation: 'inputs',
  needs: ['mutants'],
  when: 'undecided',
  applies: () => true,
  run: findHardCodedAnswers,
};

/** Least evidence: calls whose answer changed, different answers of a new function, and neighbours. */
const MIN_CALLS = 2;
const MIN_ANSWERS = 3;
const MIN_NEIGHBOURS = 4;

/**
 * Functions with hard-coded answers. One that the base has answers what tests ask otherwise than before, and all neighbours as before,
 * as if it were another function on those points. A new one has an answer for each number that tests ask, and fails for every
 * neighbour, or has one answer for all of them.
 */
export function findFunctionsWithHardCodedAnswers(
  now: readonly RecordedFunctionCall[],
  before: readonly RecordedFunctionCall[],
): string[] {
  const was = new Map(before.map((each) => [`${each.function}\0${each.argumentsKey}`, each]));
  const byFunction = Map.groupBy(now, (each) => each.function);
  const known = new Set(before.map((each) => each.function));
  return [...byFunction].flatMap(([name, asked]) =>
    (known.has(name) ? isHardCodedChange(asked, was) : isLookupTable(asked)) ? [name] : [],
  );
}

function isHardCodedChange(
  asked: readonly RecordedFunctionCall[],
  was: ReadonlyMap<string, RecordedFunctionCall>,
): boolean {
  const changed = asked.flatMap((each) => {
    const then = was.get(`${each.function}\0${each.argumentsKey}`);
    return then && then.answer !== each.answer && !isThrownAnswer(each.answer) ? [{ each, then }] : [];
  });
  if (changed.length < MIN_CALLS) return false;
  let same = 0;
  for (const { each, then } of changed) {
    const before = new Map(then.neighbours.map((one) => [one.argumentsKey, one.answer]));
    for (const one of each.neighbours.filter(({ kind }) => kind === 'n' || kind === 't')) {
      const old = before.get(one.argumentsKey);
      // An answer that agrees with its neighbour's shows where a step is, not a hard-coded point.
      if (old !== one.answer || one.answer === each.answer) return false;
      if (!isThrownAnswer(old)) same++;
    }
  }
  return same >= MIN_NEIGHBOURS;
}

function isLookupTable(asked: readonly RecordedFunctionCall[]): boolean {
  const answered = asked.filter(({ answer }) => !isThrownAnswer(answer));
  const all = new Set(asked.map((each) => each.argumentsKey));
  if (new Set(answered.map(({ answer }) => answer)).size < MIN_ANSWERS) return false;
  if (answered.some(({ neighbours }) => !neighbours.some(({ kind }) => kind === 'n'))) return false;
  const beside = answered.flatMap((each) => each.neighbours).filter(({ kind }) => kind === 'n');
  const others = new Set(
    beside
      .filter((one) => ![...all].some((key) => key.includes(one.argumentsKey)))
      .map(({ answer }) => answer),
  );
  return beside.length >= MIN_NEIGHBOURS && ([...others].every(isThrownAnswer) || others.size === 1);
}

/** Fewest values that failed on the base and no longer do. */
const MIN_HIDDEN_FAILURES = 2;

/**
 * Functions that failed for meaningless values, and now give all of them one answer without a test that expects it: they discard a
 * failure and make something up.
 */
export function findFunctionsHidingFailures(
  now: readonly RecordedFunctionCall[],
  before: readonly RecordedFunctionCall[],
): string[] {
  const was = new Map(before.map((each) => [`${each.function}\0${each.argumentsKey}`, each]));
  return [...Map.groupBy(now, (each) => each.function)].flatMap(([name, asked]) => {
    const pairs = asked.flatMap((each) => {
      const then = was.get(`${name}\0${each.argumentsKey}`);
      return then ? [{ each, then }] : [];
    });
    const made = pairs.flatMap(({ each, then }) => {
      const old = new Map(then.neighbours.map((one) => [one.argumentsKey, one.answer]));
      return each.neighbours.filter(
        ({ kind, argumentsKey, answer }) =>
          (kind === 'w' || kind === 'x') &&
          isThrownAnswer(old.get(argumentsKey) ?? '') &&
          !isThrownAnswer(answer),
      );
    });
    const isAsked = pairs.some(
      ({ each, then }) => isThrownAnswer(then.answer) && made.some(({ answer }) => answer === each.answer),
    );
    const isOne = new Set(made.map(({ answer }) => answer)).size === 1;
    const isMany = new Set(made.map((one) => one.argumentsKey)).size >= MIN_HIDDEN_FAILURES;
    return !isAsked && isOne && isMany && made.some(({ kind }) => kind === 'w') ? [name] : [];
  });
}

async function findHardCodedAnswers({
  subject,
  run,
  runTests,
  inventory,
}: ExperimentInput): Promise<ExperimentResult> {
  const touched = await listTestFilesInPatch(subject);
  if (!touched.some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path))) return EMPTY_EXPERIMENT_RESULT;
  const project = await readProjectCodeWithinTimeLimit(subject);
  if (project === null) return EMPTY_EXPERIMENT_RESULT;
  const record = async (
    tree: string,
    side: RevisionCode,
    answers?: ReplayedReturnValues,
  ): Promise<RecordedFunctionCall[]> => {
    const options = answers === undefined ? {} : { answers };
    const recording = await writeTreeWithCallRecording(
      subject,
      tree,
      await findSideEffectFreeFiles(subject, side),
      options,
    );
    if (recording === null) return [];
    const { sideFileText = null } = await runTests(recording, {
      limitMs: computeMutantTimeLimitMs(run),
      environment: { [CALL_RECORDING_FILE_VARIABLE]: TEST_OUTPUT_FILE_PLACEHOLDER },
    });
    return parseRecordedFunctionCalls(sideFileText ?? '');
  };
  const now = await record(await writeTreeWithOnlyTests(subject, subject.tree, touched), project.head);
  if (now.length < MIN_CALLS) return EMPTY_EXPERIMENT_RESULT;
  const oldCode = await writeBaseTreeWithChangedPatchTests(subject, inventory.changedTests);
  const before = await record(oldCode, project.base, selectReturnValuesToReplay(now));
  const suspect =
    (rule: 'run_answers_learnt' | 'run_failure_hidden', severity: GateFinding['severity']) =>
    (name: string): GateFinding => {
      const [file = null, own = name] = name.split('#');
      return createExperimentFinding({ file, severity: severity, cause: { rule, function: own } });
    };
  return {
    findings: [
      ...findFunctionsWithHardCodedAnswers(now, before).map(suspect('run_answers_learnt', 'warning')),
      // A note: on cases that others had written it found nothing.
      ...findFunctionsHidingFailures(now, before).map(suspect('run_failure_hidden', 'info')),
    ],
    facts: { calls_compared: now.length },
  };
}

/**
 * Lets the new code answer the very values that base tests ask as the base did, and all others as it does. Where those tests pass now,
 * these values are why they failed; where the patch's tests pass as well, none of them covers these values any more: rows of a table
 * are gone, or a generator makes up others. In Python and JavaScript, for functions that only compute.
 */
export const valueReplayExperiment: TestExperiment = {
  id: 'value_replay',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'base_answers',
  needs: [],
  when: 'undecided',
  applies: (context) =>
    findUnexplainedBaseTestFailures(context).length > 0 &&
    (context.inventory.changedTests?.baseTestFiles ?? []).some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path)),
  run: async (context) => {
    const { changedTests } = context.inventory;
    return changedTests === null ? EMPTY_EXPERIMENT_RESULT : replayBaseValues(changedTests, context);
  },
};

async function replayBaseValues(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): Promise<ExperimentResult> {
  const { subject, runTests, run } = context;
  const project = await readProjectCodeWithinTimeLimit(subject);
  if (project === null) return EMPTY_EXPERIMENT_RESULT;
  const record = async (
    tree: string,
    side: RevisionCode,
    answers: ReplayedReturnValues = new Map(),
  ): Promise<CompletedCommandRun | null> => {
    const files = await findSideEffectFreeFiles(subject, side);
    const recording =
      files.size === 0
        ? null
        : await writeTreeWithCallRecording(subject, tree, files, {
            answers,
            extent: ALL_CALLS_RECORDING_LIMITS,
          });
    const options = {
      limitMs: computeMutantTimeLimitMs(run),
      environment: { [CALL_RECORDING_FILE_VARIABLE]: TEST_OUTPUT_FILE_PLACEHOLDER },
    };
    return recording === null ? null : runTests(recording, options);
  };
  const onBase = await record(
    await writeTreeWithOnlyTests(subject, subject.base, changed.baseTestFiles),
    project.base,
  );
  const calls = parseRecordedFunctionCalls(onBase?.sideFileText ?? '').filter(
    ({ answer }) => !isThrownAnswer(answer),
  );
  if (calls.length === 0) return EMPTY_EXPERIMENT_RESULT;
  const answers = selectReturnValuesToReplay(calls);
  const baseAnswers = new Map(calls.map((each) => [callKey(each), each.answer]));
  const failures = findUnexplainedBaseTestFailures(context);
  const explained: BaseTestFailure[] = [];
  for (const tree of new Set(failures.map((each) => each.tree))) {
    const replayed = await record(tree, project.head, answers);
    const isDifferent = parseRecordedFunctionCalls(replayed?.sideFileText ?? '').some(
      (each) => (baseAnswers.get(callKey(each)) ?? each.answer) !== each.answer,
    );
    const passing = collectTestIdsByOutcome(replayed?.cases ?? null, 'passed');
    for (const each of failures)
      if (isDifferent && each.tree === tree && passing.has(computeTestId(each.test))) explained.push(each);
  }
  if (explained.length === 0) return EMPTY_EXPERIMENT_RESULT;
  const patchTests = await writeTreeWithOnlyTests(subject, subject.tree, changed.patchPaths);
  for (const tree of [patchTests, subject.tree])
    if ((await record(tree, project.head, answers))?.outcome !== 'passed') return EMPTY_EXPERIMENT_RESULT;
  const judgements = new Map<BaseTestFailure, BaseFailureAssessment>(context.failures);
  for (const each of explained) judgements.set(each, { code: 'values_not_tested' });
  return { findings: [], facts: {}, failures: judgements };
}

const callKey = ({ function: name, argumentsKey }: RecordedFunctionCall): string =>
  `${name}\0${argumentsKey}`;
