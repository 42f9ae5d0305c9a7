import type { Verdict } from '../../contract/evidence/schema.ts';
import { EDGE_OF_VERDICT, VERIFICATION_EDGES } from '../../contract/workflow/kinds.ts';
import { type Graph, reachable, targetOf } from './graph.ts';

export interface Routed {
  /** Where it goes on; null: no edge of that verdict. */
  readonly taken: string | null;
  /** What is only on the ways that were not taken: a node where ways meet again is kept. */
  readonly skipped: readonly string[];
}

/** Where a verdict leads out of a verification node. */
export function route(graph: Graph, node: string, verdict: Verdict['verdict']): Routed {
  const taken = targetOf(graph, node, EDGE_OF_VERDICT[verdict]);
  if (taken === null) return { taken: null, skipped: [] };
  const kept = reachable(graph, taken);
  const others = VERIFICATION_EDGES.flatMap((type) => targetOf(graph, node, type) ?? []).filter(
    (target) => target !== taken,
  );
  const skipped = new Set(others.flatMap((target) => [...reachable(graph, target)]));
  return { taken, skipped: [...skipped].filter((id) => !kept.has(id)) };
}
