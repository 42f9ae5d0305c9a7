import type { RevisionCode } from '../../../code/project-code.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { TEST_OUTPUT_FILE_PLACEHOLDER } from '../../running/run-command-line.ts';
import type { Experiment } from '../engine/experiment.ts';
import {
  type BaseTestFailure,
  type ExperimentContext,
  type ExperimentResult,
  type FailureJudgement,
  NO_RESULT,
} from '../engine/experiment-context.ts';
import { readPureFiles } from '../perturbations/input-perturbation/pure-files.ts';
import {
  RECORDING_VARIABLE,
  type ReplayedAnswers,
  recordCalls,
} from '../perturbations/input-perturbation/record-calls.ts';
import {
  answersToReplay,
  isFailure,
  parseRecordedCalls,
  type RecordedCall,
} from '../perturbations/input-perturbation/recorded-calls.ts';
import { ALL_CALLS } from '../perturbations/input-perturbation/recording-extent.ts';
import { mutantTimeLimitMs } from '../perturbations/ready-mutants.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { readProjectInTime, treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { unexplainedFailures } from './changed-expectations.ts';
import { idsIn } from './outcomes.ts';

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
