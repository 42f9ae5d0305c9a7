import type { WorkflowGraph } from './workflow-graph.ts';

/** Who does the work where no node assigns it. */
export const DEFAULT_GENERATOR_AGENT = 'agent';

/** Who may have done the work that comes to a node: the nearest assignments on all ways back from it. */
export function findGeneratorAgents({ nodes, outgoingEdges }: WorkflowGraph, node: string): string[] {
  const into = new Map<string, string[]>();
  for (const [from, edges] of outgoingEdges)
    for (const { target_node_id: to } of edges) into.set(to, [...(into.get(to) ?? []), from]);
  const found = new Set<string>();
  const seen = new Set([node]);
  // An assignment says who does the tasks behind it: those on the way decide, not one that no task follows.
  const walk: { id: string; worked: boolean }[] = [{ id: node, worked: false }];
  for (const { id, worked } of walk) {
    const type = nodes.get(id)?.type;
    if (type === 'agent_assignment' && worked && id !== node) {
      found.add(String(nodes.get(id)?.config['agent_name'] ?? '').trim());
      continue;
    }
    if (type === 'start' && worked) found.add(DEFAULT_GENERATOR_AGENT);
    for (const before of into.get(id) ?? []) {
      const step = { id: before, worked: worked || nodes.get(before)?.type === 'task' };
      const key = `${before}${step.worked ? '#' : ''}`;
      if (seen.has(key)) continue;
      seen.add(key);
      walk.push(step);
    }
  }
  return [...found].filter((name) => name !== '');
}
