import type { Command } from 'commander';
import { BUILTIN_WORKFLOWS } from '../../shared/control/workflow/builtin.ts';
import { workflowMermaid } from '../../shared/control/workflow/mermaid.ts';
import { count } from '../../shared/lib/format.ts';
import { describeProblem } from '../../shared/lib/yaml.ts';
import { BUILTIN_RUBRICS } from '../../shared/reviews/rubric/builtin.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';

import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { SUMMARY } from '../summary.ts';
import { type Looked, lookAt, named } from '../workflow/files.ts';

const refused = (file: string, { problems }: Looked): CliError =>
  new CliError(EXIT.usage, 'bad_workflow', `${oneLine(file)} has ${count(problems.length, 'fault')}.`, {
    details: problems.map((each) => ({
      where: describeProblem({ ...each, message: each.code }),
      message: oneLine(each.message),
    })),
    hint: 'docs/workflows.md says what a workflow has.',
  });

/** `assay workflow list`, `validate FILE` and `show NAME` */
export function registerWorkflow(program: Command, io: Io): void {
  const workflow = program.command('workflow').description(SUMMARY.workflow);
  const list = workflow
    .command('list')
    .description('Workflows and rubrics that are built in')
    .option(...JSON_OPTION);
  localAction<[object]>(list, io, async (session) => {
    const workflows = BUILTIN_WORKFLOWS.map(({ name, description }) => ({ name, description }));
    const rubrics = BUILTIN_RUBRICS.map(({ name, criteria }) => ({
      name,
      criteria: criteria.map((each) => each.name),
    }));
    if (session.json) session.printJson({ workflows, rubrics });
    else
      session.print(
        renderTable(
          [{ title: 'NAME' }, { title: 'WHAT' }, { title: 'ABOUT', shrinkTo: 16 }],
          [
            ...workflows.map(({ name, description }) => [name, 'workflow', description]),
            ...rubrics.map(({ name, criteria }) => [name, 'rubric', criteria.join(', ')]),
          ],
          session.io.stdout.columns,
          session.out.dim,
        ),
      );
    return EXIT.ok;
  });
  const validate = workflow
    .command('validate')
    .argument('<file>', 'a workflow; rubrics are looked for in .assay/rubrics of this folder')
    .description('Say all that is wrong with a workflow, with file and line')
    .option(...JSON_OPTION);
  localAction<[string, object]>(validate, io, async (session, file) => {
    const looked = await lookAt(file, io);
    if (!looked.workflow || looked.problems.length > 0) throw refused(file, looked);
    const { name, nodes, edges } = looked.workflow;
    if (session.json) session.printJson({ valid: true, name, nodes: nodes.length, edges: edges.length });
    else session.print(`${name}: ${count(nodes.length, 'node')}, ${count(edges.length, 'edge')}, no fault`);
    return EXIT.ok;
  });
  const show = workflow
    .command('show')
    .argument('<name>', 'a workflow of this repository, or one that is built in')
    .description('Draw a workflow, for Mermaid')
    .option(...JSON_OPTION);
  localAction<[string, object]>(show, io, async (session, name) => {
    const looked = await named(name, io);
    if (!looked.workflow || looked.problems.length > 0) throw refused(name, looked);
    if (session.json) session.printJson({ workflow: looked.workflow });
    else session.print(workflowMermaid(looked.workflow));
    return EXIT.ok;
  });
  examples(list, [['workflow list', 'what a task can name without a file']]);
  examples(validate, [['workflow validate .assay/workflows/careful.yaml', 'before it is committed']]);
  examples(show, [['workflow show default', 'what happens to a task that names none']]);
}
