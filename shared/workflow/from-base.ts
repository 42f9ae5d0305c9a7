import { BUILTIN_RUBRICS } from '../rubric/builtin.ts';
import { readRubric, rubricPath } from '../rubric/read.ts';
import type { Task } from '../task/task.ts';
import { describeProblem } from '../yaml.ts';
import { builtinWorkflow } from './builtin.ts';
import { compile } from './compile.ts';
import type { ConditionFacts } from './facts.ts';
import { MAX_IN_FORCE_BYTES, type WorkflowInForce } from './in-force.ts';
import { readWorkflow, workflowPath } from './read.ts';
import type { Workflow } from './schema.ts';

/** Reads files of the base commit, by path; null for what is no file there. */
export type ReadFiles = (paths: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

const MAX_SAID = 2_000;

type FromBase = { readonly workflow: WorkflowInForce } | { readonly why: string };

const rubricNames = ({ nodes }: Workflow): string[] => [
  ...new Set(
    nodes.flatMap(({ type, config: { rubric_name: name } }) =>
      type === 'verification' && typeof name === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(name)
        ? [name]
        : [],
    ),
  ),
];

/** A rubric of the repository; its file has its name, or two could be meant. */
function ownRubric(text: string, file: string): ReturnType<typeof readRubric> {
  const read = readRubric(text, file);
  return 'problems' in read || rubricPath(read.rubric.name) === file
    ? read
    : { problems: [{ file, line: null, message: `its name is ${read.rubric.name}` }] };
}

/** Is there anybody who says of criteria whether they are met, and a stage that asks? */
const whoGrades = ({ verifications, review: { stages } }: WorkflowInForce): boolean =>
  stages.includes('internal') && verifications.some(({ grader }) => grader !== 'evidence');

function bounded(workflow: WorkflowInForce): FromBase {
  const bytes = Buffer.byteLength(JSON.stringify(workflow));
  return bytes > MAX_IN_FORCE_BYTES
    ? { why: `the workflow with its rubrics takes ${bytes} bytes; ${MAX_IN_FORCE_BYTES} is the most` }
    : { workflow };
}

/**
 * The workflow of a task as the base commit has it: a file there counts before one that is built in, for rubrics too. What is wrong
 * with them is told whole: no work begins on a workflow that cannot be run.
 */
export async function workflowFromBase(
  name: string,
  task: ConditionFacts & Pick<Task, 'acceptance_criteria'>,
  read: ReadFiles,
): Promise<FromBase> {
  const path = workflowPath(name);
  const text = (await read([path])).get(path) ?? null;
  const builtin = builtinWorkflow(name);
  if (text === null && !builtin)
    return { why: `there is no ${path} in the base, and no workflow "${name}" is built in` };
  // Once without knowing the rubrics, to learn which are named; what that says of them does not count.
  const drafted = text === null ? builtin : readWorkflow(text, path, []).workflow;
  const wanted = drafted ? rubricNames(drafted) : [];
  const files = wanted.length === 0 ? new Map<string, string | null>() : await read(wanted.map(rubricPath));
  const rubrics = [...files].flatMap(([file, found]) => (found === null ? [] : [ownRubric(found, file)]));
  const faults = rubrics.flatMap((each) => ('problems' in each ? each.problems.map(describeProblem) : []));
  const own = rubrics.flatMap((each) => ('rubric' in each ? [each.rubric] : []));
  const known = [...new Set([...own, ...BUILTIN_RUBRICS].map((rubric) => rubric.name))];
  const { workflow, problems } =
    text === null ? { workflow: builtin, problems: [] } : readWorkflow(text, path, known);
  const all = [...faults, ...problems.map(describeProblem)];
  if (workflow && workflow.name !== name) all.push(`${path}: its name is ${workflow.name}, not ${name}`);
  if (!workflow || all.length > 0) return { why: all.join('; ').slice(0, MAX_SAID) };
  if (workflow.review.stages.includes('internal') && task.acceptance_criteria.length === 0)
    return { why: `the workflow ${name} reviews acceptance criteria, and the task has none` };
  const inForce = compile(workflow, task, { from: text === null ? 'builtin' : 'repository', rubrics: own });
  if (workflow.review.require_all_criteria_met && !whoGrades(inForce))
    return {
      why: `the workflow ${name} asks that all criteria are met, and nobody grades work in its stage internal`,
    };
  return bounded(inForce);
}
