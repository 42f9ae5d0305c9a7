import type { EdgeKind } from '../../contract/workflow/kinds.ts';
import type { Workflow, WorkflowEdge, WorkflowNode } from '../../contract/workflow/schema.ts';

/** Nodes and edges of a workflow, as one walks them. Edges whose ends are not there are left out. */
export interface WorkflowGraph {
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  readonly outgoingEdges: ReadonlyMap<string, readonly WorkflowEdge[]>;
}

export function buildWorkflowGraph({ nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>): WorkflowGraph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const out = new Map<string, WorkflowEdge[]>(nodes.map(({ id }) => [id, []]));
  for (const edge of edges)
    if (byId.has(edge.source_node_id) && byId.has(edge.target_node_id))
      out.get(edge.source_node_id)?.push(edge);
  return { nodes: byId, outgoingEdges: out };
}

/** All nodes on a way from `from`, itself included, breadth first. */
export function findReachableNodes({ outgoingEdges }: WorkflowGraph, from: string): ReadonlySet<string> {
  const seen = new Set([from]);
  for (const id of seen)
    for (const { target_node_id } of outgoingEdges.get(id) ?? []) seen.add(target_node_id);
  return seen;
}

/** Each cycle that a search in depth comes upon, as the ids along it. Without recursion: a file may hold a long chain. */
export function findWorkflowCycles({ nodes, outgoingEdges }: WorkflowGraph): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const start of nodes.keys()) {
    if (done.has(start)) continue;
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
    const on = new Set([start]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const target = outgoingEdges.get(top.id)?.[top.next++]?.target_node_id;
      if (target === undefined) {
        done.add(top.id);
        on.delete(top.id);
        path.pop();
      } else if (on.has(target)) {
        cycles.push([...path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id), target]);
      } else if (!done.has(target)) {
        on.add(target);
        path.push({ id: target, next: 0 });
      }
    }
  }
  return cycles;
}

/** Ids in an order in which each comes after all that lead to it (Kahn); of a graph without cycles. */
export function sortNodesTopologically({ nodes, outgoingEdges }: WorkflowGraph): string[] {
  const waits = new Map([...nodes.keys()].map((id) => [id, 0]));
  for (const edges of outgoingEdges.values())
    for (const { target_node_id: to } of edges) waits.set(to, (waits.get(to) ?? 0) + 1);
  const ready = [...waits].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of ready)
    for (const { target_node_id: to } of outgoingEdges.get(id) ?? []) {
      const left = (waits.get(to) ?? 0) - 1;
      waits.set(to, left);
      if (left === 0) ready.push(to);
    }
  return ready;
}

export const findEdgeTarget = ({ outgoingEdges }: WorkflowGraph, id: string, type: EdgeKind): string | null =>
  outgoingEdges.get(id)?.findLast((edge) => edge.type === type)?.target_node_id ?? null;
