import type { Verdict } from '../../contract/evidence/schema.ts';
import { VERDICT_EDGE_KINDS, VERIFICATION_EDGE_KINDS } from '../../contract/workflow/kinds.ts';
import { findEdgeTarget, findReachableNodes, type WorkflowGraph } from './workflow-graph.ts';

export interface VerdictRoute {
  /** Where it goes on; null: no edge of that verdict. */
  readonly taken: string | null;
  /** What is only on the ways that were not taken: a node where ways meet again is kept. */
  readonly skipped: readonly string[];
}

/** Where a verdict leads out of a verification node. */
export function routeVerdict(graph: WorkflowGraph, node: string, verdict: Verdict['verdict']): VerdictRoute {
  const taken = findEdgeTarget(graph, node, VERDICT_EDGE_KINDS[verdict]);
  if (taken === null) return { taken: null, skipped: [] };
  const kept = findReachableNodes(graph, taken);
  const others = VERIFICATION_EDGE_KINDS.flatMap((type) => findEdgeTarget(graph, node, type) ?? []).filter(
    (target) => target !== taken,
  );
  const skipped = new Set(others.flatMap((target) => [...findReachableNodes(graph, target)]));
  return { taken, skipped: [...skipped].filter((id) => !kept.has(id)) };
}
