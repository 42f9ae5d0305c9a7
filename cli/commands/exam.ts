import { resolve } from 'node:path';
import type { PatchTask } from '../../gates/core/judge.ts';
import {
  type ExamDefect,
  findExamDefect,
  type PointOnBase,
} from '../../gates/tests/exam/validate-on-base.ts';
import type { Exam } from '../../shared/contract/exam.ts';
import { findRepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { parseCheckTaskFile } from '../check/check-inputs.ts';
import { runCheck } from '../check/run-check.ts';
import { readInputFile, toCheckUsageError } from '../check/usage-errors.ts';
import { refuseFolderInCheckout } from '../exam/exam-folder.ts';
import { writeExamFolder } from '../exam/write-exam-folder.ts';
import { CLI_EXIT_CODES } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import { renderTable } from '../output/table.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { CHECKED_REPOSITORY_OPTIONS, COUNTEREXAMPLES_OPTION } from '../shared-options.ts';

const ARGUMENTS = { task: defineArgument('<task>', 'YAML or JSON file of the task') };
const OPTIONS = {
  exam: defineOption('--exam <folder>', 'folder of the exam, outside of the repository', { required: true }),
  repo: CHECKED_REPOSITORY_OPTIONS.repo,
};

function parseTask(text: string, file: string): PatchTask {
  try {
    return parseCheckTaskFile(text, file).task;
  } catch (error) {
    throw toCheckUsageError(error);
  }
}

/** `exam init`: an empty exam with instructions. */
const initCommand = defineLocalCommand({
  name: 'exam init',
  description: 'Write an empty exam with instructions for a task',
  arguments: ARGUMENTS,
  options: OPTIONS,
  json: '`--json` prints `{"files": ["../exam/README.md"]}`.',
  examples: [['exam init task.yaml --exam ../exam', 'a folder to write acceptance tests in']],
  run: async (session, { task, exam, repo }) => {
    const { cwd } = session.io;
    const parsed = parseTask(await readInputFile(cwd, task), task);
    const layout = await findRepositoryLayout(resolve(cwd, repo)).catch(() => null);
    if (layout) await refuseFolderInCheckout(layout, exam, cwd);
    const files = await writeExamFolder(exam, cwd, parsed);
    session.show({ files }, () => `Written:\n${files.map((file) => `  ${file}`).join('\n')}`);
    return CLI_EXIT_CODES.ok;
  },
});

const describePoint = (point: PointOnBase | undefined): string => {
  if (point === undefined) return 'not run';
  if (point.valid) return 'valid';
  return 'reason' in point
    ? `dropped: ${point.reason.replaceAll('_', ' ')}`
    : `could not run: ${point.notRun.replaceAll('_', ' ')}`;
};

/** The exam that a check has validated. */
function requireExam(exam: Exam | null): Exam {
  if (exam === null) throw new Error('the exam was not validated');
  return exam;
}

const EXAM_DEFECTS: Readonly<Record<ExamDefect, string>> = {
  no_valid_point: 'no point behaves on the base as it says',
  shows_no_change: 'no valid point fails on the base, so none shows the change',
};

/** `exam check`: validates an exam on the base commit, for its author. */
const checkCommand = defineLocalCommand({
  name: 'exam check',
  description: 'Validate an exam: run it three times on the base commit, without any patch',
  arguments: ARGUMENTS,
  options: { ...OPTIONS, base: CHECKED_REPOSITORY_OPTIONS.base },
  json: '`--json` prints `{"usable": true, "points": [{"requirement": "text", "test": "name", "on_base": "fails", "state": "valid"}], "open": [], "questions": []}`. `state` is `valid`, `dropped: <reason>` or `could not run: <reason>`.',
  examples: [['exam check task.yaml --exam ../exam --base main', 'what the base says about each point']],
  run: async (session, { task, exam: folder, repo, base }) => {
    const { cwd } = session.io;
    let onBase: readonly PointOnBase[] = [];
    let exam: Exam | null = null;
    await runCheck(
      {
        repo,
        base,
        task,
        exam: folder,
        examMode: 'advise',
        examOnly: {
          only: 'base',
          onValidated: async (states, validated) => {
            onBase = states;
            exam = validated;
          },
        },
      },
      cwd,
    );
    const { points: given, open, questions } = requireExam(exam);
    const points = given.map((point, index) => ({ ...point, state: describePoint(onBase[index]) }));
    const defect = findExamDefect(requireExam(exam), onBase);
    const usable = defect === null;
    session.show({ usable, points, open, questions }, () =>
      [
        renderTable(
          [
            { title: 'REQUIREMENT', shrinkTo: 30 },
            { title: 'TEST', shrinkTo: 30 },
            { title: 'BASE' },
            { title: 'STATE' },
          ],
          points.map(({ requirement, test, on_base, state }) => [requirement, test, on_base, state]),
          session.io.stdout.columns,
        ),
        ...questions.map((question) => `question: ${question}`),
        defect === null ? 'The exam can be used.' : `The exam cannot be used: ${EXAM_DEFECTS[defect]}.`,
      ].join('\n'),
    );
    return usable ? CLI_EXIT_CODES.ok : CLI_EXIT_CODES.failed;
  },
});

/** `exam run`: runs an exam on the working tree, without gates. */
const runCommand = defineLocalCommand({
  name: 'exam run',
  description: 'Run an exam on the working tree, without gates',
  arguments: ARGUMENTS,
  options: { ...OPTIONS, base: CHECKED_REPOSITORY_OPTIONS.base, counterexamples: COUNTEREXAMPLES_OPTION },
  json: '`--json` prints `{"results": [...]}`: the entries of the exam and of the counterexamples as in `gates` of `assay check --json`.',
  examples: [['exam run task.yaml --exam ../exam --base main', 'which requirements the working tree meets']],
  run: async (session, { task, exam, counterexamples, repo, base }) => {
    const { evidence } = await runCheck(
      { repo, base, task, exam, counterexamples, examMode: 'gate', examOnly: { only: 'both_trees' } },
      session.io.cwd,
    );
    const results = evidence.gates.filter(({ independent }) => independent);
    session.show({ results }, () =>
      results.map(({ name, outcome, detail }) => `${name} ${outcome}: ${detail}`).join('\n'),
    );
    if (results.some(({ outcome }) => outcome === 'failed')) return CLI_EXIT_CODES.failed;
    return results.some(({ outcome }) => outcome === 'could_not_run')
      ? CLI_EXIT_CODES.needsReview
      : CLI_EXIT_CODES.ok;
  },
});

/** Commands of people and their tools who write acceptance tests. */
export const examCommands = [initCommand, checkCommand, runCommand];
