import type { RevisionCode } from '../../../code/project-code.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, idsIn } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { TEST_OUTPUT_FILE_PLACEHOLDER } from '../../running/run-command-line.ts';
import {
  type BaseTestFailure,
  type Experiment,
  type ExperimentContext,
  type ExperimentResult,
  type FailureJudgement,
  findingOf,
  NO_RESULT,
} from '../engine/experiment.ts';
import {
  RECORDING_VARIABLE,
  readPureFiles,
  recordCalls,
} from '../perturbations/input-perturbation/record-calls.ts';
import {
  ALL_CALLS,
  answersToReplay,
  isFailure,
  parseRecordedCalls,
  type RecordedCall,
  type ReplayedAnswers,
} from '../perturbations/input-perturbation/recorded-calls.ts';
import { mutantTimeLimitMs } from '../perturbations/mutants.ts';
import {
  type ChangedTests,
  listTouchedTests,
  readProjectInTime,
  treeOfPatchTestsOnOldCode,
  treeWithOnlyTests,
} from '../trees/changed-tests.ts';
import { unexplainedFailures } from './changed-expectations.ts';

/** Asks functions for neighbours of the values that tests ask, on the new code and on the base's. In Python and JavaScript. */
export const hardCodedAnswers: Experiment = {
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
export function hardCodedFunctions(now: readonly RecordedCall[], before: readonly RecordedCall[]): string[] {
  const was = new Map(before.map((each) => [`${each.function}\0${each.argumentsKey}`, each]));
  const byFunction = Map.groupBy(now, (each) => each.function);
  const known = new Set(before.map((each) => each.function));
  return [...byFunction].flatMap(([name, asked]) =>
    (known.has(name) ? isHardCodedChange(asked, was) : isLookupTable(asked)) ? [name] : [],
  );
}

function isHardCodedChange(asked: readonly RecordedCall[], was: ReadonlyMap<string, RecordedCall>): boolean {
  const changed = asked.flatMap((each) => {
    const then = was.get(`${each.function}\0${each.argumentsKey}`);
    return then && then.answer !== each.answer && !isFailure(each.answer) ? [{ each, then }] : [];
  });
  if (changed.length < MIN_CALLS) return false;
  let same = 0;
  for (const { each, then } of changed) {
    const before = new Map(then.neighbours.map((one) => [one.argumentsKey, one.answer]));
    for (const one of each.neighbours.filter(({ kind }) => kind === 'n' || kind === 't')) {
      const old = before.get(one.argumentsKey);
      // An answer that agrees with its neighbour's shows where a step is, not a hard-coded point.
      if (old !== one.answer || one.answer === each.answer) return false;
      if (!isFailure(old)) same++;
    }
  }
  return same >= MIN_NEIGHBOURS;
}

function isLookupTable(asked: readonly RecordedCall[]): boolean {
  const answered = asked.filter(({ answer }) => !isFailure(answer));
  const all = new Set(asked.map((each) => each.argumentsKey));
  if (new Set(answered.map(({ answer }) => answer)).size < MIN_ANSWERS) return false;
  if (answered.some(({ neighbours }) => !neighbours.some(({ kind }) => kind === 'n'))) return false;
  const beside = answered.flatMap((each) => each.neighbours).filter(({ kind }) => kind === 'n');
  const others = new Set(
    beside
      .filter((one) => ![...all].some((key) => key.includes(one.argumentsKey)))
      .map(({ answer }) => answer),
  );
  return beside.length >= MIN_NEIGHBOURS && ([...others].every(isFailure) || others.size === 1);
}

/** Fewest values that failed on the base and no longer do. */
const MIN_HIDDEN_FAILURES = 2;

/**
 * Functions that failed for meaningless values, and now give all of them one answer without a test that expects it: they discard a
 * failure and make something up.
 */
export function functionsHidingFailures(
  now: readonly RecordedCall[],
  before: readonly RecordedCall[],
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
          (kind === 'w' || kind === 'x') && isFailure(old.get(argumentsKey) ?? '') && !isFailure(answer),
      );
    });
    const isAsked = pairs.some(
      ({ each, then }) => isFailure(then.answer) && made.some(({ answer }) => answer === each.answer),
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
}: ExperimentContext): Promise<ExperimentResult> {
  const touched = await listTouchedTests(subject);
  if (!touched.some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path))) return NO_RESULT;
  const project = await readProjectInTime(subject);
  if (project === null) return NO_RESULT;
  const record = async (
    tree: string,
    side: RevisionCode,
    answers?: ReplayedAnswers,
  ): Promise<RecordedCall[]> => {
    const options = answers === undefined ? {} : { answers };
    const recording = await recordCalls(subject, tree, await readPureFiles(subject, side), options);
    if (recording === null) return [];
    const { sideFileText = null } = await runTests(recording, {
      limitMs: mutantTimeLimitMs(run),
      environment: { [RECORDING_VARIABLE]: TEST_OUTPUT_FILE_PLACEHOLDER },
    });
    return parseRecordedCalls(sideFileText ?? '');
  };
  const now = await record(await treeWithOnlyTests(subject, subject.tree, touched), project.head);
  if (now.length < MIN_CALLS) return NO_RESULT;
  const oldCode = await treeOfPatchTestsOnOldCode(subject, inventory.changedTests);
  const before = await record(oldCode, project.base, answersToReplay(now));
  const suspect =
    (rule: 'run_answers_learnt' | 'run_failure_hidden', severity: GateFinding['severity']) =>
    (name: string): GateFinding => {
      const [file = null, own = name] = name.split('#');
      return findingOf({ file, severity: severity, cause: { rule, function: own } });
    };
  return {
    findings: [
      ...hardCodedFunctions(now, before).map(suspect('run_answers_learnt', 'warning')),
      // A note: on cases that others had written it found nothing.
      ...functionsHidingFailures(now, before).map(suspect('run_failure_hidden', 'info')),
    ],
    facts: { calls_compared: now.length },
  };
}

/**
 * Lets the new code answer the very values that base tests ask as the base did, and all others as it does. Where those tests pass now,
 * these values are why they failed; where the patch's tests pass as well, none of them covers these values any more: rows of a table
 * are gone, or a generator makes up others. In Python and JavaScript, for functions that only compute.
 */
export const valueReplay: Experiment = {
  id: 'value_replay',
  evidence: 'optional',
  tree: 'both',
  tests: 'both_versions',
  perturbation: 'base_answers',
  needs: [],
  when: 'undecided',
  applies: (context) =>
    unexplainedFailures(context).length > 0 &&
    (context.inventory.changedTests?.baseTestFiles ?? []).some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path)),
  run: async (context) => {
    const { changedTests } = context.inventory;
    return changedTests === null ? NO_RESULT : replayBaseValues(changedTests, context);
  },
};

async function replayBaseValues(
  changed: ChangedTests,
  context: ExperimentContext,
): Promise<ExperimentResult> {
  const { subject, runTests, run } = context;
  const project = await readProjectInTime(subject);
  if (project === null) return NO_RESULT;
  const record = async (
    tree: string,
    side: RevisionCode,
    answers: ReplayedAnswers = new Map(),
  ): Promise<CommandRun | null> => {
    const files = await readPureFiles(subject, side);
    const recording =
      files.size === 0 ? null : await recordCalls(subject, tree, files, { answers, extent: ALL_CALLS });
    const options = {
      limitMs: mutantTimeLimitMs(run),
      environment: { [RECORDING_VARIABLE]: TEST_OUTPUT_FILE_PLACEHOLDER },
    };
    return recording === null ? null : runTests(recording, options);
  };
  const onBase = await record(
    await treeWithOnlyTests(subject, subject.base, changed.baseTestFiles),
    project.base,
  );
  const calls = parseRecordedCalls(onBase?.sideFileText ?? '').filter(({ answer }) => !isFailure(answer));
  if (calls.length === 0) return NO_RESULT;
  const answers = answersToReplay(calls);
  const baseAnswers = new Map(calls.map((each) => [callKey(each), each.answer]));
  const failures = unexplainedFailures(context);
  const explained: BaseTestFailure[] = [];
  for (const tree of new Set(failures.map((each) => each.tree))) {
    const replayed = await record(tree, project.head, answers);
    const isDifferent = parseRecordedCalls(replayed?.sideFileText ?? '').some(
      (each) => (baseAnswers.get(callKey(each)) ?? each.answer) !== each.answer,
    );
    const passing = idsIn(replayed?.cases ?? null, 'passed');
    for (const each of failures)
      if (isDifferent && each.tree === tree && passing.has(computeTestId(each.test))) explained.push(each);
  }
  if (explained.length === 0) return NO_RESULT;
  const patchTests = await treeWithOnlyTests(subject, subject.tree, changed.patchPaths);
  for (const tree of [patchTests, subject.tree])
    if ((await record(tree, project.head, answers))?.outcome !== 'passed') return NO_RESULT;
  const judgements = new Map<BaseTestFailure, FailureJudgement>(context.failures);
  for (const each of explained) judgements.set(each, { code: 'values_not_tested' });
  return { findings: [], facts: {}, failures: judgements };
}

const callKey = ({ function: name, argumentsKey }: RecordedCall): string => `${name}\0${argumentsKey}`;
