import type { SignalEvidence } from '../../shared/contract/evidence/schema.ts';
import type { CompletionSignal, ModelJudgedSignal } from '../../shared/contract/submission/signals.ts';
import type { GateContext, GateResult } from '../core/gate.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import { EnvironmentPreparationError } from '../core/sandbox-extension.ts';
import { countTestsRun } from '../reports/tool-report.ts';
import {
  checkFileBasedSignal,
  FolderListingCache,
  isFileBasedSignal,
} from '../signals/check-static-signal.ts';
import type { TreeTestRunner } from '../tests/experiments/engine/experiment.ts';
import type { CompletedCommandRun } from '../tests/running/command-run.ts';
import { rerunCommandWithBaseScripts } from '../tests/running/run-with-base-scripts.ts';

const createInfraFailure = (error: unknown): Pick<SignalEvidence, 'outcome' | 'detail'> => ({
  outcome: error instanceof EnvironmentPreparationError ? 'could_not_run' : 'infra_failed',
  detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
});

/**
 * Looks at the signals that need no command, by their place in `signals`. They are answered before any command runs, so that none
 * can make them true.
 * @param root real path of a checkout of the patch's own tree.
 */
export async function checkStaticSignals(
  root: string,
  signals: readonly CompletionSignal[],
): Promise<Map<number, SignalEvidence>> {
  const seen = new Map<number, SignalEvidence>();
  // Nothing has run: what lies where stays as it is.
  const listing = new FolderListingCache(root);
  for (const [index, signal] of signals.entries()) {
    if (!isFileBasedSignal(signal)) continue;
    const started = performance.now();
    const checked = await checkFileBasedSignal(root, signal, { listing }).catch(createInfraFailure);
    seen.set(index, {
      type: signal.type,
      signal,
      ...checked,
      kind: 'checked',
      duration_ms: Math.round(performance.now() - started),
    });
  }
  return seen;
}

/** A signal that a model is asked about, where there is none: the janitor of a deployment asks it. */
export const createUnjudgedSignalEvidence = (signal: ModelJudgedSignal): SignalEvidence => ({
  type: signal.type,
  signal,
  outcome: 'could_not_run',
  detail: 'a model is asked by the janitor of a deployment, and nobody here can be',
  kind: 'judged',
  duration_ms: 0,
});

/** A signal of the author that the base does not allow. */
export const createDisallowedSignalEvidence = (signal: CompletionSignal): SignalEvidence => ({
  type: signal.type,
  signal,
  outcome: 'skipped',
  detail: `not checked: author_signals in assay.yaml of the base does not list ${signal.type}`,
  kind: 'checked',
  duration_ms: 0,
});

/**
 * Runs the command of a `test_passes` signal. Where it passes, what ran is compared with the base, as the tests gate does. Never rejects.
 */
export async function runTestSignal(
  subject: PatchToCheck,
  signal: Extract<CompletionSignal, { type: 'test_passes' }>,
  task: GateContext['task'] = null,
): Promise<SignalEvidence> {
  const started = performance.now();
  const result = await runAndCompare(
    { subject, task, timeoutMs: signal.timeout_s * 1_000 },
    signal.command,
  ).catch(createInfraFailure);
  return {
    type: signal.type,
    signal,
    outcome: result.outcome,
    detail: result.detail,
    kind: 'executed',
    duration_ms: Math.round(performance.now() - started),
  };
}

async function runAndCompare(
  context: Pick<GateContext, 'subject' | 'task' | 'timeoutMs'>,
  command: string,
): Promise<Pick<GateResult, 'outcome' | 'detail'>> {
  const { subject, timeoutMs } = context;
  // Loaded only where a signal runs something: most of a box's time is its start.
  const [{ runTests }, { runExperimentsAgainstBase }, { buildBaselineResult }] = await Promise.all([
    import('../tests/gate-runs/run-tests.ts'),
    import('../tests/experiments/compare-with-base.ts'),
    import('../tests/comparing/baseline-result.ts'),
  ]);
  const again: TreeTestRunner = (tree, { limitMs = timeoutMs, ...options } = {}) =>
    runTests(subject, command, tree, Math.min(timeoutMs, limitMs), options);
  let first: CompletedCommandRun | null = null;
  const result = await rerunCommandWithBaseScripts(subject, command, async (tree) => {
    const run = await again(tree);
    first ??= run;
    const [complaint] = run.report?.findings ?? [];
    return run.outcome === 'passed' && complaint
      ? {
          outcome: 'failed' as const,
          detail: `exit ${run.processResult.exitCode}, but its report says: ${complaint.message}`,
        }
      : run;
  });
  // It is assigned where the command was run.
  const run = first as CompletedCommandRun | null;
  if (run === null) return result;
  const told =
    subject.changes.length === 0
      ? result
      : await runExperimentsAgainstBase(context, {
          result: { ...result, kind: 'executed' },
          run,
          getBaseline: async () => buildBaselineResult(await again(subject.base)),
          runTests: again,
          timeLimitMs: timeoutMs,
          timeLeftMs: () => timeoutMs,
        });
  // `node --test` ends with 0 where it finds no test, or may not look for them.
  const nothing = run.cases !== null && countTestsRun(run.cases) === 0;
  return nothing && told.outcome === 'passed' ? { outcome: 'could_not_run', detail: 'no test ran' } : told;
}
