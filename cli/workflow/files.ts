import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Workflow } from '../../shared/contract/workflow/schema.ts';
import { findBuiltinWorkflow } from '../../shared/control/workflow/builtin-workflows.ts';
import { loadWorkflow, type RepositoryFileReader } from '../../shared/control/workflow/load-workflow.ts';
import { type WorkflowProblem, workflowPath } from '../../shared/control/workflow/parse-workflow.ts';
import { MAX_ASSAY_FILE_BYTES } from '../../shared/reviews/rubric/read-rubric.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';

/** Returns the text of a file; for one that is too large, blanks of a length that is refused as too large. */
function readText(path: string): string {
  return statSync(path).size > MAX_ASSAY_FILE_BYTES
    ? ' '.repeat(MAX_ASSAY_FILE_BYTES + 1)
    : readFileSync(path, 'utf8');
}

function readIfExists(file: string, io: Pick<Io, 'cwd'>): string | null {
  try {
    return readText(resolve(io.cwd, file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw new CliError(EXIT.usage, 'unreadable_file', `${file} cannot be read.`, {
      details: [{ where: file, message: error instanceof Error ? error.message : String(error) }],
    });
  }
}

const inRepository =
  (io: Pick<Io, 'cwd'>): RepositoryFileReader =>
  async (paths) =>
    new Map(paths.map((path) => [path, readIfExists(path, io)]));

/** A workflow that was read; null: it cannot be parsed. */
export interface ReadWorkflow {
  readonly workflow: Workflow | null;
  readonly problems: readonly WorkflowProblem[];
}

/** Reads a workflow with its problems, and those of the files that it names. @throws CliError if the file does not exist */
export async function readWorkflowFile(file: string, io: Pick<Io, 'cwd'>): Promise<ReadWorkflow> {
  const text = readIfExists(file, io);
  if (text === null) throw new CliError(EXIT.usage, 'unreadable_file', `${file} does not exist.`);
  return await loadWorkflow({ path: file, text }, inRepository(io));
}

/** Reads a workflow by its name: of `.assay/workflows` here, else a built-in one. @throws CliError if there is none */
export async function readNamedWorkflow(name: string, io: Pick<Io, 'cwd'>): Promise<ReadWorkflow> {
  const path = workflowPath(name);
  if (/^[a-z0-9-]+$/.test(name) && readIfExists(path, io) !== null) return await readWorkflowFile(path, io);
  const workflow = findBuiltinWorkflow(name);
  if (workflow) return { workflow, problems: [] };
  throw new CliError(EXIT.notFound, 'unknown_workflow', `There is no workflow ${name}.`, {
    hint: `Workflows of a repository are files like ${workflowPath('NAME')}; \`assay workflow list\` lists the built-in ones.`,
  });
}
