import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type * as z from 'zod';
import { SubmitTaskBatchBody } from '../shared/api/task-schemas.ts';
import { TaskSubmission, type TaskSubmissionInput } from '../shared/contract/submission/schema.ts';
import { readExamFolder } from './exam/exam-folder.ts';
import { CLI_EXIT_CODES, CliError, type CliErrorDetail } from './exit.ts';
import type { CommandIo } from './io.ts';

type Path = readonly PropertyKey[];

/** The tasks of a file: one task, a list of tasks, or `{tasks: [...]}`; `batch` is false for a single task. */
export interface TaskFile {
  readonly tasks: readonly TaskSubmissionInput[];
  readonly batch: boolean;
}

/** Reads the text of a file; `-` is standard input. */
async function readText(file: string, io: CommandIo): Promise<string> {
  if (file === '-') return io.readStdin();
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
    throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_file', `${file} ${why}.`, {
      hint: 'Give a YAML or JSON file with one task, a list of tasks, or {tasks: [...]}; `-` reads standard input.',
    });
  }
}

/** Finds the line (1-based) of a path; for a missing field, the line of its parent. */
function findLine(document: Document, lines: LineCounter, path: Path, unknownKey?: string): number | null {
  for (let length = path.length; length >= 0; length--) {
    const parent = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (unknownKey !== undefined && length === path.length && isMap(parent)) {
      const pair = parent.items.find(
        (item) => isPair(item) && isScalar(item.key) && item.key.value === unknownKey,
      );
      if (pair && isScalar(pair.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line;
    }
    if (isNode(parent) && parent.range) return lines.linePos(parent.range[0]).line;
  }
  return null;
}

const formatPath = (path: Path): string =>
  path.reduce<string>(
    (name, segment) =>
      typeof segment === 'number'
        ? `${name}[${segment}]`
        : name === ''
          ? String(segment)
          : `${name}.${String(segment)}`,
    '',
  );

const isMissing = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined');

/** Lists every refused field of a task with its place in the file. */
function describeIssues(
  error: z.ZodError,
  prefix: Path,
  file: string,
  document: Document,
  lines: LineCounter,
): CliErrorDetail[] {
  const at = (path: Path, key?: string): string => {
    const line = findLine(document, lines, path, key);
    const field = formatPath(key === undefined ? path : [...path, key]);
    return `${file}${line === null ? '' : `:${line}`}${field === '' ? '' : `: ${field}`}`;
  };
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ where: at(path, key), message: 'is not a known field' }))
      : [{ where: at(path), message: isMissing(issue) ? 'is missing' : issue.message }];
  });
}

const createFileError = (file: string, details: readonly CliErrorDetail[]): CliError =>
  new CliError(
    CLI_EXIT_CODES.usage,
    'invalid_file',
    `${file} was not sent: it has ${details.length === 1 ? 'an error' : `${details.length} errors`}.`,
    {
      details,
      hint: 'docs/openapi.json (schema SubmitTask) lists every field.',
    },
  );

function parseText(text: string, file: string): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const [document] = Array.isArray(documents) ? documents : [];
  if (!document) throw createFileError(file, [{ where: file, message: 'is empty' }]);
  if (documents.length > 1)
    throw createFileError(file, [
      { where: file, message: 'has several documents; put the tasks in one list' },
    ]);
  if (document.errors.length > 0)
    throw createFileError(
      file,
      document.errors.map((error) => ({
        where: `${file}:${lines.linePos(error.pos[0]).line}`,
        message: error.message,
      })),
    );
  return { document, lines };
}

/** Finds the list of tasks in the document; null: a single task. */
function findTaskList(document: Document): { path: Path; length: number } | null {
  if (isSeq(document.contents)) return { path: [], length: document.contents.items.length };
  const tasks = isMap(document.contents) ? document.get('tasks') : undefined;
  return isSeq(tasks) ? { path: ['tasks'], length: tasks.items.length } : null;
}

/** Puts the exams into tasks that name a folder; it is relative to the task file. @throws CliError */
function readExamFolders(value: unknown, list: ReturnType<typeof findTaskList>, folder: string): unknown {
  const read = (task: unknown): unknown =>
    typeof task === 'object' && task !== null && 'exam' in task && typeof task.exam === 'string'
      ? { ...task, exam: readExamFolder(task.exam, folder) }
      : task;
  if (list === null) return read(value);
  if (Array.isArray(value)) return value.map(read);
  const { tasks, ...rest } = value as { readonly tasks: readonly unknown[] };
  return { ...rest, tasks: tasks.map(read) };
}

/**
 * Reads a task file and checks it against the schema of the API.
 * @throws CliError that names file, line and field of everything that the API would refuse
 */
export async function readTaskFile(file: string, io: CommandIo): Promise<TaskFile> {
  const name = file === '-' ? 'standard input' : file;
  const { document, lines } = parseText(await readText(file, io), name);
  const list = findTaskList(document);
  const value: unknown = readExamFolders(
    document.toJS(),
    list,
    resolve(io.cwd, file === '-' ? '.' : dirname(file)),
  );
  const check = (schema: z.ZodType, input: unknown, prefix: Path): void => {
    const result = schema.safeParse(input);
    if (!result.success)
      throw createFileError(name, describeIssues(result.error, prefix, name, document, lines));
  };
  if (list === null) {
    check(TaskSubmission, value, []);
    return { tasks: [value as TaskSubmissionInput], batch: false };
  }
  const body = list.path.length === 0 ? { tasks: value } : value;
  const result = SubmitTaskBatchBody.safeParse(body);
  if (!result.success) {
    // In a file that is only a list, the list has no name.
    const issues = result.error.issues.map((issue) => ({
      ...issue,
      path: list.path.length === 0 ? issue.path.slice(1) : issue.path,
    }));
    throw createFileError(name, describeIssues({ issues } as z.ZodError, [], name, document, lines));
  }
  return { tasks: (body as { tasks: TaskSubmissionInput[] }).tasks, batch: true };
}

const usage = (message: string): CliError => new CliError(CLI_EXIT_CODES.usage, 'bad_hidden_tests', message);

/**
 * Adds hidden tests or an exam to the task of a file.
 * @throws CliError for a list: each task has tests of its own
 */
export function addTests<Field extends 'hidden_tests' | 'exam'>(
  file: TaskFile,
  field: Field,
  tests: TaskSubmissionInput[Field],
): TaskFile {
  const option = field === 'exam' ? '--exam' : '--hidden-tests';
  const [task] = file.tasks;
  if (file.batch || !task)
    throw usage(`${option} is for a file with one task; write ${field} into each task of a list.`);
  if (task[field] !== undefined)
    throw usage(`The task has ${field} already; use the file or ${option}, not both.`);
  return { ...file, tasks: [{ ...task, [field]: tests }] };
}
