import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Workflow } from '../../shared/contract/workflow/schema.ts';
import { BUILTIN_WORKFLOWS, findBuiltinWorkflow } from '../../shared/control/workflow/builtin-workflows.ts';
import { loadWorkflow, type RepositoryFileReader } from '../../shared/control/workflow/load-workflow.ts';
import { renderWorkflowMermaid } from '../../shared/control/workflow/mermaid.ts';
import { type WorkflowProblem, workflowPath } from '../../shared/control/workflow/parse-workflow.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { describeFileProblem } from '../../shared/lib/yaml.ts';
import { BUILTIN_RUBRICS } from '../../shared/reviews/rubric/builtin-rubrics.ts';
import { MAX_ASSAY_FILE_BYTES } from '../../shared/reviews/rubric/read-rubric.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { CommandIo } from '../io.ts';
import { defineLocalCommand } from '../local-command.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument } from '../parameters.ts';

/** Returns the text of a file; for one that is too large, blanks of a length that is refused as too large. */
function readText(path: string): string {
  return statSync(path).size > MAX_ASSAY_FILE_BYTES
    ? ' '.repeat(MAX_ASSAY_FILE_BYTES + 1)
    : readFileSync(path, 'utf8');
}

function readIfExists(file: string, io: Pick<CommandIo, 'cwd'>): string | null {
  try {
    return readText(resolve(io.cwd, file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return null;
    throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_file', `${file} cannot be read.`, {
      details: [{ where: file, message: error instanceof Error ? error.message : String(error) }],
    });
  }
}

const inRepository =
  (io: Pick<CommandIo, 'cwd'>): RepositoryFileReader =>
  async (paths) =>
    new Map(paths.map((path) => [path, readIfExists(path, io)]));

/** A workflow that was read; null: it cannot be parsed. */
interface ReadWorkflow {
  readonly workflow: Workflow | null;
  readonly problems: readonly WorkflowProblem[];
}

/** Reads a workflow with its problems, and those of the files that it names. @throws CliError if the file does not exist */
async function readWorkflowFile(file: string, io: Pick<CommandIo, 'cwd'>): Promise<ReadWorkflow> {
  const text = readIfExists(file, io);
  if (text === null) throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_file', `${file} does not exist.`);
  return await loadWorkflow({ path: file, text }, inRepository(io));
}

/** Reads a workflow by its name: of `.assay/workflows` here, else a built-in one. @throws CliError if there is none */
async function readNamedWorkflow(name: string, io: Pick<CommandIo, 'cwd'>): Promise<ReadWorkflow> {
  const path = workflowPath(name);
  if (/^[a-z0-9-]+$/.test(name) && readIfExists(path, io) !== null) return await readWorkflowFile(path, io);
  const workflow = findBuiltinWorkflow(name);
  if (workflow) return { workflow, problems: [] };
  throw new CliError(CLI_EXIT_CODES.notFound, 'unknown_workflow', `There is no workflow ${name}.`, {
    hint: `Workflows of a repository are files like ${workflowPath('NAME')}; \`assay workflow list\` lists the built-in ones.`,
  });
}

/** Returns the workflow. @throws CliError that names each problem, if there is one */
function validWorkflow(file: string, { workflow, problems }: ReadWorkflow) {
  if (workflow && problems.length === 0) return workflow;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'bad_workflow',
    `${toOneLine(file)} has ${formatCount(problems.length, 'error')}.`,
    {
      details: problems.map((each) => ({
        where: describeFileProblem({ ...each, message: each.code }),
        message: toOneLine(each.message),
      })),
      hint: 'docs/how-to/workflows.md describes the format of a workflow.',
    },
  );
}

/** `workflow`: workflows and rubrics. */
export const workflowCommands = [
  defineLocalCommand({
    name: 'workflow list',
    description: 'List the built-in workflows and rubrics',
    json: '`--json` prints `{"workflows": [{"name", "description"}], "rubrics": [{"name", "criteria": [string]}]}`.',
    examples: [['workflow list', 'the workflows that a task can name without a file']],
    run: async (session) => {
      const workflows = BUILTIN_WORKFLOWS.map(({ name, description }) => ({ name, description }));
      const rubrics = BUILTIN_RUBRICS.map(({ name, criteria }) => ({
        name,
        criteria: criteria.map((each) => each.name),
      }));
      session.show({ workflows, rubrics }, () =>
        session.table(
          [{ title: 'NAME' }, { title: 'WHAT' }, { title: 'ABOUT', shrinkTo: 16 }],
          [
            ...workflows.map(({ name, description }) => [name, 'workflow', description]),
            ...rubrics.map(({ name, criteria }) => [name, 'rubric', criteria.join(', ')]),
          ],
        ),
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'workflow validate',
    description: 'Check a workflow; errors have file and line',
    arguments: {
      file: defineArgument('<file>', 'a workflow; its rubrics are read from .assay/rubrics of this folder'),
    },
    json: '`--json` prints `{"valid": true, "name": string, "nodes": number, "edges": number}`; else the error, with a detail for each place.',
    examples: [['workflow validate .assay/workflows/careful.yaml', 'before you commit it']],
    run: async (session, { file }) => {
      const { name, nodes, edges } = validWorkflow(file, await readWorkflowFile(file, session.io));
      session.show(
        { valid: true, name, nodes: nodes.length, edges: edges.length },
        () => `${name} is valid: ${formatCount(nodes.length, 'node')}, ${formatCount(edges.length, 'edge')}`,
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'workflow show',
    description: 'Print a workflow as a Mermaid diagram',
    arguments: { name: defineArgument('<name>', 'a workflow of this repository, or a built-in one') },
    json: '`--json` prints `{"workflow": …}`, with the defaults filled in.',
    examples: [['workflow show default', 'the workflow of a task that names none']],
    run: async (session, { name }) => {
      const workflow = validWorkflow(name, await readNamedWorkflow(name, session.io));
      session.show({ workflow }, () => renderWorkflowMermaid(workflow));
      return undefined;
    },
  }),
];
