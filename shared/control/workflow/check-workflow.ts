import type * as z from 'zod';
import {
  EDGE_KIND_OF_VERDICT,
  EDGE_KINDS,
  type EdgeKind,
  NODE_KINDS,
  VERIFICATION_EDGE_KINDS,
} from '../../contract/workflow/kinds.ts';
import {
  AgentAssignmentNodeConfig,
  ConditionalNodeConfig,
  SubworkflowNodeConfig,
  TaskNodeConfig,
  VerificationNodeConfig,
  type Workflow,
  type WorkflowNode,
} from '../../contract/workflow/schema.ts';
import { ConditionSyntaxError, parseCondition } from './condition.ts';
import { CONDITION_TASK_FIELDS } from './condition-facts.ts';
import {
  EMPTY_WORKFLOW_LIBRARY,
  type ExpandedWorkflow,
  expandSubworkflows,
  type WorkflowLibrary,
} from './expand-subworkflows.ts';
import { findGeneratorAgents } from './generator.ts';
import type { WorkflowFault } from './workflow-fault.ts';
import {
  buildWorkflowGraph,
  findEdgeTarget,
  findReachableNodes,
  findWorkflowCycles,
  type WorkflowGraph,
} from './workflow-graph.ts';
import { findInputFaults } from './workflow-inputs.ts';

type Fault = WorkflowFault;
type WorkflowCheck = (
  workflow: Workflow,
  graph: WorkflowGraph,
  known: AvailableRubricNames,
  scopes: ExpandedWorkflow['scopes'],
) => Fault[];
/** Names of the rubrics that there are. */
export type AvailableRubricNames = readonly string[];

const findDuplicates = (ids: readonly string[]): string[] => [
  ...new Set(ids.filter((id, index) => ids.indexOf(id) !== index)),
];

/** What the seed's models refuse at once; here it is collected like the rest. */
const checkStructure: WorkflowCheck = ({ nodes, edges }, graph) => [
  ...findDuplicates(nodes.map(({ id }) => id)).map((id) => ({
    code: 'duplicate_node_id',
    message: `two nodes are called ${id}`,
    node_id: id,
  })),
  ...findDuplicates(edges.map(({ id }) => id)).map((id) => ({
    code: 'duplicate_edge_id',
    message: `two edges are called ${id}`,
    edge_id: id,
  })),
  ...edges.flatMap((edge) => {
    const { id, source_node_id: from, target_node_id: to } = edge;
    if (from === to)
      return [{ code: 'self_loop', message: `${id} leads from ${from} to itself`, edge_id: id }];
    return [from, to]
      .filter((end) => !graph.nodes.has(end))
      .map((end) => ({
        code: 'unknown_node',
        message: `${id} names ${end}, and there is no such node`,
        edge_id: id,
      }));
  }),
  ...(['start', 'end'] as const).flatMap((type) => {
    const found = nodes.filter((node) => node.type === type).length;
    return found === 1
      ? []
      : [
          {
            code: `${type}_count`,
            message: `there must be exactly one ${type} node, and there are ${found}`,
          },
        ];
  }),
];

const checkReachability: WorkflowCheck = ({ nodes }, graph) => {
  const starts = nodes.filter(({ type }) => type === 'start');
  if (starts.length !== 1 || !starts[0]) return [];
  const seen = findReachableNodes(graph, starts[0].id);
  return nodes
    .filter(({ id }) => !seen.has(id))
    .map(({ id, type }) =>
      type === 'end'
        ? { code: 'end_not_reachable', message: `no way leads from the start to ${id}`, node_id: id }
        : { code: 'unreachable_node', message: `no way leads from the start to ${id}`, node_id: id },
    );
};

const ofType = ({ nodes }: Workflow, type: WorkflowNode['type']): WorkflowNode[] =>
  nodes.filter((node) => node.type === type);
const outOf = (graph: WorkflowGraph, id: string, type: EdgeKind): number =>
  graph.outgoingEdges.get(id)?.filter((edge) => edge.type === type).length ?? 0;

/** Edges that leave a node and are none of those that it may have. */
const extra = (graph: WorkflowGraph, id: string, allowed: readonly EdgeKind[], code: string): Fault[] =>
  (graph.outgoingEdges.get(id) ?? [])
    .filter(({ type }) => !allowed.includes(type))
    .map((edge) => ({
      code,
      message: `${edge.id} is ${edge.type}; ${allowed.join(', ')} may leave ${id}`,
      node_id: id,
      edge_id: edge.id,
    }));

const checkConditionals: WorkflowCheck = (workflow, graph) =>
  ofType(workflow, 'conditional').flatMap(({ id }) => [
    ...(['true', 'false'] as const)
      .filter((word) => outOf(graph, id, `conditional_${word}`) === 0)
      .map((word) => ({
        code: `conditional_missing_${word}`,
        message: `no conditional_${word} edge leaves ${id}`,
        node_id: id,
      })),
    ...extra(graph, id, ['conditional_true', 'conditional_false'], 'conditional_extra_outgoing'),
  ]);

const checkParallelSplits: WorkflowCheck = (workflow, graph) =>
  ofType(workflow, 'parallel_split')
    .filter(({ id }) => outOf(graph, id, 'parallel_branch') < 2)
    .map(({ id }) => ({
      code: 'split_too_few_branches',
      message: `at least two parallel_branch edges must leave ${id}`,
      node_id: id,
    }));

const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

const checkTaskTitles: WorkflowCheck = (workflow) =>
  ofType(workflow, 'task')
    .filter(({ config }) => isBlank(config['title']))
    .map(({ id }) => ({ code: 'task_missing_title', message: `${id} has no config.title`, node_id: id }));

const checkVerificationEdges: WorkflowCheck = (workflow, graph) =>
  ofType(workflow, 'verification').flatMap(({ id }) => [
    ...Object.entries(EDGE_KIND_OF_VERDICT).flatMap(([verdict, type]) => {
      const count = outOf(graph, id, type);
      if (count === 1) return [];
      return count === 0
        ? [{ code: `verification_missing_${verdict}`, message: `no ${type} edge leaves ${id}`, node_id: id }]
        : [
            {
              code: 'verification_duplicate_edge',
              message: `${count} ${type} edges leave ${id}; there must be exactly one`,
              node_id: id,
            },
          ];
    }),
    ...extra(graph, id, VERIFICATION_EDGE_KINDS, 'verification_extra_outgoing'),
  ]);

const checkEdgeSources: WorkflowCheck = ({ edges }, { nodes }) =>
  edges.flatMap(({ id, type, source_node_id: from }) => {
    const only = EDGE_KINDS[type].from;
    const node = nodes.get(from);
    return only !== 'verification' || !node || node.type === only
      ? []
      : [
          {
            code: 'verification_edge_outside',
            message: `${id} is ${type}, and ${from} is no verification node`,
            edge_id: id,
          },
        ];
  });

const checkVerificationConfig: WorkflowCheck = (workflow) =>
  ofType(workflow, 'verification').flatMap(({ id, config }) =>
    (config['grader'] === 'evidence' ? [] : ['rubric_name', 'evaluator_agent_id'])
      .filter((name) => isBlank(config[name]))
      .map((name) => ({
        code: 'verification_missing_config',
        message: `${id} has no config.${name}`,
        node_id: id,
      })),
  );

const checkCycles: WorkflowCheck = (_workflow, graph) =>
  findWorkflowCycles(graph).map((cycle) => ({
    code: 'cycle_detected',
    message: `${cycle.join(' -> ')} goes round; work that fails is done again by a task behind the verification_fail edge`,
    node_id: cycle[0] ?? '',
  }));

/** From here on what the seed does not check. */
const CONFIGS: Readonly<Partial<Record<WorkflowNode['type'], z.ZodType>>> = {
  task: TaskNodeConfig,
  agent_assignment: AgentAssignmentNodeConfig,
  conditional: ConditionalNodeConfig,
  verification: VerificationNodeConfig,
  subworkflow: SubworkflowNodeConfig,
};
/** That they are missing is said by a check of the seed already. */
const SAID = new Set(['title', 'rubric_name', 'evaluator_agent_id', 'subworkflow_id', 'version']);

const checkNodeConfigs: WorkflowCheck = ({ nodes }) =>
  nodes.flatMap(({ id, type, config }) => {
    const schema = CONFIGS[type];
    if (!schema)
      return Object.keys(config).map((name) => ({
        code: 'config_invalid',
        message: `${id}: config.${name} is nothing that a ${type} node has`,
        node_id: id,
      }));
    const parsed = schema.safeParse(config);
    return parsed.success
      ? []
      : parsed.error.issues
          .filter(({ path: [name] }) => !SAID.has(String(name)) || !isBlank(config[String(name)]))
          .map(({ path, message }) => ({
            code: 'config_invalid',
            message: `${id}: ${['config', ...path].join('.')}: ${message}`,
            node_id: id,
          }));
  });

/** Names that a condition at a node knows. */
const knownAt = (scopes: ExpandedWorkflow['scopes'], id: string): string[] => [
  ...CONDITION_TASK_FIELDS,
  ...(scopes.get(id)?.keys() ?? []),
];

const checkConditions: WorkflowCheck = (workflow, _graph, _known, scopes) =>
  ofType(workflow, 'conditional').flatMap(({ id, config }) => {
    const { expression } = config;
    if (typeof expression !== 'string' || expression.trim() === '') return [];
    try {
      parseCondition(expression, knownAt(scopes, id));
      return [];
    } catch (error) {
      if (!(error instanceof ConditionSyntaxError)) throw error;
      return [
        { code: 'condition_invalid', message: `${id}: config.expression ${error.message}`, node_id: id },
      ];
    }
  });

const checkRubrics: WorkflowCheck = (workflow, _graph, known) =>
  ofType(workflow, 'verification').flatMap(({ id, config: { rubric_name: name } }) =>
    isBlank(name) || known.includes(String(name).trim())
      ? []
      : [
          {
            code: 'verification_unknown_rubric',
            message: `${id}: there is no rubric "${String(name).slice(0, 64)}"; there are ${known.join(', ')}`,
            node_id: id,
          },
        ],
  );

const checkEvaluators: WorkflowCheck = (workflow, graph) =>
  ofType(workflow, 'verification').flatMap(({ id, config }) =>
    findGeneratorAgents(graph, id)
      .filter((generator) => generator === config['evaluator_agent_id'])
      .map((generator) => ({
        code: 'verification_self_evaluation',
        message: `${id}: ${generator} does the work before it, and cannot grade it`,
        node_id: id,
      })),
  );

/** Work behind a pass would go out without having been looked at. */
const checkWorkAfterPass: WorkflowCheck = (workflow, graph) =>
  ofType(workflow, 'verification').flatMap(({ id }) => {
    const pass = findEdgeTarget(graph, id, 'verification_pass');
    if (pass === null) return [];
    const fail = findEdgeTarget(graph, id, 'verification_fail');
    const refer = findEdgeTarget(graph, id, 'verification_refer');
    const elsewhere = new Set(
      [fail, refer].flatMap((each) => (each === null ? [] : [...findReachableNodes(graph, each)])),
    );
    return [...findReachableNodes(graph, pass)]
      .filter((each) => !elsewhere.has(each) && NODE_KINDS[graph.nodes.get(each)?.type ?? 'end'].hasWork)
      .filter((each) => !isBehindLaterFail(graph, pass, each))
      .map((each) => ({
        code: 'verification_work_after_pass',
        message: `${each} comes after ${id} has passed: nothing would look at what it does; put it before ${id}`,
        node_id: each,
      }));
  });

/** Is a node only on the way of a further verification that did not pass? */
function isBehindLaterFail(graph: WorkflowGraph, from: string, node: string): boolean {
  const passed = new Set([from]);
  for (const id of passed)
    for (const edge of graph.outgoingEdges.get(id) ?? [])
      if (edge.type !== 'verification_fail' && edge.type !== 'verification_refer')
        passed.add(edge.target_node_id);
  return !passed.has(node);
}

const checkInputs: WorkflowCheck = ({ inputs: declared }) =>
  findInputFaults(declared, [...CONDITION_TASK_FIELDS, 'true', 'false']).map((message) => ({
    code: 'input_invalid',
    message: `inputs: ${message}`,
  }));

/** In the order in which faults are told: structure, the seed's eight, ours. */
const CHECKS: readonly WorkflowCheck[] = [
  checkStructure,
  checkReachability,
  checkConditionals,
  checkParallelSplits,
  checkTaskTitles,
  checkVerificationEdges,
  checkEdgeSources,
  checkVerificationConfig,
  checkCycles,
  checkNodeConfigs,
  checkConditions,
  checkRubrics,
  checkEvaluators,
  checkWorkAfterPass,
  checkInputs,
];

/** All that is wrong with a workflow and with how it uses those of the library; empty: it can be used. */
export function findWorkflowFaults(
  workflow: Workflow,
  known: AvailableRubricNames,
  library: WorkflowLibrary = EMPTY_WORKFLOW_LIBRARY,
): Fault[] {
  const { workflow: whole, scopes, faults } = expandSubworkflows(workflow, library);
  const graph = buildWorkflowGraph(whole);
  return [...CHECKS.flatMap((check) => check(whole, graph, known, scopes)), ...faults];
}
