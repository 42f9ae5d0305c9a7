import type { GateEvidence } from '../evidence/schema.ts';
import { outcomeOf } from '../process/outcome.ts';
import type { GateContext, GateResult } from './gate.ts';

/** Runs a command line on a tree, in a room of its own, and says what came of it. */
export async function runOn(context: GateContext, tree: string, command: string): Promise<GateResult> {
  const room = await context.rooms.enter(tree);
  const result = await room.run({ line: command }, context.timeoutMs);
  const metadata: GateEvidence['metadata'] = {
    command,
    exit_code: result.exitCode,
    output_bytes_cut: result.cutBytes,
  };
  return { ...outcomeOf(result), kind: 'executed_by_us', findings: [], metadata };
}

/** A gate that is on, but has nothing to run. Never `passed`. */
export const inert = (detail: string): GateResult => ({
  outcome: 'inert',
  kind: 'executed_by_us',
  findings: [],
  detail,
});
