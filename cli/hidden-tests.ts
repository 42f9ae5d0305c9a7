import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { HiddenTests } from '../shared/contract/submission/hidden-tests.ts';
import type { TaskSubmissionInput } from '../shared/contract/submission/schema.ts';
import { CLI_EXIT_CODES, CliError, type CliErrorDetail } from './exit.ts';
import type { CommandIo } from './io.ts';
import { toPosixPath } from './posix-path.ts';

type Input = NonNullable<TaskSubmissionInput['hidden_tests']>;
type TestFileInput = Extract<Input, { kind: 'files' }>['files'][number];

/** Reads the tests that `--hidden-tests` names, and checks them like the API. @throws CliError that names each file */
export function readHiddenTests(what: string, io: Pick<CommandIo, 'cwd'>): Input {
  const tests = what.includes('://') ? inRepository(what) : inFolder(what, resolve(io.cwd, what));
  const result = HiddenTests.safeParse(tests);
  if (result.success) return tests;
  throw refuse(
    what,
    result.error.issues.map(({ path, message }) => ({ where: placeOf(tests, path, what), message })),
  );
}

const refuse = (what: string, details: readonly CliErrorDetail[]): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'bad_hidden_tests', `The hidden tests in ${what} were not sent.`, {
    details,
  });

function placeOf(tests: Input, [, index]: readonly PropertyKey[], what: string): string {
  const path = tests.kind === 'files' && typeof index === 'number' ? tests.files[index]?.path : undefined;
  return path === undefined ? what : join(what, path);
}

function inRepository(what: string): Input {
  const [repository = '', rest = ''] = what.split(/#(.*)/s);
  const [ref = '', folder] = rest.split(/:(.*)/s);
  return { kind: 'git', repository, ...(ref && { ref }), ...(folder && { folder }) };
}

const inFolder = (what: string, folder: string): Input => ({
  kind: 'files',
  files: readTestFolder(what, folder, 'bad_hidden_tests', '--hidden-tests takes a folder or URL#REF'),
});

/**
 * Reads all files of a folder that mirrors a checkout, in the order of their paths.
 * @param code of the errors
 * @param rule what the caller takes, for messages
 * @throws CliError for a missing folder and for entries that are not files
 */
export function readTestFolder(
  what: string,
  folder: string,
  code: 'bad_hidden_tests' | 'bad_exam',
  rule: string,
): TestFileInput[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory())
    throw new CliError(
      CLI_EXIT_CODES.usage,
      code,
      `${what} ${found ? 'is not a folder' : 'does not exist'}; ${rule}.`,
    );
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  const pathOf = (entry: Dirent): string => toPosixPath(relative(folder, join(entry.parentPath, entry.name)));
  const odd = entries.filter((entry) => !entry.isFile());
  if (odd.length > 0)
    throw new CliError(CLI_EXIT_CODES.usage, code, `The test files in ${what} cannot be used.`, {
      details: odd.map((entry) => ({
        where: join(what, pathOf(entry)),
        message: 'is not a file, such as a symbolic link',
      })),
    });
  const files = entries.map((entry) => {
    const content = readFileSync(join(entry.parentPath, entry.name));
    const executable = (statSync(join(entry.parentPath, entry.name)).mode & 0o100) !== 0;
    // The API refuses NUL in every field.
    const text = isUtf8(content) && !content.includes(0);
    return {
      path: pathOf(entry),
      content: content.toString(text ? 'utf8' : 'base64'),
      ...(text ? {} : { encoding: 'base64' as const }),
      ...(executable ? { executable } : {}),
    };
  });
  // Folders are listed in any order; sorted, the same tests are the same request.
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
