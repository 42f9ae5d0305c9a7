import { availableParallelism } from 'node:os';
import type { ExamMode } from '../../shared/contract/evidence/independent.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import {
  type AuthorSignal,
  type CompletionSignal,
  isModelJudgedSignal,
} from '../../shared/contract/submission/signals.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import type { ProcessUser } from '../../workspace/process/process-user.ts';
import { CONFIG_FILE, ConfigError } from '../core/configuration-file.ts';
import type { HiddenTestFiles, HiddenTestsResult } from '../core/hidden-tests-result.ts';
import type { Judge, PatchTask } from '../core/judge.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import type { PersistentCache } from '../core/persistent-cache.ts';
import { SandboxFactory } from '../core/sandbox-factory.ts';
import type { EnvironmentSetting } from '../environment/environment-setting.ts';
import { checkAllowedFiles } from '../rules/allowed-files.ts';
import { splitExpiredRuleSettings } from '../rules/framework/rule-levels.ts';
import { isFileBasedSignal } from '../signals/check-static-signal.ts';
import type { IndependentTests } from '../tests/exam/independent-tests.ts';
import { buildPatchCompletenessEvidence, type UncheckedPath } from './complete-patch-evidence.ts';
import type { GateBypassSetting } from './configuration/config-schema.ts';
import type { ParsedAssayConfig } from './configuration/parse-config.ts';
import { createPatchToCheck } from './create-patch-to-check.ts';
import type { GateBypass, GateRunnerOptions } from './gate-runner.ts';
import { loadBaseConfig, loadBaseReviewPipeline } from './load-base-config.ts';
import {
  checkStaticSignals,
  createDisallowedSignalEvidence,
  createUnjudgedSignalEvidence,
  runTestSignal,
} from './run-signals.ts';
import { type GateJob, runGateJobs } from './schedule-gate-jobs.ts';

export interface GatherEvidenceOptions {
  /** Holds both trees. */
  readonly store: GitStore;
  /** Commit that the work started from. */
  readonly base: string;
  /** Tree hash of the work. */
  readonly tree: string;
  readonly signals: readonly CompletionSignal[];
  /** Signals that the author of the work names; those count that the configuration allows. Absent: none. */
  readonly authorSignals?: readonly AuthorSignal[];
  /** What stands in the working tree and is not in `tree`; absent: nothing. */
  readonly missingPaths?: readonly UncheckedPath[];
  /** Files that the task names, and kinds of change that it foresees. */
  readonly files?: readonly string[];
  readonly expectedChanges?: readonly ExpectedChangeKind[];
  /** Role that the task is for; absent: none is known. */
  readonly role?: string;
  /** Says where the branch stands that the work is to go to. Absent: nobody here knows. */
  readonly upstream?: () => Promise<UpstreamBranch | null>;
  /** An existing, empty folder for checkouts; the caller removes it. */
  readonly workDir: string;
  /** Users for the rooms, where we may change user. */
  readonly sandboxUsers?: readonly ProcessUser[] | null;
  /** Configuration to use instead of the base commit's. */
  readonly configOverride?: { readonly file: string; readonly text: string };
  readonly bypasses?: readonly GateBypass[];
  /** The task that the work is for, when it is known. */
  readonly task?: PatchTask | null;
  /** Hidden tests of the task; absent or null: none. */
  readonly hiddenTests?: HiddenTestFiles | null;
  /** Acceptance tests and counterexamples of somebody else than the patch's author; absent or null: none. */
  readonly independentTests?: IndependentTests | null;
  /** Has them written where there are none and the base does not switch them off; absent: nobody writes any. */
  readonly requestIndependentTests?: () => Promise<IndependentTests | null>;
  /** What acceptance tests make of the verdict where the base's configuration does not say, and what the task says before it. */
  readonly examMode?: { readonly task?: ExamMode | undefined; readonly deployment?: ExamMode | undefined };
  /** The model that gates may ask; absent: no provider is configured. */
  readonly judge?: Judge | null;
  /** Folder that keeps prepared environments between runs; absent: none. Nothing that a patch writes may lie there. */
  readonly environmentFolder?: string | null;
  /** Whether commands may use the network after the preparation, where the configuration does not say. Default: true. */
  readonly networkByDefault?: boolean;
  /** Gets one line for each step that takes time. */
  readonly onProgress?: (text: string) => void;
  /** What outlives this run; absent: nothing. */
  readonly persistentCache?: PersistentCache | null;
  /** Names what else the tools come from, such as the image of the container; asked only when something is to be remembered. */
  readonly identifyImage?: () => Promise<string | null>;
  /** False: results and baselines are neither looked up nor kept, as with `cache_enabled: false`. */
  readonly useCache?: boolean;
  /** What tells this repository from others in what outlives this run, such as its address. */
  readonly repository?: string | null;
  /** Gets every test case of the first run of a gate, or those that were remembered with its result. */
  readonly onTests?: GateRunnerOptions['onTests'];
  /** Gets the pictures that a gate has taken, which the evidence only names. */
  readonly onScreenshots?: GateRunnerOptions['onScreenshots'];
  /** Commands at once; default: one per core. */
  readonly maxParallel?: number;
  readonly abort?: AbortSignal;
}

/**
 * Looks at one tree: completion signals and gates. The same code for the gates box and `assay check`.
 * @throws ConfigError when the configuration of the base commit cannot be used.
 */
export async function gatherEvidence(options: GatherEvidenceOptions): Promise<Evidence> {
  const { store, base, tree, workDir, abort } = options;
  const rooms = new SandboxFactory({
    store,
    base,
    tree,
    workDir,
    users: options.sandboxUsers ?? null,
    ...(abort ? { abort } : {}),
  });
  try {
    return await gatherInSandboxes(options, rooms);
  } finally {
    await rooms.release();
  }
}

async function gatherInSandboxes(options: GatherEvidenceOptions, rooms: SandboxFactory): Promise<Evidence> {
  const started = performance.now();
  const { store, base, tree, workDir, abort, authorSignals = [] } = options;
  const signals = [...options.signals, ...authorSignals];
  const hasStatic = signals.some(isFileBasedSignal);
  const { files = [], expectedChanges = [] } = options;
  const task = options.task
    ? { ...options.task, expectedChanges: options.task.expectedChanges ?? expectedChanges }
    : null;
  const configured = loadBaseConfig(store, base, options.configOverride ?? null);
  const [config, pipeline, subject, looked] = await Promise.all([
    configured,
    loadBaseReviewPipeline(store, base),
    createPatchToCheck({
      store,
      base,
      tree,
      rooms,
      // Loaded with the first patch that changes a protected file: most change none.
      loadProtectionPolicy: async (project) => {
        const { createProtectionPolicy } = await import('./create-protection-policy.ts');
        return createProtectionPolicy({
          taskFiles: files,
          expectedChanges,
          config: await configured,
          signals,
          project,
        });
      },
      ...(options.upstream ? { upstream: options.upstream } : {}),
    }),
    hasStatic
      ? rooms.createReadOnlyCheckout(tree).then((root) => checkStaticSignals(root, signals))
      : new Map<number, Evidence['signals'][number]>(),
  ]);
  const independentTests =
    options.independentTests ??
    (examMode(config, options) === 'off' ? null : ((await options.requestIndependentTests?.()) ?? null));
  // Loaded only where a command may run: most of the time of a short check is its start.
  if (config !== null || signals.length > looked.size || independentTests !== null) {
    const { EnvironmentExtension } = await import('../environment/environment-extension.ts');
    rooms.extendSandboxes(
      new EnvironmentExtension({
        sandboxes: rooms,
        base,
        workDir,
        setting: config?.environment ?? null,
        changedPaths: subject.changedPaths,
        cacheFolder: options.environmentFolder ?? null,
        networkByDefault: options.networkByDefault ?? true,
        ...(options.onProgress ? { onProgress: options.onProgress } : {}),
      }),
    );
  }
  const bypasses = options.bypasses ?? [];
  assertBypassAllowed(config, bypasses);
  const standing = config
    ? selectActiveBypasses(config.gates.bypasses, options.task?.id ?? null, new Date())
    : [];

  const runIndependentTests = await prepareTests(subject, independentTests, config, options);
  const hidden: HiddenTestsResult[] = [];
  const gates =
    config === null || independentTests?.only !== undefined
      ? NO_PREPARED_GATES
      : await prepareGates(config, subject, {
          ...options,
          task,
          bypasses: [...bypasses, ...standing],
          onHiddenTestsResults: (results) => hidden.push(...results),
        });
  const signalSteps = signals.map((signal, index) => async () => {
    if (
      index >= options.signals.length &&
      !(config?.authorSignals ?? []).some((type) => type === signal.type)
    )
      return createDisallowedSignalEvidence(signal);
    const seen = looked.get(index);
    if (seen) return seen;
    if (isModelJudgedSignal(signal)) return createUnjudgedSignalEvidence(signal);
    if (signal.type === 'api_responds')
      return (await import('./api-responds.ts')).checkApiResponds(subject, signal);
    if (signal.type !== 'test_passes') throw new Error(`nobody looked at a ${signal.type} signal`);
    return runTestSignal(subject, signal, task);
  });
  const signalResults: Evidence['signals'] = [];
  const gateResults = await runGateJobs(
    gates.jobs.map((job) => withStartTime(job, started)),
    signalSteps.map((step, index) => async () => {
      const result = await step();
      signalResults[index] = index < options.signals.length ? result : { ...result, by_author: true };
    }),
    options.maxParallel ?? availableParallelism(),
  );
  const independent = abort?.aborted ? [] : await runIndependentTests();
  // A gate of several commands may have come to a result without those that were stopped.
  if (!abort?.aborted) await gates.save();
  const changed_files = subject.changedPaths.map(toDisplayPath);
  const protected_files = subject.protectedFiles.map((file) => ({ ...file, path: toDisplayPath(file.path) }));
  // Beside the pipeline, and also without one: which gates a repository runs says nothing about which files a task is about.
  const kept = checkAllowedFiles({
    setting: config?.allowedFiles ?? 'warning',
    taskFiles: files,
    expectedChanges,
    changedPaths: changed_files,
    protectedFiles: protected_files,
  });
  const missing = buildPatchCompletenessEvidence(options.missingPaths ?? [], {
    changes: subject.changes,
    // A task file of a check may name signals alone, and then says nothing of the work.
    task: task && task.title !== '' ? { files, expectedChanges, signals, role: options.role ?? null } : null,
  });
  const asked = options.hiddenTests
    ? (await import('../tests/comparing/hidden-tests-evidence.ts')).buildHiddenTestsEvidence({
        hiddenTests: options.hiddenTests,
        results: hidden,
        gates: gateResults,
      })
    : null;
  return {
    schema_version: 1,
    base_commit: base,
    tree,
    empty_patch: subject.changes.length === 0 && missing === null,
    changed_files,
    signals: signalResults,
    gates: [...independent, ...gateResults, ...[kept, missing, asked].flatMap((each) => each ?? [])],
    expected_changes: [...expectedChanges],
    protected_files,
    ...(pipeline && { review_pipeline: pipeline }),
    ...(config?.challenge && { challenge: config.challenge }),
    gathered_at: new Date().toISOString(),
    duration_ms: Math.round(performance.now() - started),
  };
}

/** What acceptance tests make of the verdict: as the task says, else the repository, else the deployment. */
const examMode = (
  config: ParsedAssayConfig | null,
  { examMode: { task, deployment } = {} }: Pick<GatherEvidenceOptions, 'examMode'>,
): ExamMode => task ?? config?.acceptanceTests.mode ?? deployment ?? 'gate';

const NO_INDEPENDENT_TESTS = async (): Promise<Evidence['gates']> => [];

/** Validates independent tests on the base, and returns what runs them on the patch. */
async function prepareTests(
  subject: PatchToCheck,
  tests: IndependentTests | null,
  config: ParsedAssayConfig | null,
  options: Pick<GatherEvidenceOptions, 'examMode'>,
): Promise<() => Promise<Evidence['gates']>> {
  const mode = tests?.mode ?? examMode(config, options);
  if (tests === null) return NO_INDEPENDENT_TESTS;
  if (mode === 'off') {
    if (tests.facts?.['exam_submitted'] !== true) return NO_INDEPENDENT_TESTS;
    const { buildMissingExamEvidence } = await import('../tests/exam/exam-evidence.ts');
    const why = 'the exam of the task did not run: `acceptance_tests` is off';
    return async () => [buildMissingExamEvidence({ outcome: 'skipped', why, wasAsked: false }, mode)];
  }
  const { prepareIndependentTests } = await import('../tests/exam/independent-tests.ts');
  return prepareIndependentTests(subject, tests, { mode, timeout_s: config?.acceptanceTests.timeout_s });
}

/** A job that says when it began: how long it took alone does not tell what ran side by side. */
const withStartTime = (job: GateJob, since: number): GateJob => ({
  ...job,
  run: async () => {
    const start_offset_ms = Math.round(performance.now() - since);
    return { ...(await job.run()), start_offset_ms };
  },
});

interface PreparedGates {
  readonly jobs: readonly GateJob[];
  /** Keeps the results for the next run. */
  readonly save: () => Promise<void>;
}
const NO_PREPARED_GATES: PreparedGates = { jobs: [], save: async () => {} };

/** The gates are loaded only when there is a configuration: most of a box's time is its start. */
async function prepareGates(
  { gates, rules, environment }: ParsedAssayConfig,
  subject: PatchToCheck,
  {
    bypasses,
    task = null,
    judge = null,
    persistentCache = null,
    useCache = true,
    identifyImage,
    repository = null,
    hiddenTests = null,
    onTests,
    onScreenshots,
    onHiddenTestsResults,
  }: Pick<GateRunnerOptions, 'bypasses' | 'task' | 'judge' | 'onHiddenTestsResults'> &
    Pick<
      GatherEvidenceOptions,
      | 'persistentCache'
      | 'useCache'
      | 'identifyImage'
      | 'repository'
      | 'hiddenTests'
      | 'onTests'
      | 'onScreenshots'
    >,
): Promise<PreparedGates> {
  if (!gates.enabled) return NO_PREPARED_GATES;
  const kept = gates.cache_enabled && useCache ? persistentCache : null;
  const loading =
    kept &&
    Promise.all([
      import('./cache/result-cache.ts').then(({ loadGateResultCache }) => loadGateResultCache(kept, subject)),
      import('./cache/read-execution-environment.ts').then(({ readExecutionEnvironment }) =>
        readExecutionEnvironment(
          identifyImage,
          environment === null ? null : () => environmentKeyOf(subject, environment),
        ),
      ),
    ]);
  const [{ resolveGatePipeline }, { createGateJobs }] = await Promise.all([
    import('./gate-pipeline.ts'),
    import('./gate-runner.ts'),
  ]);
  const wanted = (name: string): boolean => gates.pipeline?.some((step) => step.name === name) ?? true;
  const custom = gates.custom_gates.filter(({ name }) => wanted(name));
  const modules = gates.modules.filter(wanted);
  const own =
    custom.length + modules.length === 0
      ? []
      : await (await import('../gates/custom/load-custom-gates.ts')).loadCustomGates(
          custom,
          modules,
          subject,
        );
  const [results = null, surroundings = null] = (await loading) ?? [];
  if (kept && surroundings) {
    const [{ enableImportCache }, { enableToolVersionCache }] = await Promise.all([
      import('../code/import-cache.ts'),
      import('../tests/running/tool-version.ts'),
    ]);
    enableImportCache(subject.store, { memory: kept, build: surroundings.build });
    enableToolVersionCache(subject.sandboxes, { cache: kept, environment: surroundings });
  }
  const jobs = await createGateJobs(resolveGatePipeline(gates, own), {
    subject,
    settings: gates.settings,
    bypasses,
    task,
    judge,
    resultCache: results,
    executionEnvironment: surroundings,
    baselineCache: kept,
    testHistory: persistentCache,
    repository,
    hiddenTests,
    ruleSettings: splitExpiredRuleSettings(rules, new Date()),
    ...(onTests ? { onTests } : {}),
    ...(onScreenshots ? { onScreenshots } : {}),
    ...(onHiddenTestsResults ? { onHiddenTestsResults } : {}),
  });
  return { jobs, save: async () => results?.save() };
}

function assertBypassAllowed(config: ParsedAssayConfig | null, bypasses: readonly GateBypass[]): void {
  if (bypasses.length === 0 || config?.gates.allow_bypass) return;
  throw new ConfigError(CONFIG_FILE, [
    {
      key: 'quality_gates.allow_bypass',
      line: 1,
      message: 'is not true in the base commit, so no gate may be bypassed',
    },
  ]);
}

/**
 * The bypasses of the configuration that hold for a task now. One whose time is up does nothing: its gate runs again.
 * @param task id of the task; null when none is known, and then only those for every task hold.
 */
export const selectActiveBypasses = (
  entries: readonly GateBypassSetting[],
  task: string | null,
  now: Date,
): GateBypass[] =>
  entries
    .filter((entry) => (entry.task === '*' || entry.task === task) && now < endOf(entry.until))
    .map(({ gate, by, reason, task: of, until }) => ({ gate, actor: by, reason, task: of, until }));

const DAY_MS = 86_400_000;

/** A day counts to its end. */
const endOf = (until: string): Date =>
  until.includes('T') ? new Date(until) : new Date(Date.parse(until) + DAY_MS);

async function environmentKeyOf(
  { store, base }: Pick<PatchToCheck, 'store' | 'base'>,
  setting: EnvironmentSetting,
): Promise<string> {
  const { computeEnvironmentKey } = await import('../environment/environment-key.ts');
  return computeEnvironmentKey(store, base, setting);
}
