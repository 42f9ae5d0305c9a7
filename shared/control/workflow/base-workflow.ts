import type { Task } from '../../contract/task/task.ts';
import {
  MAX_RESOLVED_WORKFLOW_BYTES,
  type ResolvedWorkflow,
} from '../../contract/workflow/resolved-workflow.ts';
import { describeFileProblem } from '../../lib/yaml.ts';
import { findBuiltinWorkflow } from './builtin-workflows.ts';
import type { ConditionTaskFields } from './condition-facts.ts';
import { loadWorkflow, type RepositoryFileReader } from './load-workflow.ts';
import { workflowPath } from './parse-workflow.ts';
import { resolveWorkflow } from './resolve-workflow.ts';

const MAX_SAID = 2_000;

type BaseWorkflowResult = { readonly workflow: ResolvedWorkflow } | { readonly why: string };

/** Is there anybody who says of criteria whether they are met, and a stage that asks? */
const hasCriteriaGrader = ({ verifications, review: { stages } }: ResolvedWorkflow): boolean =>
  stages.includes('internal') && verifications.some(({ grader }) => grader !== 'evidence');

function checkSize(workflow: ResolvedWorkflow): BaseWorkflowResult {
  const bytes = Buffer.byteLength(JSON.stringify(workflow));
  return bytes > MAX_RESOLVED_WORKFLOW_BYTES
    ? {
        why: `the workflow with its rubrics takes ${bytes} bytes; ${MAX_RESOLVED_WORKFLOW_BYTES} is the most`,
      }
    : { workflow };
}

/**
 * The workflow of a task as the base commit has it: a file there counts before one that is built in, for rubrics too. What is wrong
 * with them is told whole: no work begins on a workflow that cannot be run.
 */
export async function readWorkflowAtBaseCommit(
  name: string,
  task: ConditionTaskFields & Pick<Task, 'acceptance_criteria'>,
  read: RepositoryFileReader,
): Promise<BaseWorkflowResult> {
  const path = workflowPath(name);
  const text = (await read([path])).get(path) ?? null;
  const builtin = findBuiltinWorkflow(name);
  const source = text === null ? builtin : { path, text };
  if (!source) return { why: `there is no ${path} in the base, and no workflow "${name}" is built in` };
  const { workflow, library, rubrics, problems } = await loadWorkflow(source, read);
  const all = problems.map(describeFileProblem);
  if (workflow && workflow.name !== name) all.push(`${path}: its name is ${workflow.name}, not ${name}`);
  const open = workflow?.inputs.filter(({ required }) => required).map((each) => each.name) ?? [];
  if (open.length > 0)
    all.push(`${path}: it is for other workflows, which say what ${open.join(', ')} is; no task can name it`);
  if (!workflow || all.length > 0) return { why: all.join('; ').slice(0, MAX_SAID) };
  if (workflow.review.stages.includes('internal') && task.acceptance_criteria.length === 0)
    return { why: `the workflow ${name} reviews acceptance criteria, and the task has none` };
  const inForce = resolveWorkflow(workflow, task, {
    from: text === null ? 'builtin' : 'repository',
    rubrics,
    library,
  });
  if (workflow.review.require_all_criteria_met && !hasCriteriaGrader(inForce))
    return {
      why: `the workflow ${name} asks that all criteria are met, and nobody grades work in its stage internal`,
    };
  return checkSize(inForce);
}
