import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as z from 'zod';
import { Challenge, ChallengeManifest, Exam, ExamManifest } from '../../shared/contract/exam.ts';
import type { RepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { isInside, realPath } from '../check/resolve-cache-folder.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { readTestFolder } from '../hidden-tests.ts';

/** File of an exam's folder, and the subfolder with its test files. */
export const EXAM_FILE = 'exam.json';
export const EXAM_TEST_FOLDER = 'exam';
/** File of a folder with counterexamples. */
const CHALLENGE_FILE = 'challenge.json';

/**
 * Refuses a folder among the files of the repository: a check would take it for part of the patch, and show it to the code under test.
 * @throws CliError
 */
export async function refuseFolderInCheckout(
  { workTreeRoot }: Pick<RepositoryLayout, 'workTreeRoot'>,
  folder: string,
  cwd: string,
): Promise<void> {
  if (isInside(await realPath(resolve(cwd, folder)), await realPath(workTreeRoot)))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'exam_in_checkout',
      `${folder} is among the files that are checked.`,
      {
        hint: 'The code under test could read it. Name a folder outside of the repository.',
      },
    );
}

const invalid = (file: string, details: readonly { where: string; message: string }[]): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'bad_exam', `${file} cannot be used.`, {
    details,
    hint: 'docs/how-to/acceptance-tests.md describes the format; `assay exam init` writes an example.',
  });

/** Reads and checks a JSON file. @throws CliError that names each refused field */
function readJson<Schema extends z.ZodType>(schema: Schema, file: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid(file, [{ where: file, message: error instanceof Error ? error.message : String(error) }]);
  }
  return parseValue(schema, value, file);
}

function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  file: string,
): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data as z.output<Schema>;
  throw invalid(
    file,
    error.issues.slice(0, 20).map(({ path, message }) => ({ where: `${file}: ${path.join('.')}`, message })),
  );
}

/** Reads an exam from its folder: `exam.json`, and the test files in `exam/`. @throws CliError */
export function readExamFolder(folder: string, cwd: string): Exam {
  const place = resolve(cwd, folder);
  const file = join(place, EXAM_FILE);
  const manifest = readJson(ExamManifest, file);
  const files =
    manifest.points.length === 0
      ? []
      : readTestFolder(
          join(folder, EXAM_TEST_FOLDER),
          join(place, EXAM_TEST_FOLDER),
          'bad_exam',
          'an exam has its test files in exam/',
        );
  return parseValue(Exam, { ...manifest, files }, file);
}

/** Reads counterexamples from a folder: `challenge.json`, and a subfolder of test files for each. @throws CliError */
export function readChallengeFolder(folder: string, cwd: string): Challenge {
  const place = resolve(cwd, folder);
  const file = join(place, CHALLENGE_FILE);
  const { counterexamples, ...manifest } = readJson(ChallengeManifest, file);
  return parseValue(
    Challenge,
    {
      ...manifest,
      counterexamples: counterexamples.map(({ folder: own, ...each }) => ({
        ...each,
        files: readTestFolder(
          join(folder, own),
          join(place, own),
          'bad_exam',
          'each counterexample has a folder of test files',
        ),
      })),
    },
    file,
  );
}
