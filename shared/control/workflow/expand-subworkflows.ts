import { isDeepStrictEqual } from 'node:util';
import {
  MAX_WORKFLOW_EDGES,
  MAX_WORKFLOW_NODES,
  SubworkflowNodeConfig,
  Workflow,
  type WorkflowNode,
} from '../../contract/workflow/schema.ts';
import { CONDITION_TASK_FIELDS } from './condition-facts.ts';
import type { WorkflowFault } from './workflow-fault.ts';
import {
  bindSubworkflowInputs,
  buildDefaultInputBindings,
  type WorkflowInputBindings,
} from './workflow-inputs.ts';

/** Workflows that others may name, by name: one version of each, that of the base commit. */
export type WorkflowLibrary = ReadonlyMap<string, Workflow>;
export const EMPTY_WORKFLOW_LIBRARY: WorkflowLibrary = new Map();

/** What stands between the id of a node and that of a node within it. No id of a file has it. */
const NESTED_ID_SEPARATOR = '/';
/** The node of the file itself that a node, or an edge, of an expanded workflow comes from. */
export const outermostNodeId = (id: string): string => id.split(NESTED_ID_SEPARATOR, 1)[0] ?? id;
export const isNestedId = (id: string | undefined): boolean => id?.includes(NESTED_ID_SEPARATOR) ?? false;

/** A workflow with the nodes of those that it names in their place, and what is known by which name at each node. */
export interface ExpandedWorkflow {
  readonly workflow: Workflow;
  readonly scopes: ReadonlyMap<string, WorkflowInputBindings>;
  /** Why a node stays as it is. */
  readonly faults: readonly WorkflowFault[];
}

const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

interface NestingContext {
  readonly prefix: string;
  readonly scope: WorkflowInputBindings;
  /** Names of the workflows that this one is within, itself last. */
  readonly path: readonly string[];
}

/**
 * Puts the nodes of subworkflows where they are named. Their start and end become nodes that do nothing, so that each edge stays one edge.
 * What cannot be put there is left as it is, with a fault.
 */
export function expandSubworkflows(root: Workflow, library: WorkflowLibrary): ExpandedWorkflow {
  const nodes: WorkflowNode[] = [];
  const edges: Workflow['edges'] = [];
  const scopes = new Map<string, WorkflowInputBindings>();
  const faults: WorkflowFault[] = [];
  add(root, { prefix: '', scope: buildDefaultInputBindings(root.inputs), path: [root.name] });
  return { workflow: { ...root, nodes, edges }, scopes, faults };

  /** The child that a node names, with what its inputs are bound to; null: there is a fault, or another check says what is wrong. */
  function childOf(
    node: WorkflowNode,
    { prefix, scope, path }: NestingContext,
  ): { child: Workflow; scope: WorkflowInputBindings } | null {
    const id = prefix + node.id;
    const refuse = (code: string, message: string): null => {
      faults.push({ code: `subworkflow_${code}`, message: `${id}: ${message}`, node_id: id });
      return null;
    };
    const { subworkflow_id: name, version } = node.config;
    if (isBlank(name)) return refuse('ref_missing', 'no config.subworkflow_id says which workflow');
    if (isBlank(version)) return refuse('version_unpinned', 'no config.version says which one of it');
    const config = SubworkflowNodeConfig.safeParse(node.config);
    if (!config.success) return null;
    const child = library.get(config.data.subworkflow_id);
    if (path.includes(config.data.subworkflow_id))
      return refuse('cycle_detected', `${[...path, config.data.subworkflow_id].join(' -> ')} goes round`);
    if (child?.version !== config.data.version)
      return refuse(
        'not_found',
        `there is no workflow ${config.data.subworkflow_id} ${config.data.version}${child ? `; there is ${child.version}` : ''}`,
      );
    const bound = bindSubworkflowInputs(child.inputs, config.data, scope, CONDITION_TASK_FIELDS);
    for (const { code, message } of bound.faults) refuse(code, message);
    if (!isDeepStrictEqual(child.review, NO_REVIEW) && !isDeepStrictEqual(child.review, root.review))
      refuse(
        'review',
        `the review of ${child.name} would not be held: write it in ${root.name}, or in neither`,
      );
    if (
      nodes.length + child.nodes.length > MAX_WORKFLOW_NODES ||
      edges.length + child.edges.length > MAX_WORKFLOW_EDGES
    )
      return refuse(
        'too_large',
        `with all that is within, there are more than ${MAX_WORKFLOW_NODES} nodes or ${MAX_WORKFLOW_EDGES} edges`,
      );
    return { child, scope: bound.scope };
  }

  /** Adds a workflow; where one comes into it and leaves it. */
  function add(part: Workflow, place: NestingContext): { start: string | null; end: string | null } {
    const { prefix } = place;
    const ends = new Map<string, { start: string; end: string }>();
    for (const node of part.nodes) {
      const id = prefix + node.id;
      const found = node.type === 'subworkflow' ? childOf(node, place) : null;
      if (!found) {
        const isEdge = prefix !== '' && (node.type === 'start' || node.type === 'end');
        nodes.push({ ...node, id, type: isEdge ? 'parallel_join' : node.type });
        scopes.set(id, place.scope);
        continue;
      }
      const { child, scope } = found;
      const inner = add(child, {
        prefix: id + NESTED_ID_SEPARATOR,
        scope,
        path: [...place.path, child.name],
      });
      ends.set(node.id, { start: inner.start ?? id, end: inner.end ?? id });
    }
    for (const edge of part.edges)
      edges.push({
        ...edge,
        id: prefix + edge.id,
        source_node_id: ends.get(edge.source_node_id)?.end ?? prefix + edge.source_node_id,
        target_node_id: ends.get(edge.target_node_id)?.start ?? prefix + edge.target_node_id,
      });
    const at = (type: 'start' | 'end') => part.nodes.find((node) => node.type === type);
    const [start, end] = [at('start'), at('end')];
    return { start: start ? prefix + start.id : null, end: end ? prefix + end.id : null };
  }
}

const NO_REVIEW = Workflow.shape.review.parse(undefined);
