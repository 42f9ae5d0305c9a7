import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PatchTask } from '../../gates/core/judge.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { EXAM_FILE, EXAM_TEST_FOLDER } from './exam-folder.ts';

const EMPTY_EXAM = {
  command: null,
  points: [],
  open: [],
  questions: ['Replace this question by points, or by what the task has to say before it can be tested.'],
  confidence: 0.5,
};

const EXAMPLE = {
  command: 'node --test test/exam.test.js',
  points: [
    { requirement: 'each unit at most once', test: 'exam: a unit twice', on_base: 'passes' },
    { requirement: 'values may be combined', test: 'exam: combined values', on_base: 'fails' },
  ],
  open: ['wording of the error'],
  questions: [],
  confidence: 0.9,
};

const instructions = ({
  title,
  description = '',
}: Pick<PatchTask, 'title' | 'description'>): string => `# Acceptance tests

Write tests for this task. Read the task and the base commit, and no patch.

## Task

${title}

${description}

## What to write

- New test files in \`${EXAM_TEST_FOLDER}/\`, which mirrors the checkout. They are laid over the tree; none may replace a file of the base.
- \`command\` in \`${EXAM_FILE}\`: one command of a test runner that names each test in its report, for example \`node --test\`,
  \`pytest\`, \`python3 -m unittest\`, \`go test\`, \`cargo test\`, \`vitest run\` or \`jest\`.
- One entry in \`points\` for each test: the requirement in the task's words, the name of the test, and what it does on the base commit.
  At least one point fails there, unless \`keeps_behaviour\` is true.
- \`open\`: what the task leaves open. Test none of it.
- \`questions\`: what the task has to say before it can be tested. An exam with questions needs no points.
- The requirement is shown to the author of the patch; tests and their output are not.

## Example of \`${EXAM_FILE}\`

\`\`\`json
${JSON.stringify(EXAMPLE, null, 2)}
\`\`\`

Then run \`assay exam check TASK --exam FOLDER\`: it runs the tests three times on the base commit.
`;

/** Writes an empty exam with instructions. @throws CliError for a folder that has files */
export async function writeExamFolder(
  folder: string,
  cwd: string,
  task: Pick<PatchTask, 'title' | 'description'>,
): Promise<readonly string[]> {
  const place = resolve(cwd, folder);
  if ((await readdir(place).catch(() => [])).length > 0)
    throw new CliError(CLI_EXIT_CODES.usage, 'folder_not_empty', `${folder} has files already.`, {
      hint: 'Name a new or an empty folder.',
    });
  await mkdir(join(place, EXAM_TEST_FOLDER), { recursive: true });
  await writeFile(join(place, 'README.md'), instructions(task));
  await writeFile(join(place, EXAM_FILE), `${JSON.stringify(EMPTY_EXAM, null, 2)}\n`);
  return ['README.md', EXAM_FILE, `${EXAM_TEST_FOLDER}/`].map((name) => join(folder, name));
}
