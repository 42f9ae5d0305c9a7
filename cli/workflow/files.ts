import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Workflow } from '../../shared/contract/workflow/schema.ts';
import { builtinWorkflow } from '../../shared/control/workflow/builtin.ts';
import { type ReadFiles, readWhole } from '../../shared/control/workflow/library.ts';
import { type WorkflowProblem, workflowPath } from '../../shared/control/workflow/read.ts';
import { MAX_STAGE_FILE_BYTES } from '../../shared/reviews/rubric/read.ts';
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

const inRepository =
  (io: Pick<Io, 'cwd'>): ReadFiles =>
  async (paths) =>
    new Map(paths.map((path) => [path, read(path, io)]));

export interface Looked {
  readonly workflow: Workflow | null;
  readonly problems: readonly WorkflowProblem[];
}

/** A file as a workflow, with all that is wrong with it and with what it names here. @throws CliError when it is not there. */
export async function lookAt(file: string, io: Pick<Io, 'cwd'>): Promise<Looked> {
  const text = read(file, io);
  if (text === null) throw new CliError(EXIT.usage, 'unreadable_file', `${file} does not exist.`);
  return await readWhole({ path: file, text }, inRepository(io));
}

/** A workflow by its name: of `.assay/workflows` here, else built in. @throws CliError when there is none. */
export async function named(name: string, io: Pick<Io, 'cwd'>): Promise<Looked> {
  const path = workflowPath(name);
  if (/^[a-z0-9-]+$/.test(name) && read(path, io) !== null) return await lookAt(path, io);
  const workflow = builtinWorkflow(name);
  if (workflow) return { workflow, problems: [] };
  throw new CliError(EXIT.notFound, 'unknown_workflow', `There is no workflow ${name}.`, {
    hint: `Workflows of a repository are files like ${workflowPath('NAME')}; \`assay workflow list\` has those that are built in.`,
  });
}
