import type { Verdict } from '../../contract/evidence/schema.ts';
import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import { EDGE_KIND_OF_VERDICT, VERIFICATION_EDGE_KINDS } from '../../contract/workflow/kinds.ts';
import type { ResolvedVerification, ResolvedWorkflow } from '../../contract/workflow/resolved-workflow.ts';
import {
  ConditionalNodeConfig,
  TaskNodeConfig,
  VerificationNodeConfig,
  type Workflow,
  type WorkflowNode,
} from '../../contract/workflow/schema.ts';
import { findBuiltinRubric } from '../../reviews/rubric/builtin-rubrics.ts';
import { parseCondition } from './condition.ts';
import { CONDITION_TASK_FIELDS, type ConditionTaskFields } from './condition-facts.ts';
import { EMPTY_WORKFLOW_LIBRARY, expandSubworkflows, type WorkflowLibrary } from './expand-subworkflows.ts';
import { DEFAULT_GENERATOR_AGENT, findGeneratorAgents } from './generator.ts';
import {
  buildWorkflowGraph,
  findEdgeTarget,
  findReachableNodes,
  sortNodesTopologically,
  type WorkflowGraph,
} from './workflow-graph.ts';
import { resolveInputValues, type WorkflowInputBindings } from './workflow-inputs.ts';

interface VerdictRoute {
  /** Where it goes on; null: no edge of that verdict. */
  readonly taken: string | null;
  /** What is only on the ways that were not taken: a node where ways meet again is kept. */
  readonly skipped: readonly string[];
}

/** Where a verdict leads out of a verification node. */
export function findVerdictRoute(
  graph: WorkflowGraph,
  node: string,
  verdict: Verdict['verdict'],
): VerdictRoute {
  const taken = findEdgeTarget(graph, node, EDGE_KIND_OF_VERDICT[verdict]);
  if (taken === null) return { taken: null, skipped: [] };
  const kept = findReachableNodes(graph, taken);
  const others = VERIFICATION_EDGE_KINDS.flatMap((type) => findEdgeTarget(graph, node, type) ?? []).filter(
    (target) => target !== taken,
  );
  const skipped = new Set(others.flatMap((target) => [...findReachableNodes(graph, target)]));
  return { taken, skipped: [...skipped].filter((id) => !kept.has(id)) };
}

/** Where a node leads to when all goes well. */
function nextNodes(
  graph: WorkflowGraph,
  node: WorkflowNode,
  task: ConditionTaskFields,
  scope: WorkflowInputBindings | undefined,
): string[] {
  const targets = (graph.outgoingEdges.get(node.id) ?? []).map(({ target_node_id }) => target_node_id);
  if (node.type === 'verification') return [findEdgeTarget(graph, node.id, 'verification_pass') ?? []].flat();
  if (node.type !== 'conditional') return targets;
  const { expression = '' } = ConditionalNodeConfig.parse(node.config);
  const facts = resolveInputValues(scope, task);
  const holds =
    expression !== '' &&
    parseCondition(expression, [...CONDITION_TASK_FIELDS, ...(scope?.keys() ?? [])])(facts);
  return [findEdgeTarget(graph, node.id, holds ? 'conditional_true' : 'conditional_false') ?? []].flat();
}

/** How often work is done again that came to the FAIL edge of a node; null: as the cascade has it, 0: not at all. */
function regenerationLimit(graph: WorkflowGraph, node: string): number | null {
  const target = findEdgeTarget(graph, node, 'verification_fail');
  const kept = new Set(findReachableNodes(graph, findEdgeTarget(graph, node, 'verification_pass') ?? node));
  const tasks = [...(target === null ? [] : findReachableNodes(graph, target))]
    .flatMap((id) => graph.nodes.get(id) ?? [])
    .filter(({ id, type }) => type === 'task' && !kept.has(id));
  const [first] = tasks;
  return first ? (TaskNodeConfig.parse(first.config).max_regenerations ?? null) : 0;
}

interface WorkflowOrigin {
  readonly from: ResolvedWorkflow['source'];
  /** Rubrics of the repository, before those that are built in. */
  readonly rubrics: readonly VerificationRubric[];
  /** Workflows that this one names. */
  readonly library?: WorkflowLibrary;
}

/** What a workflow without faults means for one task. */
export function resolveWorkflow(
  workflow: Workflow,
  task: ConditionTaskFields,
  { from, rubrics, library = EMPTY_WORKFLOW_LIBRARY }: WorkflowOrigin,
): ResolvedWorkflow {
  const { workflow: whole, scopes } = expandSubworkflows(workflow, library);
  const graph = buildWorkflowGraph(whole);
  const reached = new Set(whole.nodes.filter(({ type }) => type === 'start').map(({ id }) => id));
  const steps: ResolvedWorkflow['steps'] = [];
  const verifications: ResolvedVerification[] = [];
  for (const id of sortNodesTopologically(graph)) {
    const node = graph.nodes.get(id);
    if (!node || !reached.has(id)) continue;
    for (const next of nextNodes(graph, node, task, scopes.get(id))) reached.add(next);
    if (node.type === 'task') {
      const { title, description } = TaskNodeConfig.parse(node.config);
      steps.push({ node: id, title, description });
    }
    if (node.type === 'verification') {
      const { rubric_name, evaluator_agent_id, ...config } = VerificationNodeConfig.parse(node.config);
      const rubric = rubrics.find(({ name }) => name === rubric_name) ?? findBuiltinRubric(rubric_name ?? '');
      verifications.push({
        ...config,
        node: id,
        rubric: config.grader === 'evidence' ? null : rubric,
        generator_agent: findGeneratorAgents(graph, id)[0] ?? DEFAULT_GENERATOR_AGENT,
        evaluator_agent: evaluator_agent_id ?? null,
        graded_step: steps.at(-1)?.node ?? 'start',
        max_regenerations: regenerationLimit(graph, id),
        routes: {
          pass: mutable(findVerdictRoute(graph, id, 'pass')),
          fail: mutable(findVerdictRoute(graph, id, 'fail')),
          refer: mutable(findVerdictRoute(graph, id, 'refer')),
        },
      });
    }
  }
  const { name, version, review } = workflow;
  return { name, source: from, version, steps, verifications, review };
}

const mutable = ({ taken, skipped }: ReturnType<typeof findVerdictRoute>) => ({
  target: taken,
  skipped_nodes: [...skipped],
});
