import { BUILTIN_WORKFLOWS } from '../../shared/control/workflow/builtin-workflows.ts';
import { renderWorkflowMermaid } from '../../shared/control/workflow/mermaid.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { describeFileProblem } from '../../shared/lib/yaml.ts';
import { BUILTIN_RUBRICS } from '../../shared/reviews/rubric/builtin-rubrics.ts';
import { CliError, EXIT } from '../exit.ts';
import { localCommand } from '../local-command.ts';
import { oneLine } from '../output/text.ts';
import { argument } from '../parameters.ts';
import { type ReadWorkflow, readNamedWorkflow, readWorkflowFile } from '../workflow/files.ts';

/** Returns the workflow. @throws CliError that names each problem, if there is one */
function validWorkflow(file: string, { workflow, problems }: ReadWorkflow) {
  if (workflow && problems.length === 0) return workflow;
  throw new CliError(
    EXIT.usage,
    'bad_workflow',
    `${oneLine(file)} has ${formatCount(problems.length, 'error')}.`,
    {
      details: problems.map((each) => ({
        where: describeFileProblem({ ...each, message: each.code }),
        message: oneLine(each.message),
      })),
      hint: 'docs/workflows.md describes the format of a workflow.',
    },
  );
}

/** `workflow`: workflows and rubrics. */
export const workflowCommands = [
  localCommand({
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
  localCommand({
    name: 'workflow validate',
    description: 'Check a workflow; errors have file and line',
    arguments: {
      file: argument('<file>', 'a workflow; its rubrics are read from .assay/rubrics of this folder'),
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
  localCommand({
    name: 'workflow show',
    description: 'Print a workflow as a Mermaid diagram',
    arguments: { name: argument('<name>', 'a workflow of this repository, or a built-in one') },
    json: '`--json` prints `{"workflow": …}`, with the defaults filled in.',
    examples: [['workflow show default', 'the workflow of a task that names none']],
    run: async (session, { name }) => {
      const workflow = validWorkflow(name, await readNamedWorkflow(name, session.io));
      session.show({ workflow }, () => renderWorkflowMermaid(workflow));
      return undefined;
    },
  }),
];
