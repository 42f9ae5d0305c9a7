import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../gates/core/configuration-error.ts';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import type { CapturedScreenshot } from '../../gates/core/gate.ts';
import type { Judge } from '../../gates/core/judge.ts';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import { createFileCache } from '../../gates/pipeline/memory/file-cache.ts';
import type { GateTestRun } from '../../gates/pipeline/output/write-junit.ts';
import type { Evidence, Verdict } from '../../shared/contract/evidence/schema.ts';
import type { ExpectedChange } from '../../shared/contract/submission/expected-changes.ts';
import { reduceToVerdict } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { findRepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { captureWorkingTree } from '../../workspace/git/working-tree.ts';
import { killAllProcessGroups } from '../../workspace/process/process-groups.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { CLI_EXIT_CODES, CliError, InterruptedError } from '../exit.ts';
import { createConfigError } from './config-error.ts';
import { resolveCacheFolder } from './resolve-cache-folder.ts';

export interface CheckOptions {
  /** Folder inside the repository to check. */
  readonly repo: string;
  /** Branch, tag or commit to compare with. Absent: `base_ref` of assay.yaml, else `main`. */
  readonly base?: string | undefined;
  /** Protected file kinds that the work may change, besides those of the task file. */
  readonly expects?: readonly ExpectedChange[] | undefined;
  /** Task file whose completion signals are checked. */
  readonly task?: string | undefined;
  /** Configuration to use instead of the base commit's assay.yaml. */
  readonly config?: string | undefined;
  /** Gates to bypass, if the configuration allows it, and why. */
  readonly skippedGates?: readonly string[] | undefined;
  readonly skipReason?: string | undefined;
  /** True: cached results are neither read nor written. */
  readonly noCache?: boolean | undefined;
  /** Folder of the cache instead of `assay-cache` in the git folder. */
  readonly cacheDir?: string | undefined;
}

export interface CheckResult {
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly suites: readonly GateTestRun[];
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
): Promise<CheckResult> {
  const stopping = new AbortController();
  let stoppedBy: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    stopping.abort();
    killAllProcessGroups();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const workDir = await mkdtemp(join(tmpdir(), 'assay-check-'));
  try {
    const dir = resolve(cwd, options.repo);
    const places = findRepositoryLayout(dir);
    places.catch(() => {});
    const { skippedGates = [] } = options;
    const bypasses =
      skippedGates.length === 0
        ? []
        : await (await inputs()).parseBypasses(skippedGates, options.skipReason, dir);
    const [taskText, configText, base, cache] = await Promise.all([
      options.task === undefined ? null : readInputFile(cwd, options.task),
      options.config === undefined ? null : readInputFile(cwd, options.config),
      options.base ?? (existsSync(join(dir, CONFIG_FILE)) ? (await inputs()).readDefaultBase(dir) : 'main'),
      // That the folder is in no repository is reported later, after other errors of usage.
      places.then(
        (found) => resolveCacheFolder(found, options.cacheDir, cwd),
        () => null,
      ),
    ]);
    const task = taskText === null ? null : (await inputs()).parseTaskFile(taskText, options.task ?? '');
    const captured = await captureWorkingTree(dir, base, workDir, places);
    const suites: GateTestRun[] = [];
    const screenshots: CapturedScreenshot[] = [];
    const rooms = join(workDir, 'rooms');
    await mkdir(rooms);
    const evidence = await gatherEvidence({
      ...captured,
      signals: task?.signals ?? [],
      files: task?.files ?? [],
      expects: [...new Set([...(task?.expects ?? []), ...(options.expects ?? [])])],
      task: task?.task ?? null,
      judge,
      workDir: rooms,
      bypasses,
      abort: stopping.signal,
      persistentCache: cache === null ? null : createFileCache(cache),
      useCache: !options.noCache,
      onTests: (gate, tests) => suites.push({ gate, tests }),
      onScreenshots: (_gate, taken) => screenshots.push(...taken),
      ...(configText === null ? {} : { configOverride: { file: options.config ?? '', text: configText } }),
    });
    if (stoppedBy) throw new InterruptedError(stoppedBy);
    return { evidence, verdict: reduceToVerdict(evidence), suites, screenshots };
  } catch (error) {
    if (stoppedBy) throw new InterruptedError(stoppedBy);
    throw usageError(error);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await removeFolder(workDir);
  }
}

async function readInputFile(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`;
    throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_file', `${file} ${why}.`);
  }
}

function usageError(error: unknown): unknown {
  if (error instanceof ConfigError) return createConfigError(error);
  if (error instanceof CheckoutError && error.failureClass !== 'unknown')
    return new CliError(CLI_EXIT_CODES.usage, error.failureClass, `${error.message}.`, {
      hint:
        error.failureClass === 'base_ref_missing'
          ? 'Name a branch, tag or commit of that repository with --base.'
          : 'Name a folder in a git repository with --repo.',
    });
  return error;
}
