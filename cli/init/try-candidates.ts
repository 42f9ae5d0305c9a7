import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GateResult, PlannedCommand } from '../../gates/core/gate.ts';
import type { PatchSubject } from '../../gates/core/patch-subject.ts';
import { EnvironmentError } from '../../gates/core/sandbox-extension.ts';
import { Sandboxes } from '../../gates/core/sandboxes.ts';
import {
  createRepositoryFiles,
  type DetectedSetup,
} from '../../gates/environment/detect/repository-files.ts';
import { detectSetup } from '../../gates/environment/detect-setup.ts';
import { EnvironmentExtension } from '../../gates/environment/environment-extension.ts';
import { EnvironmentSetting } from '../../gates/environment/environment-setting.ts';
import { findGate } from '../../gates/gates/gate-registry.ts';
import { planGate } from '../../gates/pipeline/cache-key.ts';
import { createPatchSubject } from '../../gates/pipeline/create-patch-subject.ts';
import { findToolVersion } from '../../gates/tests/running/tool-version.ts';
import { readSingleLine, runGitInStoreOrThrow } from '../../workspace/git/git-store.ts';
import { listFiles } from '../../workspace/git/list-files.ts';
import { findRepositoryLayout } from '../../workspace/git/repository-layout.ts';
import { captureWorkingTree } from '../../workspace/git/working-tree.ts';
import { killAllProcessGroups } from '../../workspace/process/process-groups.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { environmentFolderOf, resolveCacheFolder } from '../check/resolve-cache-folder.ts';
import { InterruptedError } from '../exit.ts';
import { findProgramOnPath } from '../gates/find-tool.ts';
import { type CandidateGate, listCandidateGates, wantsPytest } from './candidate-gates.ts';

/** Longest time for one candidate, in milliseconds. */
const CANDIDATE_TIMEOUT_MS = 1_200_000;

/** What came of a candidate in a bare checkout. */
export interface TriedGate {
  readonly candidate: CandidateGate;
  readonly result: GateResult;
  readonly durationMs: number;
}

export interface TriedEnvironment {
  /** Setup lines, with the files that they come from. */
  readonly setups: readonly DetectedSetup[];
  /** Why the lines failed; null: they ran, or there are none. */
  readonly problem: string | null;
  readonly durationMs: number;
  /** Untracked paths that the setup built from sources; sandboxes do not get them. */
  readonly dropped: readonly string[];
}

export interface TrialRun {
  readonly paths: ReadonlySet<string>;
  readonly environment: TriedEnvironment;
  /** Of each gate the first candidate that passed, and those that were tried before. */
  readonly tried: readonly TriedGate[];
}

/**
 * Prepares a bare checkout of the last commit and runs candidates in it. Writes nothing to the repository.
 * @param onProgress gets one line for each step.
 * @throws CheckoutError if the folder is in no repository, or the repository has no commit
 */
export async function tryCandidates(dir: string, onProgress: (text: string) => void): Promise<TrialRun> {
  const stopping = new AbortController();
  let stoppedBy: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    stopping.abort();
    killAllProcessGroups();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const at = await mkdtemp(join(tmpdir(), 'assay-init-'));
  const workDir = join(at, 'sandboxes');
  try {
    await mkdir(workDir);
    const layout = await findRepositoryLayout(dir);
    const { store, base } = await captureWorkingTree(dir, 'HEAD', at, Promise.resolve(layout));
    const tree = readSingleLine(await runGitInStoreOrThrow(store, ['rev-parse', `${base}^{tree}`]));
    const all = (await listFiles(store, base)).map(({ path }) => path);
    const sandboxes = new Sandboxes({ store, base, tree, workDir, users: null, abort: stopping.signal });
    const plain = await createPatchSubject({ store, base, tree, rooms: sandboxes });
    // As if every file were changed, and none differently from the base: old findings count as old.
    const subject: PatchSubject = { ...plain, changedPaths: all };
    const files = { paths: new Set(all), baseFile: subject.baseFile };
    const cacheFolder = environmentFolderOf(await resolveCacheFolder(layout, undefined, dir));
    const detected = await detectSetup(createRepositoryFiles(all, subject.baseFile, findProgramOnPath));
    const prepare = async (setups: readonly DetectedSetup[]): Promise<TriedEnvironment> => {
      const started = performance.now();
      const setting =
        setups.length === 0 ? null : EnvironmentSetting.parse({ setup: setups.flatMap(toSettings) });
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
      const prepared = await extension.prepare(base).then(
        (result) => ({ dropped: result?.dropped ?? [], problem: null }),
        (error: unknown) => {
          if (error instanceof EnvironmentError) return { dropped: [], problem: error.message };
          throw error;
        },
      );
      return { setups, ...prepared, durationMs: performance.now() - started };
    };
    const environment = await prepareWithFallback(detected, prepare, async () => {
      if (!(await wantsPytest(files))) return false;
      const pytest = {
        name: 'pytest',
        versionLine: 'command -v pytest >/dev/null || exit 127; pytest --version',
      };
      return (await findToolVersion(sandboxes, base, { ...pytest, installHint: '' })) === null;
    });
    if (stoppedBy) throw new InterruptedError(stoppedBy);
    const tried: TriedGate[] = [];
    for (const candidate of await listCandidateGates(files)) {
      if (tried.some((each) => each.candidate.gate === candidate.gate && isUsable(each))) continue;
      const one = await tryCandidate(candidate, subject, environment.problem, onProgress);
      if (one !== null) tried.push(one);
      if (stoppedBy) throw new InterruptedError(stoppedBy);
    }
    return { paths: files.paths, environment, tried };
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await removeFolder(at);
  }
}

const toSettings = ({ lines }: DetectedSetup) =>
  lines.map(({ run, folder }) => (folder === '' ? run : { run, folder }));

/** Prepares with all lines, then without install scripts of packages of Node where those fail, and with pytest where it is missing. */
async function prepareWithFallback(
  detected: readonly DetectedSetup[],
  prepare: (setups: readonly DetectedSetup[]) => Promise<TriedEnvironment>,
  lacksPytest: () => Promise<boolean>,
): Promise<TriedEnvironment> {
  let environment = await prepare(detected);
  if (environment.problem !== null) {
    const quiet = detected.map((setup) => ({
      ...setup,
      lines: setup.lines.map((line) =>
        /^(?:npm (?:ci|install --no-package-lock)|(?:pnpm|yarn|bun) install)\b/.test(line.run)
          ? { ...line, run: `${line.run} --ignore-scripts` }
          : line,
      ),
    }));
    if (JSON.stringify(quiet) !== JSON.stringify(detected)) {
      const again = await prepare(quiet);
      environment = again.problem === null ? again : environment;
    }
  }
  if (environment.problem === null && (await lacksPytest())) {
    const line = { run: 'pip install pytest', folder: '' };
    const more = await prepare([...environment.setups, { reason: 'tests that use pytest', lines: [line] }]);
    if (more.problem === null) environment = more;
  }
  return environment;
}

async function tryCandidate(
  candidate: CandidateGate,
  subject: PatchSubject,
  problem: string | null,
  onProgress: (text: string) => void,
): Promise<TriedGate | null> {
  const gate = findGate(candidate.gate);
  const plan = gate ? await planGate(gate, subject, candidate.settings, candidate.usesDefaults) : [];
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
              command: null,
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
export const isUsable = ({ candidate, result }: TriedGate): boolean =>
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
