import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import type { CapturedScreenshot } from '../../gates/core/gate.ts';
import type { Judge } from '../../gates/core/judge.ts';
import { createFileCache } from '../../gates/pipeline/cache/file-cache.ts';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import { loadBaseConfig } from '../../gates/pipeline/load-base-config.ts';
import type { GateTestResults } from '../../gates/pipeline/output/write-junit.ts';
import type { IndependentTests } from '../../gates/tests/exam/independent-tests.ts';
import type { Evidence, Verdict } from '../../shared/contract/evidence/schema.ts';
import type { Exam, ExamMode } from '../../shared/contract/exam.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { runGitInStore } from '../../workspace/git/git-store.ts';
import { findRepositoryLayout, type RepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { type CapturedWorkingTree, captureWorkingTree } from '../../workspace/git/working-tree.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import type { CheckTask } from './check-inputs.ts';
import { resolveCacheFolder, resolveEnvironmentCacheFolder } from './resolve-cache-folder.ts';
import { readInputFile, toCheckUsageError } from './usage-errors.ts';

export interface CheckOptions {
  /** Folder inside the repository to check. */
  readonly repo: string;
  /** Branch, tag or commit to compare with. Absent: `base_ref` of assay.yaml, else `main`, else `master`. */
  readonly base?: string | undefined;
  /** Protected file kinds that the work may change, besides those of the task file. */
  readonly expectedChanges?: readonly ExpectedChangeKind[] | undefined;
  /** Task file whose completion signals are checked. */
  readonly task?: string | undefined;
  /** A file with an event of GitHub, whose pull request is the task. */
  readonly githubEvent?: string | undefined;
  /** Configuration to use instead of the base commit's assay.yaml. */
  readonly config?: string | undefined;
  /** Gates to bypass, if the configuration allows it, and why. */
  readonly skippedGates?: readonly string[] | undefined;
  readonly skipReason?: string | undefined;
  /** Folder of an exam, and of counterexamples. */
  readonly exam?: string | undefined;
  readonly counterexamples?: string | undefined;
  /** Command line of an agent CLI that challenges the patch once everything else has passed; absent: none. */
  readonly challenge?: string | undefined;
  /** What they make of the verdict; absent: as the base commit's assay.yaml says. */
  readonly examMode?: ExamMode | undefined;
  /** Runs these and no gate; `onValidated` gets what the base says about each point. */
  readonly examOnly?: Pick<IndependentTests, 'only' | 'onValidated'> | undefined;
  /** True: cached results are neither read nor written. */
  readonly noCache?: boolean | undefined;
  /** Folder of the cache instead of `assay-cache` in the git folder. */
  readonly cacheDir?: string | undefined;
}

export interface CheckResult {
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly suites: readonly GateTestResults[];
  readonly screenshots: readonly CapturedScreenshot[];
}

/** Modules that parse tasks and configurations are loaded on demand: a short check spends most of its time on its start. */
const inputs = () => import('./check-inputs.ts');

/**
 * Runs signals and gates on the working tree of a folder as the gates container does. Writes nothing there.
 * @throws CliError (exit code 2) for everything that the caller can correct
 */
export async function runCheck(
  options: CheckOptions,
  cwd: string = process.cwd(),
  judge: Judge | null = null,
  onProgress?: (text: string) => void,
): Promise<CheckResult> {
  if (options.challenge !== undefined && options.task === undefined)
    throw new CliError(CLI_EXIT_CODES.usage, 'missing_task', '--challenge needs --task.');
  const stopping = stopOnSignals();
  const workDir = await mkdtemp(join(tmpdir(), 'assay-check-'));
  try {
    const dir = resolve(cwd, options.repo);
    const places = findRepositoryLayout(dir);
    places.catch(() => {});
    const { skippedGates = [] } = options;
    const bypasses =
      skippedGates.length === 0
        ? []
        : await (await inputs()).parseGateBypasses(skippedGates, options.skipReason, dir);
    const [taskText, eventText, configText, base, cache] = await Promise.all([
      options.task === undefined ? null : readInputFile(cwd, options.task),
      options.githubEvent === undefined ? null : readInputFile(cwd, options.githubEvent),
      options.config === undefined ? null : readInputFile(cwd, options.config),
      options.base ?? readDefaultBases(dir),
      // That the folder is in no repository is reported later, after other errors of usage.
      places.then(
        (found) => resolveCacheFolder(found, options.cacheDir, cwd),
        () => null,
      ),
    ]);
    const task = await readTask(options, taskText, eventText);
    const independentTests = await readIndependentTests(options, examOf(options, task, cwd), places, cwd);
    const captured = await captureWorkingTree(dir, base, workDir, places);
    const configOverride = configText === null ? null : { file: options.config ?? '', text: configText };
    if (task === null && options.examOnly === undefined && (await isUnchanged(captured))) {
      // An error in the configuration is reported also where nothing changed.
      await loadBaseConfig(captured.store, captured.base, configOverride);
      return createNothingToCheckResult(captured);
    }
    const suites: GateTestResults[] = [];
    const screenshots: CapturedScreenshot[] = [];
    const rooms = join(workDir, 'rooms');
    await mkdir(rooms);
    const evidence = await gatherEvidence({
      ...captured,
      signals: options.examOnly ? [] : (task?.signals ?? []),
      authorSignals: options.examOnly ? [] : (task?.authorSignals ?? []),
      files: task?.files ?? [],
      expectedChanges: [...new Set([...(task?.expectedChanges ?? []), ...(options.expectedChanges ?? [])])],
      ...(task?.role === undefined ? {} : { role: task.role }),
      task: task?.task ?? null,
      independentTests,
      judge,
      workDir: rooms,
      bypasses,
      abort: stopping.abort,
      persistentCache: cache === null ? null : createFileCache(cache),
      environmentFolder: cache === null || options.noCache ? null : resolveEnvironmentCacheFolder(cache),
      ...(onProgress ? { onProgress } : {}),
      useCache: !options.noCache,
      onTests: (gate, tests) => suites.push({ gate, tests }),
      onScreenshots: (_gate, taken) => screenshots.push(...taken),
      ...(configOverride === null ? {} : { configOverride }),
    });
    stopping.throwIfStopped();
    const verdict = deriveVerdictFromEvidence(evidence);
    if (options.challenge === undefined || verdict.verdict !== 'pass' || !task?.task)
      return { evidence, verdict, suites, screenshots };
    // After everything cheaper has passed.
    const [
      { challengeWorkingTree },
      { applyChallengeEffect, decideChallengeEffect },
      { resolveChallengeSettings },
    ] = await Promise.all([
      import('./challenge-check.ts'),
      import('../../shared/control/verdict/apply-challenge.ts'),
      import('../../shared/control/verdict/plan-challenge.ts'),
    ]);
    const settings = resolveChallengeSettings(undefined, evidence.challenge, options.examMode);
    const { mode } = settings;
    if (mode === 'off') return { evidence, verdict, suites, screenshots };
    onProgress?.('challenge: an agent CLI tries to prove the patch wrong');
    const challenged = await challengeWorkingTree({
      command: options.challenge,
      evidence,
      store: captured.store,
      workDir,
      task: task.task,
      files: task.files,
      expected_changes: [...new Set([...task.expectedChanges, ...(options.expectedChanges ?? [])])],
      configOverride,
      mode,
      judge,
      environmentFolder: cache === null || options.noCache ? null : resolveEnvironmentCacheFolder(cache),
      abort: stopping.abort,
    });
    stopping.throwIfStopped();
    const [entry] = challenged.gates;
    const effect = entry ? decideChallengeEffect(entry, settings) : null;
    return { evidence: challenged, verdict: applyChallengeEffect(verdict, effect), suites, screenshots };
  } catch (error) {
    stopping.throwIfStopped();
    throw toCheckUsageError(error);
  } finally {
    stopping.release();
    await removeFolder(workDir);
  }
}

/** Parses the task file, or the pull request of an event; null: there is neither. @throws CliError, ConfigError */
async function readTask(
  { task, githubEvent }: CheckOptions,
  taskText: string | null,
  eventText: string | null,
): Promise<CheckTask | null> {
  if (taskText !== null && eventText !== null)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_option', '--task and --github-event exclude each other.');
  if (taskText !== null) return (await inputs()).parseCheckTaskFile(taskText, task ?? '');
  return eventText === null ? null : (await inputs()).parsePullRequestEvent(eventText, githubEvent ?? '');
}

/** Returns the exam of the options, else that of the task file: the exam itself, or its folder. */
function examOf(
  { exam, task: file }: CheckOptions,
  task: CheckTask | null,
  cwd: string,
): Exam | string | undefined {
  if (exam !== undefined || task?.exam === undefined) return exam;
  return typeof task.exam === 'string' ? resolve(cwd, dirname(file ?? ''), task.exam) : task.exam;
}

/** Reads an exam and counterexamples; null: none are given. @throws CliError */
async function readIndependentTests(
  { counterexamples, challenge, examMode, examOnly }: CheckOptions,
  exam: Exam | string | undefined,
  places: Promise<RepositoryLayout>,
  cwd: string,
): Promise<IndependentTests | null> {
  if (exam === undefined && counterexamples === undefined) {
    if (examMode === undefined || challenge !== undefined) return null;
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'missing_exam',
      '--exam-mode needs --exam or --counterexamples.',
    );
  }
  const folders = await import('../exam/exam-folder.ts');
  const layout = await places;
  for (const folder of [exam, counterexamples])
    if (typeof folder === 'string') await folders.refuseFolderInCheckout(layout, folder, cwd);
  return {
    exam: typeof exam === 'string' ? folders.readExamFolder(exam, cwd) : (exam ?? null),
    counterexamples:
      counterexamples === undefined ? [] : folders.readChallengeFolder(counterexamples, cwd).counterexamples,
    ...(examMode === undefined ? {} : { mode: examMode }),
    ...examOnly,
  };
}

/** Names of the base where nothing names it, the first that there is. */
const DEFAULT_BASES: readonly string[] = ['main', 'master'];

/** Returns the names of the base where the caller names none: `base_ref` of assay.yaml, else those that are usual. */
async function readDefaultBases(dir: string): Promise<readonly string[]> {
  if (!existsSync(join(dir, CONFIG_FILE))) return DEFAULT_BASES;
  const configured = await (await inputs()).readConfiguredBaseRef(dir);
  return configured === null || configured === DEFAULT_BASES[0] ? DEFAULT_BASES : [configured];
}

async function isUnchanged({ store, base, tree, missingPaths }: CapturedWorkingTree): Promise<boolean> {
  const { stdout } = await runGitInStore(store, ['rev-parse', `${base}^{tree}`]);
  return stdout.toString('utf8').trim() === tree && missingPaths.length === 0;
}

/** The result for a working tree that equals the base: no check ran, so it is not verified. */
function createNothingToCheckResult({ base, baseRef, tree }: CapturedWorkingTree): CheckResult {
  const message = `nothing to check: the working tree is the same as ${baseRef}`;
  return {
    evidence: {
      schema_version: 1,
      base_commit: base,
      tree,
      empty_patch: true,
      changed_files: [],
      signals: [],
      gates: [],
      expected_changes: [],
      protected_files: [],
      gathered_at: new Date().toISOString(),
      duration_ms: 0,
    },
    verdict: {
      verdict: 'pass',
      verified: false,
      reasons: [{ code: 'nothing_to_check', subject: null, message }],
      base_commit: base,
      tree,
      tests_run: false,
      quality_gates_run: false,
      completion_signals_checked: false,
    },
    suites: [],
    screenshots: [],
  };
}
