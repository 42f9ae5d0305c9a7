import type { SignalEvidence } from '../evidence/schema.ts';
import { outcomeOf } from '../process/outcome.ts';
import { checkSignal, isStatic } from '../signals/check.ts';
import type { CompletionSignal } from '../task/signals.ts';
import type { GateContext } from './gate.ts';

/** Looks at one signal that needs no command. `root` is the real path of a checkout of the patch's own tree. */
export async function lookAt(root: string, signal: CompletionSignal): Promise<SignalEvidence | null> {
  if (!isStatic(signal)) return null;
  const started = performance.now();
  const checked = await checkSignal(root, signal).catch((error: unknown) => ({
    outcome: 'infra_failed' as const,
    detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return {
    type: signal.type,
    signal,
    ...checked,
    kind: 'checked_by_us',
    duration_ms: Math.round(performance.now() - started),
  };
}

/** Runs the command of a `test_passes` signal in a room of its own. */
export async function runSignal(
  context: Pick<GateContext, 'rooms' | 'tree'>,
  signal: Extract<CompletionSignal, { type: 'test_passes' }>,
): Promise<SignalEvidence> {
  const room = await context.rooms.enter(context.tree);
  const result = await room.run({ line: signal.command }, signal.timeout_s * 1_000);
  return {
    type: signal.type,
    signal,
    ...outcomeOf(result),
    kind: 'executed_by_us',
    duration_ms: result.durationMs,
  };
}
