import type { SignalEvidence } from '../../shared/evidence/schema.ts';
import type { CompletionSignal } from '../../shared/task/signals.ts';
import { outcomeOf } from '../process/outcome.ts';
import { checkSignal, isStatic } from '../signals/check.ts';
import { guarded } from './guarded.ts';
import type { Subject } from './subject.ts';

const broken = (error: unknown) => ({
  outcome: 'infra_failed' as const,
  detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
});

/**
 * Looks at the signals that need no command, by their place in `signals`. They are answered before any command runs, so that none
 * can make them true.
 * @param root real path of a checkout of the patch's own tree.
 */
export async function lookAtSignals(
  root: string,
  signals: readonly CompletionSignal[],
): Promise<Map<number, SignalEvidence>> {
  const seen = new Map<number, SignalEvidence>();
  for (const [index, signal] of signals.entries()) {
    if (!isStatic(signal)) continue;
    const started = performance.now();
    const checked = await checkSignal(root, signal).catch(broken);
    seen.set(index, {
      type: signal.type,
      signal,
      ...checked,
      kind: 'checked_by_us',
      duration_ms: Math.round(performance.now() - started),
    });
  }
  return seen;
}

/** Runs the command of a `test_passes` signal; tests that the patch takes away are run with it. Never rejects. */
export async function runSignal(
  subject: Subject,
  signal: Extract<CompletionSignal, { type: 'test_passes' }>,
): Promise<SignalEvidence> {
  const started = performance.now();
  const result = await guarded(
    subject,
    signal.command,
    async (tree) => {
      const room = await subject.rooms.enter(tree);
      return outcomeOf(await room.run({ line: signal.command }, signal.timeout_s * 1_000));
    },
    true,
  ).catch(broken);
  return {
    type: signal.type,
    signal,
    outcome: result.outcome,
    detail: result.detail,
    kind: 'executed_by_us',
    duration_ms: Math.round(performance.now() - started),
  };
}
