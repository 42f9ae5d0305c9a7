import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { BUILTIN_RUBRICS } from '../../shared/rubric/builtin.ts';
import { MAX_STAGE_FILE_BYTES, RUBRIC_FOLDER, readRubric } from '../../shared/rubric/read.ts';
import { builtinWorkflow } from '../../shared/workflow/builtin.ts';
import { readWorkflow, type WorkflowProblem, workflowPath } from '../../shared/workflow/read.ts';
import type { Workflow } from '../../shared/workflow/schema.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';

/** The text of a file; of one that is too large only as much as shows that it is. */
function textOf(path: string): string {
  return statSync(path).size > MAX_STAGE_FILE_BYTES
    ? ' '.repeat(MAX_STAGE_FILE_BYTES + 1)
    : readFileSync(path, 'utf8');
}

function read(file: string, io: Pick<Io, 'cwd'>): string | null {
  try {
    return textOf(resolve(io.cwd, file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw new CliError(EXIT.usage, 'unreadable_file', `${file} cannot be read.`, {
      details: [{ where: file, message: error instanceof Error ? error.message : String(error) }],
    });
  }
}

/** Rubrics of the repository that is looked at, with what is wrong with them. */
function ownRubrics(io: Pick<Io, 'cwd'>): { names: string[]; problems: WorkflowProblem[] } {
  let files: string[] = [];
  try {
    files = readdirSync(resolve(io.cwd, RUBRIC_FOLDER)).filter((file) => file.endsWith('.yaml'));
  } catch {
    // There are none.
  }
  const names: string[] = [];
  const problems: WorkflowProblem[] = [];
  for (const file of files.sort()) {
    const path = join(RUBRIC_FOLDER, file);
    const found = readRubric(textOf(resolve(io.cwd, path)), path);
    if ('problems' in found) problems.push(...found.problems.map((each) => ({ ...each, code: 'rubric' })));
    else if (found.rubric.name === basename(file, '.yaml')) names.push(found.rubric.name);
    else
      problems.push({ file: path, line: null, code: 'rubric', message: `its name is ${found.rubric.name}` });
  }
  return { names, problems };
}

export interface Looked {
  readonly workflow: Workflow | null;
  readonly problems: readonly WorkflowProblem[];
}

/** A file as a workflow, with all that is wrong with it and with the rubrics beside it. @throws CliError when it is not there. */
export function lookAt(file: string, io: Pick<Io, 'cwd'>): Looked {
  const text = read(file, io);
  if (text === null) throw new CliError(EXIT.usage, 'unreadable_file', `${file} does not exist.`);
  const { names, problems } = ownRubrics(io);
  const known = [...new Set([...names, ...BUILTIN_RUBRICS.map(({ name }) => name)])];
  const found = readWorkflow(text, file, known);
  return { workflow: found.workflow, problems: [...problems, ...found.problems] };
}

/** A workflow by its name: of `.assay/workflows` here, else built in. @throws CliError when there is none. */
export function named(name: string, io: Pick<Io, 'cwd'>): Looked {
  const path = workflowPath(name);
  if (/^[a-z0-9-]+$/.test(name) && read(path, io) !== null) return lookAt(path, io);
  const workflow = builtinWorkflow(name);
  if (workflow) return { workflow, problems: [] };
  throw new CliError(EXIT.notFoundOrRefer, 'unknown_workflow', `There is no workflow ${name}.`, {
    hint: `Workflows of a repository are files like ${workflowPath('NAME')}; \`assay workflow list\` has those that are built in.`,
  });
}
