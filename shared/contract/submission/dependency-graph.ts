/** A cycle in the graph as a path that ends where it began (`a`, `b`, `a`), or null. Edges to unknown nodes are ignored. */
export function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | null {
  const finished = new Set<string>();
  for (const start of edges.keys()) {
    const path: string[] = [];
    const visit = (node: string): string[] | null => {
      const at = path.indexOf(node);
      if (at >= 0) return [...path.slice(at), node];
      if (finished.has(node)) return null;
      path.push(node);
      for (const next of edges.get(node) ?? []) {
        const cycle = visit(next);
        if (cycle) return cycle;
      }
      path.pop();
      finished.add(node);
      return null;
    };
    const cycle = visit(start);
    if (cycle) return cycle;
  }
  return null;
}

/** The nodes so that each comes after those it points to. The graph must have no cycle. */
export function sortDependenciesFirst(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (node: string): void => {
    if (seen.has(node) || !edges.has(node)) return;
    seen.add(node);
    for (const next of edges.get(node) ?? []) visit(next);
    order.push(node);
  };
  for (const node of edges.keys()) visit(node);
  return order;
}
