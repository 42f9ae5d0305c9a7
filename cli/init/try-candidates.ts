import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaseFileReader } from '../../gates/core/base-file-reader.ts';
import type { GatePlan, GateResult, PlannedCommand } from '../../gates/core/gate.ts';
import type { PatchToCheck } from '../../gates/core/patch-to-check.ts';
import { EnvironmentPreparationError } from '../../gates/core/sandbox-extension.ts';
import { SandboxFactory } from '../../gates/core/sandbox-factory.ts';
import {
  createRepositoryFiles,
  type DetectedDependencySetup,
} from '../../gates/environment/detect/repository-files.ts';
import { detectDependencySetup } from '../../gates/environment/detect-setup.ts';
import { EnvironmentExtension } from '../../gates/environment/environment-extension.ts';
import { type EnvironmentCommand, EnvironmentSetting } from '../../gates/environment/environment-setting.ts';
import { findGate } from '../../gates/gates/gate-registry.ts';
import { planGateCommands } from '../../gates/pipeline/cache-key.ts';
import type { ParsedAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { createPatchToCheck } from '../../gates/pipeline/create-patch-to-check.ts';
import { resolveGatePipeline } from '../../gates/pipeline/gate-pipeline.ts';
import { findToolVersion } from '../../gates/tests/running/tool-version.ts';
import { type GitStore, readSingleLine, runGitInStoreOrThrow } from '../../workspace/git/git-store.ts';
import { listFiles } from '../../workspace/git/list-files.ts';
import { findRepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { captureWorkingTree } from '../../workspace/git/working-tree.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { resolveCacheFolder, resolveEnvironmentCacheFolder } from '../check/resolve-cache-folder.ts';
import { findProgramOnPath } from '../gates/find-tool.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { type CandidateGate, isPytestNeeded, listCandidateGates } from './candidate-gates.ts';

/** Longest time for one candidate, in milliseconds. */
const CANDIDATE_TIMEOUT_MS = 1_200_000;

/** What came of a candidate in a bare checkout. */
export interface GateTrialResult {
  readonly candidate: CandidateGate;
  readonly result: GateResult;
  readonly durationMs: number;
}

export interface InitEnvironmentTrialResult {
  /** Setup lines, with the files that they come from. */
  readonly setups: readonly DetectedDependencySetup[];
  /** Why the lines failed; null: they ran, or there are none. */
  readonly problem: string | null;
  readonly durationMs: number;
  /** Untracked paths that the setup built from sources; sandboxes do not get them. */
  readonly dropped: readonly string[];
}

export interface GateTrialRun {
  readonly environment: InitEnvironmentTrialResult;
  /** Of each gate the first candidate that passed, and those that were tried before. */
  readonly tried: readonly GateTrialResult[];
}

/** The last commit of a repository, in a store that the trial may use. */
interface TrialBase {
  readonly dir: string;
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
  readonly paths: readonly string[];
  /** An existing folder for this trial. */
  readonly at: string;
  /** Folder that keeps prepared environments. */
  readonly cacheFolder: string;
  readonly abort: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** @throws InterruptedError if the user has ended the trial */
  readonly throwIfStopped: () => void;
}

/** An environment with the subject whose commands run in it. */
interface OpenEnvironment {
  readonly environment: InitEnvironmentTrialResult;
  readonly subject: PatchToCheck;
}

/** Calls a function with the last commit of a repository; nothing of it stays afterwards. */
async function withTrialBase<Value>(
  dir: string,
  onProgress: (text: string) => void,
  work: (trial: TrialBase) => Promise<Value>,
): Promise<Value> {
  const stopping = stopOnSignals();
  const at = await mkdtemp(join(tmpdir(), 'assay-init-'));
  try {
    const layout = await findRepositoryLayout(dir);
    const { store, base } = await captureWorkingTree(dir, 'HEAD', at, Promise.resolve(layout));
    return await work({
      dir,
      store,
      base,
      tree: readSingleLine(await runGitInStoreOrThrow(store, ['rev-parse', `${base}^{tree}`])),
      paths: (await listFiles(store, base)).map(({ path }) => path),
      at,
      cacheFolder: resolveEnvironmentCacheFolder(await resolveCacheFolder(layout, undefined, dir)),
      abort: stopping.abort,
      onProgress,
      throwIfStopped: stopping.throwIfStopped,
    });
  } finally {
    stopping.release();
    await removeFolder(at);
  }
}

/** Prepares an environment for the base, with sandboxes of its own. */
async function openEnvironment(
  { store, base, tree, paths, at, cacheFolder, abort, onProgress }: TrialBase,
  setting: EnvironmentSetting | null,
  setups: readonly DetectedDependencySetup[],
): Promise<OpenEnvironment> {
  const started = performance.now();
  const workDir = await mkdtemp(join(at, 'sandboxes-'));
  const sandboxes = new SandboxFactory({ store, base, tree, workDir, users: null, abort });
  const extension = new EnvironmentExtension({
    sandboxes,
    base,
    workDir,
    setting,
    changedPaths: [],
    cacheFolder,
    networkByDefault: true,
    onProgress,
  });
  sandboxes.extendSandboxes(extension);
  const plain = await createPatchToCheck({ store, base, tree, rooms: sandboxes });
  const prepared = await extension.prepare(base).then(
    (result) => ({ dropped: result?.dropped ?? [], problem: null }),
    (error: unknown) => {
      if (error instanceof EnvironmentPreparationError) return { dropped: [], problem: error.message };
      throw error;
    },
  );
  return {
    environment: { setups, ...prepared, durationMs: performance.now() - started },
    // As if every file were changed, and none differently from the base: old findings count as old.
    subject: { ...plain, changedPaths: paths },
  };
}

/**
 * Prepares a bare checkout of the last commit and runs candidates in it. Writes nothing to the repository.
 * @param onProgress gets one line for each step.
 * @throws CheckoutError if the folder is in no repository, or the repository has no commit
 */
export const tryCandidateGates = (dir: string, onProgress: (text: string) => void): Promise<GateTrialRun> =>
  withTrialBase(dir, onProgress, async (trial) => {
    const open = (setups: readonly DetectedDependencySetup[]): Promise<OpenEnvironment> =>
      openEnvironment(
        trial,
        setups.length === 0
          ? null
          : EnvironmentSetting.parse({
              setup: setups.flatMap(({ lines }) => toSettings(lines)),
              warm_up: setups.flatMap(({ warmUp = [] }) => toSettings(warmUp)),
            }),
        setups,
      );
    const read = createBaseFileReader(trial.store, trial.base);
    const files = { paths: new Set(trial.paths), baseFile: read };
    const detected = await detectDependencySetup(createRepositoryFiles(trial.paths, read, findProgramOnPath));
    const { environment, subject } = await prepareWithFallback(detected, open, async (opened) => {
      if (!(await isPytestNeeded(files))) return false;
      const line = 'command -v pytest >/dev/null || exit 127; pytest --version';
      const pytest = { name: 'pytest', versionLine: line, installHint: '' };
      return (await findToolVersion(opened.subject.sandboxes, trial.base, pytest)) === null;
    });
    trial.throwIfStopped();
    const tried: GateTrialResult[] = [];
    for (const candidate of await listCandidateGates(files)) {
      if (tried.some((each) => each.candidate.gate === candidate.gate && isGateTrialUsable(each))) continue;
      const one = await tryCandidate(candidate, subject, environment.problem, trial.onProgress);
      trial.throwIfStopped();
      if (one !== null) tried.push(one);
    }
    return { environment, tried };
  });

/** Gates that run commands of the project, which a configuration may enable. */
const COMMAND_GATES = ['tests', 'type_check', 'lint'] as const;

/**
 * Prepares a bare checkout of the last commit as a configuration says, and runs its gates that run commands of the project.
 * @throws CheckoutError as `tryCandidateGates` does
 */
export const tryConfiguredGates = (
  dir: string,
  { gates, environment: setting }: ParsedAssayConfig,
  onProgress: (text: string) => void,
): Promise<GateTrialRun> =>
  withTrialBase(dir, onProgress, async (trial) => {
    const { environment, subject } = await openEnvironment(trial, setting, []);
    trial.throwIfStopped();
    const tried: GateTrialResult[] = [];
    for (const step of resolveGatePipeline(gates)) {
      const gate = COMMAND_GATES.find((name) => name === step.gate.name);
      if (gate === undefined) continue;
      const candidate: CandidateGate = {
        gate,
        settings: gates.settings as CandidateGate['settings'],
        usesDefaults: step.explicitlyEnabled,
        sign: 'assay.yaml',
      };
      const one = await tryCandidate(candidate, subject, environment.problem, trial.onProgress, step.command);
      trial.throwIfStopped();
      if (one !== null) tried.push(one);
    }
    return { environment, tried };
  });

const toSettings = (lines: readonly EnvironmentCommand[]): EnvironmentSetting['setup'] =>
  lines.map(({ run, folder }) => (folder === '' ? run : { run, folder }));

/** Prepares with all lines, then without install scripts of packages of Node where those fail, and with pytest where it is missing. */
async function prepareWithFallback(
  detected: readonly DetectedDependencySetup[],
  open: (setups: readonly DetectedDependencySetup[]) => Promise<OpenEnvironment>,
  lacksPytest: (opened: OpenEnvironment) => Promise<boolean>,
): Promise<OpenEnvironment> {
  let opened = await open(detected);
  if (opened.environment.problem !== null) {
    const quiet = detected.map((setup) => ({ ...setup, lines: setup.lines.map(withoutInstallScripts) }));
    if (JSON.stringify(quiet) !== JSON.stringify(detected)) {
      const again = await open(quiet);
      if (again.environment.problem === null) opened = again;
    }
  }
  if (opened.environment.problem === null && (await lacksPytest(opened))) {
    const line = { run: 'pip install pytest', folder: '' };
    const more = await open([
      ...opened.environment.setups,
      { reason: 'tests that use pytest', lines: [line] },
    ]);
    if (more.environment.problem === null) opened = more;
  }
  return opened;
}

const NODE_INSTALL = /^(?:npm (?:ci|install --no-package-lock)|(?:pnpm|yarn|bun) install)\b/;
const withoutInstallScripts = (line: EnvironmentCommand): EnvironmentCommand =>
  NODE_INSTALL.test(line.run) ? { ...line, run: `${line.run} --ignore-scripts` } : line;

async function tryCandidate(
  candidate: CandidateGate,
  subject: PatchToCheck,
  problem: string | null,
  onProgress: (text: string) => void,
  ownCommand: string | null = null,
): Promise<GateTrialResult | null> {
  const gate = findGate(candidate.gate);
  const plan: GatePlan =
    ownCommand !== null
      ? [{ command: ownCommand }]
      : gate
        ? await planGateCommands(gate, subject, candidate.settings, candidate.usesDefaults)
        : [];
  if (plan.length === 0) return null;
  onProgress(`${candidate.gate}: ${plan === 'ours' ? candidate.sign : describePlan(plan)}`);
  const started = performance.now();
  const result: GateResult =
    problem !== null || !gate
      ? {
          outcome: 'could_not_run',
          kind: 'checked',
          findings: [],
          detail: problem ?? `there is no gate ${candidate.gate}`,
        }
      : await gate
          .run(
            {
              subject,
              command: ownCommand,
              explicitlyEnabled: candidate.usesDefaults,
              timeoutMs: CANDIDATE_TIMEOUT_MS,
            },
            candidate.settings,
          )
          .catch((error: unknown) => ({
            outcome: 'could_not_run' as const,
            kind: 'checked' as const,
            findings: [],
            detail: error instanceof Error ? error.message : String(error),
          }));
  return { candidate, result, durationMs: performance.now() - started };
}

/** Says which commands a gate runs, each in one line. */
const describePlan = (plan: readonly PlannedCommand[]): string =>
  plan
    .map(
      ({ command, folder = '' }) =>
        `${command.split('\n')[0]?.slice(0, 80)}${folder === '' ? '' : ` in ${folder}`}`,
    )
    .join('; ');

/** Whether a gate can tell good patches from bad ones: it passes on the base, or names the tests that fail there. */
export const isGateTrialUsable = ({ candidate, result }: GateTrialResult): boolean =>
  (result.outcome === 'passed' && (candidate.gate !== 'tests' || countTests(result).run !== 0)) ||
  (candidate.gate === 'tests' && result.outcome === 'failed' && countTests(result).passed > 0);

/** Counts the tests that a run names; -1: it names none. */
export function countTests({ tests }: GateResult): {
  readonly run: number;
  readonly passed: number;
  readonly failed: number;
} {
  if (tests === undefined) return { run: -1, passed: -1, failed: -1 };
  const passed = tests.filter(({ outcome }) => outcome === 'passed').length;
  const failed = tests.filter(({ outcome }) => outcome === 'failed').length;
  return { run: passed + failed, passed, failed };
}
