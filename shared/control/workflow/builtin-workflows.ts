import { VERIFICATION_EDGE_KINDS } from '../../contract/workflow/kinds.ts';
import { Workflow, type WorkflowNode } from '../../contract/workflow/schema.ts';

type Node = Pick<WorkflowNode, 'id' | 'type'> & Partial<WorkflowNode>;
const edge = (from: string, to: string, type = 'sequential') => ({
  id: type === 'sequential' ? `${from}-${to}` : `${from}-${type.slice('verification_'.length)}`,
  source_node_id: from,
  target_node_id: to,
  type,
});
/** A straight line through the nodes named. */
const line = (...ids: readonly string[]) => ids.slice(1).map((to, index) => edge(ids[index] ?? '', to));
/** Where `verify` leads to: pass, fail, refer. */
const verdicts = (...targets: readonly [string, string, string]) =>
  VERIFICATION_EDGE_KINDS.map((type, index) => edge('verify', targets[index] ?? '', type));

const workflow = (
  name: string,
  description: string,
  nodes: readonly Node[],
  edges: readonly object[],
): Workflow => Workflow.parse({ name, description, nodes, edges });

/** What happens to a task that names no workflow. */
export const DEFAULT_WORKFLOW = workflow(
  'default',
  'An agent does the task, what ran and what was looked at decides, a stronger model mends what failed, a person decides what is unclear.',
  [
    { id: 'start', type: 'start' },
    { id: 'generate', type: 'task', config: { title: 'Do the task' } },
    { id: 'verify', type: 'verification', config: { grader: 'evidence' } },
    { id: 'regenerate', type: 'task', config: { title: 'Mend what was found' } },
    { id: 'person', type: 'task', config: { title: 'Decide about the work' } },
    { id: 'end', type: 'end' },
  ],
  [
    ...line('start', 'generate', 'verify'),
    ...verdicts('end', 'regenerate', 'person'),
    ...line('regenerate', 'end'),
    ...line('person', 'end'),
  ],
);

/** The seed's pipeline of three agents. Both graders need nothing of a deployment; a copy in the repository may say `llm`. */
const VERIFICATION_PIPELINE = workflow(
  'verification-pipeline',
  'Plan, generate, and have somebody else grade it against the rubric default-task.',
  [
    { id: 'start', type: 'start' },
    { id: 'assign-planner', type: 'agent_assignment', config: { agent_name: 'planner-agent' } },
    { id: 'task-plan', type: 'task', config: { title: 'Look at what there is and decide how to do it' } },
    { id: 'assign-generator', type: 'agent_assignment', config: { agent_name: 'generator-agent' } },
    { id: 'task-generate', type: 'task', config: { title: 'Do the task' } },
    { id: 'assign-evaluator', type: 'agent_assignment', config: { agent_name: 'evaluator-agent' } },
    {
      id: 'verify',
      type: 'verification',
      config: {
        rubric_name: 'default-task',
        evaluator_agent_id: 'evaluator-agent',
        decomposer: 'llm',
        grader: 'llm',
      },
    },
    { id: 'task-regenerate', type: 'task', config: { title: 'Mend what was found', max_regenerations: 1 } },
    { id: 'task-human-escalation', type: 'task', config: { title: 'Decide about the work' } },
    { id: 'end', type: 'end' },
  ],
  [
    ...line(
      'start',
      'assign-planner',
      'task-plan',
      'assign-generator',
      'task-generate',
      'assign-evaluator',
      'verify',
    ),
    ...verdicts('end', 'task-regenerate', 'task-human-escalation'),
    ...line('task-regenerate', 'end'),
    ...line('task-human-escalation', 'end'),
  ],
);

/** Workflows that are there without a file. */
export const BUILTIN_WORKFLOWS: readonly Workflow[] = [DEFAULT_WORKFLOW, VERIFICATION_PIPELINE];

export const findBuiltinWorkflow = (name: string): Workflow | null =>
  BUILTIN_WORKFLOWS.find((each) => each.name === name) ?? null;
