import { availableParallelism } from 'node:os';
import { changesBetween, touchedPaths } from '../checkout/changes.ts';
import type { Store } from '../checkout/store.ts';
import type { Evidence, SignalEvidence } from '../evidence/schema.ts';
import { pooled } from '../process/pool.ts';
import type { RunAs } from '../process/run-as.ts';
import type { CompletionSignal } from '../task/signals.ts';
import { baseConfig } from './base-config.ts';
import type { GateContext } from './gate.ts';
import { pipelineOf } from './pipeline.ts';
import { Rooms } from './rooms.ts';
import { type Bypass, gateJobs } from './runner.ts';
import { lookAt, runSignal } from './signals.ts';

export interface GatherOptions {
  /** Holds both trees. */
  readonly store: Store;
  /** Commit that the work started from. */
  readonly base: string;
  /** Tree hash of the work. */
  readonly tree: string;
  readonly signals: readonly CompletionSignal[];
  /** An existing, empty folder for checkouts; the caller removes it. */
  readonly workDir: string;
  readonly runAs?: RunAs | null;
  /** Configuration to use instead of the base commit's. */
  readonly config?: { readonly file: string; readonly text: string };
  readonly bypasses?: readonly Bypass[];
  /** Commands at once; default: one per core. */
  readonly parallel?: number;
  readonly abort?: AbortSignal;
}

/**
 * Looks at one tree: completion signals and gates. The same code for the gates box and `assay check`.
 * @throws ConfigError when the configuration of the base commit cannot be used.
 */
export async function gatherEvidence(options: GatherOptions): Promise<Evidence> {
  const started = performance.now();
  const { store, base, tree, signals } = options;
  const changes = await changesBetween(store, base, tree);
  const changedPaths = touchedPaths(changes);
  const config = await baseConfig(store, base, options.config ?? null);
  const rooms = new Rooms({
    store,
    base,
    workDir: options.workDir,
    runAs: options.runAs ?? null,
    ...(options.abort ? { abort: options.abort } : {}),
  });
  const context: Omit<GateContext, 'command'> = {
    changes,
    changedPaths,
    tree,
    rooms,
    tests: { deleted: [], weakened: [], modified: [] },
    timeoutMs: (config?.gates.timeout_s ?? 120) * 1_000,
  };
  const looked = await lookAtAll(rooms, tree, signals);
  const jobs = [
    ...signals.flatMap((signal, index) =>
      signal.type === 'test_passes'
        ? [async () => ({ index, signal: await runSignal(context, signal) })]
        : [],
    ),
    ...gateJobs(
      pipelineOf(config?.gates ?? null),
      context,
      config?.gates.settings ?? {},
      options.bypasses ?? [],
    ).map((job) => async () => ({ gate: await job() })),
  ];
  const done = await pooled<Awaited<ReturnType<(typeof jobs)[number]>>>(
    options.parallel ?? availableParallelism(),
    jobs,
  );
  const ran = new Map(done.flatMap((each) => ('signal' in each ? [[each.index, each.signal] as const] : [])));
  return {
    schema_version: 1,
    base_commit: base,
    tree,
    empty_patch: changes.length === 0,
    changed_files: changedPaths,
    signals: signals.flatMap((_, index) => looked.get(index) ?? ran.get(index) ?? []),
    gates: done.flatMap((each) => ('gate' in each ? [each.gate] : [])),
    protected_files: [],
    gathered_at: new Date().toISOString(),
    duration_ms: Math.round(performance.now() - started),
  };
}

/** Static signals are answered on the patch's own tree before any command runs, so that none can make them true. */
async function lookAtAll(
  rooms: Rooms,
  tree: string,
  signals: readonly CompletionSignal[],
): Promise<Map<number, SignalEvidence>> {
  const looked = new Map<number, SignalEvidence>();
  if (!signals.some((signal) => signal.type !== 'test_passes')) return looked;
  const room = await rooms.enter(tree);
  for (const [index, signal] of signals.entries()) {
    const evidence = await lookAt(room.root, signal);
    if (evidence) looked.set(index, evidence);
  }
  return looked;
}
