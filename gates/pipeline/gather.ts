import { availableParallelism } from 'node:os';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import type { Expectation } from '../../shared/contract/submission/expects.ts';
import { type CompletionSignal, isJudged } from '../../shared/contract/submission/signals.ts';
import { shownPath } from '../../workspace/git/path-bytes.ts';
import type { Store } from '../../workspace/git/store.ts';
import type { Upstream } from '../../workspace/git/upstream.ts';
import type { RunAs } from '../../workspace/process/run-as.ts';
import { ConfigError } from '../core/configuration-error.ts';
import { CONFIG_FILE } from '../core/configuration-file.ts';
import type { HiddenResult, HiddenTests } from '../core/hidden-result.ts';
import type { Judge, JudgedTask } from '../core/judge.ts';
import type { Memory } from '../core/memory.ts';
import { Rooms } from '../core/rooms.ts';
import type { Subject } from '../core/subject.ts';
import { allowedFiles } from '../rules/allowed-files.ts';
import { settingsAt } from '../rules/framework/levels.ts';
import { allowanceOf } from '../rules/protect/allowance.ts';
import { isStatic } from '../signals/check.ts';
import { baseConfig } from './base-config.ts';
import { basePipeline } from './base-pipeline.ts';
import { standingBypasses } from './bypass.ts';
import type { LoadedConfig } from './configuration/load.ts';
import { makeSubject } from './make-subject.ts';
import type { Bypass, RunnerOptions } from './runner.ts';
import { type GateJob, runJobs } from './schedule.ts';
import { lookAtSignals, runSignal, unasked } from './signals.ts';

export interface GatherOptions {
  /** Holds both trees. */
  readonly store: Store;
  /** Commit that the work started from. */
  readonly base: string;
  /** Tree hash of the work. */
  readonly tree: string;
  readonly signals: readonly CompletionSignal[];
  /** Files that the task names, and kinds of change that it foresees. */
  readonly files?: readonly string[];
  readonly expects?: readonly Expectation[];
  /** Says where the branch stands that the work is to go to. Absent: nobody here knows. */
  readonly upstream?: () => Promise<Upstream | null>;
  /** An existing, empty folder for checkouts; the caller removes it. */
  readonly workDir: string;
  /** Users for the rooms, where we may change user. */
  readonly users?: readonly RunAs[] | null;
  /** Configuration to use instead of the base commit's. */
  readonly config?: { readonly file: string; readonly text: string };
  readonly bypasses?: readonly Bypass[];
  /** The task that the work is for, when it is known. */
  readonly task?: JudgedTask | null;
  /** Tests that whoever asked for the work keeps to himself, as blobs of the store; absent or null: none. */
  readonly hidden?: HiddenTests | null;
  /** The model that gates may ask; absent: no provider is configured. */
  readonly judge?: Judge | null;
  /** What outlives this run; absent: nothing. */
  readonly memory?: Memory | null;
  /** Names what else the tools come from, such as the image of the container; asked only when something is to be remembered. */
  readonly image?: () => Promise<string | null>;
  /** False: results and baselines are neither looked up nor kept, as with `cache_enabled: false`. */
  readonly remember?: boolean;
  /** What tells this repository from others in what outlives this run, such as its address. */
  readonly repository?: string | null;
  /** Gets every test case of the first run of a gate, or those that were remembered with its result. */
  readonly onTests?: RunnerOptions['onTests'];
  /** Gets the pictures that a gate has taken, which the evidence only names. */
  readonly onShots?: RunnerOptions['onShots'];
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
  const { store, base, tree, signals, workDir, abort } = options;
  const rooms = new Rooms({
    store,
    base,
    workDir,
    users: options.users ?? null,
    ...(abort ? { abort } : {}),
  });
  const hasStatic = signals.some(isStatic);
  const { files = [], expects = [] } = options;
  const task = options.task ? { ...options.task, expects: options.task.expects ?? expects } : null;
  const configured = baseConfig(store, base, options.config ?? null);
  const [config, pipeline, subject, looked] = await Promise.all([
    configured,
    basePipeline(store, base),
    makeSubject({
      store,
      base,
      tree,
      rooms,
      allowed: async () => allowanceOf({ files, expects, allow: (await configured)?.protected.allow ?? [] }),
      ...(options.upstream ? { upstream: options.upstream } : {}),
    }),
    hasStatic
      ? rooms.look(tree).then((root) => lookAtSignals(root, signals))
      : new Map<number, Evidence['signals'][number]>(),
  ]);
  const bypasses = options.bypasses ?? [];
  refuseBypass(config, bypasses);
  const standing = config
    ? standingBypasses(config.gates.bypasses, options.task?.id ?? null, new Date())
    : [];

  const hidden: HiddenResult[] = [];
  const gates =
    config === null
      ? NO_GATES
      : await jobsOf(config, subject, {
          ...options,
          task,
          bypasses: [...bypasses, ...standing],
          onHidden: (results) => hidden.push(...results),
        });
  const signalSteps = signals.map((signal, index) => async () => {
    const seen = looked.get(index);
    if (seen) return seen;
    if (isJudged(signal)) return unasked(signal);
    if (signal.type === 'api_responds')
      return (await import('./api-responds.ts')).askService(subject, signal);
    if (signal.type !== 'test_passes') throw new Error(`nobody looked at a ${signal.type} signal`);
    return runSignal(subject, signal, task);
  });
  const signalResults: Evidence['signals'] = [];
  const gateResults = await runJobs(
    gates.jobs.map((job) => timed(job, started)),
    signalSteps.map((step, index) => async () => {
      signalResults[index] = await step();
    }),
    options.parallel ?? availableParallelism(),
  );
  // A gate of several commands may have come to a result without those that were stopped.
  if (!abort?.aborted) await gates.save();
  const changed_files = subject.changedPaths.map(shownPath);
  const protected_files = subject.protectedFiles.map((file) => ({ ...file, path: shownPath(file.path) }));
  // Beside the pipeline, and also without one: which gates a repository runs says nothing about which files a task is about.
  const kept = allowedFiles({
    setting: config?.allowedFiles ?? 'hold',
    files,
    expects,
    changed: changed_files,
    protectedFiles: protected_files,
  });
  const asked = options.hidden
    ? (await import('../tests/comparing/hidden-tests.ts')).hiddenEvidence({
        hidden: options.hidden,
        results: hidden,
        gates: gateResults,
      })
    : null;
  return {
    schema_version: 1,
    base_commit: base,
    tree,
    empty_patch: subject.changes.length === 0,
    changed_files,
    signals: signalResults,
    gates: [...gateResults, ...[kept, asked].flatMap((each) => each ?? [])],
    expects: [...expects],
    protected_files,
    ...(pipeline && { review_pipeline: pipeline }),
    gathered_at: new Date().toISOString(),
    duration_ms: Math.round(performance.now() - started),
  };
}

/** A job that says when it began: how long it took alone does not tell what ran side by side. */
const timed = (job: GateJob, since: number): GateJob => ({
  ...job,
  run: async () => {
    const began_ms = Math.round(performance.now() - since);
    return { ...(await job.run()), began_ms };
  },
});

interface Gates {
  readonly jobs: readonly GateJob[];
  /** Keeps the results for the next run. */
  readonly save: () => Promise<void>;
}
const NO_GATES: Gates = { jobs: [], save: async () => {} };

/** The gates are loaded only when there is a configuration: most of a box's time is its start. */
async function jobsOf(
  { gates, rules }: LoadedConfig,
  subject: Subject,
  {
    bypasses,
    task = null,
    judge = null,
    memory = null,
    remember = true,
    image,
    repository = null,
    hidden = null,
    onTests,
    onShots,
    onHidden,
  }: Pick<RunnerOptions, 'bypasses' | 'task' | 'judge' | 'onHidden'> &
    Pick<GatherOptions, 'memory' | 'remember' | 'image' | 'repository' | 'hidden' | 'onTests' | 'onShots'>,
): Promise<Gates> {
  if (!gates.enabled) return NO_GATES;
  const kept = gates.cache_enabled && remember ? memory : null;
  const loading =
    kept &&
    Promise.all([
      import('./cache/results.ts').then(({ loadResults }) => loadResults(kept, subject)),
      import('./cache/surroundings.ts').then(({ surroundingsOf }) => surroundingsOf(image)),
    ]);
  const [{ pipelineOf }, { gateJobs }] = await Promise.all([import('./pipeline.ts'), import('./runner.ts')]);
  const wanted = (name: string): boolean => gates.pipeline?.some((step) => step.name === name) ?? true;
  const custom = gates.custom_gates.filter(({ name }) => wanted(name));
  const modules = gates.modules.filter(wanted);
  const own =
    custom.length + modules.length === 0
      ? []
      : await (await import('../gates/custom/gates.ts')).customGates(custom, modules, subject);
  const [results = null, surroundings = null] = (await loading) ?? [];
  if (kept && surroundings) {
    const { keepFacts } = await import('../code/kept-facts.ts');
    keepFacts(subject.store, { memory: kept, build: surroundings.build });
  }
  const jobs = await gateJobs(pipelineOf(gates, own), {
    subject,
    settings: gates.settings,
    bypasses,
    task,
    judge,
    results,
    surroundings,
    baselines: kept,
    history: memory,
    repository,
    hidden,
    rules: settingsAt(rules, new Date()),
    ...(onTests ? { onTests } : {}),
    ...(onShots ? { onShots } : {}),
    ...(onHidden ? { onHidden } : {}),
  });
  return { jobs, save: async () => results?.save() };
}

function refuseBypass(config: LoadedConfig | null, bypasses: readonly Bypass[]): void {
  if (bypasses.length === 0 || config?.gates.allow_bypass) return;
  throw new ConfigError(CONFIG_FILE, [
    {
      key: 'quality_gates.allow_bypass',
      line: 1,
      message: 'is not true in the base commit, so no gate may be bypassed',
    },
  ]);
}
