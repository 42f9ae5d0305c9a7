import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ConfigError } from '../gates/core/configuration-error.ts';
import { CONFIG_FILE } from '../gates/core/configuration-file.ts';
import type { TakenShot } from '../gates/core/gate.ts';
import type { Judge } from '../gates/core/judge.ts';
import { gatherEvidence } from '../gates/pipeline/gather.ts';
import { fileMemory } from '../gates/pipeline/memory/file-memory.ts';
import type { TestRunOfGate } from '../gates/pipeline/output/junit.ts';
import type { Evidence, Verdict } from '../shared/contract/evidence/schema.ts';
import type { Expectation } from '../shared/contract/submission/expects.ts';
import { reduce } from '../shared/control/verdict/reduce.ts';
import { CheckoutError } from '../workspace/git/error.ts';
import { placesOf } from '../workspace/git/places.ts';
import { captureWorkingTree } from '../workspace/git/working-tree.ts';
import { killAllGroups } from '../workspace/process/groups.ts';
import { removeFolder } from '../workspace/process/remove-folder.ts';
import { cacheFolder } from './check/cache-folder.ts';
import { configError } from './check/errors.ts';
import { readNamed, writeNamed } from './check/named.ts';
import { checkJson, renderCheck } from './check/render.ts';
import { CliError, EXIT, type ExitCode, Interrupted } from './exit.ts';
import { EXPECTS_OPTION } from './expects.ts';
import type { Io } from './io.ts';
import { examples, JSON_OPTION, localAction } from './local-command.ts';
import { SUMMARY } from './summary.ts';

const FORMATS = ['text', 'json', 'sarif', 'junit', 'github', 'markdown'] as const;
type Format = (typeof FORMATS)[number];

export interface CheckOptions {
  /** Folder inside the repository to look at. */
  readonly repo: string;
  /** Branch, tag or commit to compare with. Absent: `base_ref` of assay.yaml, else `main`. */
  readonly base?: string | undefined;
  /** What is foreseen beside what the task file says. */
  readonly expects?: readonly Expectation[] | undefined;
  /** Task file whose completion signals are checked. */
  readonly task?: string | undefined;
  /** Configuration to use instead of the base commit's assay.yaml. */
  readonly config?: string | undefined;
  /** File that says which models gates may ask. */
  readonly models?: string | undefined;
  /** Gates to leave out, when the configuration allows it, and why. */
  readonly skipGate?: readonly string[] | undefined;
  readonly skipGateReason?: string | undefined;
  /** False: results are neither looked up nor remembered. */
  readonly cache?: boolean | undefined;
  /** Folder for them instead of `assay-cache` in the git folder. */
  readonly cacheDir?: string | undefined;
  /** File for the findings. */
  readonly sarif?: string | undefined;
  /** What is printed; absent: a page for people. */
  readonly format?: Format | undefined;
  /** File for the results of all tests. */
  readonly junit?: string | undefined;
  /** Folder for pictures that gates have taken. */
  readonly screenshots?: string | undefined;
  /** File for a summary in Markdown. */
  readonly summary?: string | undefined;
}

/** What reads tasks and configurations is loaded where there is one: most of a short check is its start. */
const reading = () => import('./check/options.ts');

const VERDICT_EXIT = { pass: EXIT.ok, fail: EXIT.failed, refer: EXIT.needsReview } as const;

/**
 * Runs signals and gates on what stands in a folder, exactly as the gates container does, and touches nothing there.
 * @throws CliError (exit code 2) for everything that the caller can put right.
 */
export async function runCheck(
  options: CheckOptions,
  cwd: string = process.cwd(),
  judge: Judge | null = null,
): Promise<{
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly suites: readonly TestRunOfGate[];
  readonly shots: readonly TakenShot[];
}> {
  const stopping = new AbortController();
  let stoppedBy: NodeJS.Signals | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    stoppedBy = signal;
    stopping.abort();
    killAllGroups();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const workDir = await mkdtemp(join(tmpdir(), 'assay-check-'));
  try {
    const dir = resolve(cwd, options.repo);
    const places = placesOf(dir);
    places.catch(() => {});
    const bypasses = options.skipGate
      ? await (await reading()).bypassesOf(options.skipGate, options.skipGateReason, dir)
      : [];
    const [task, config, base, folder] = await Promise.all([
      options.task === undefined ? null : readNamed(cwd, options.task),
      options.config === undefined ? null : readNamed(cwd, options.config),
      options.base ?? (existsSync(join(dir, CONFIG_FILE)) ? (await reading()).defaultBase(dir) : 'main'),
      // Where the folder is in no repository, that is told after what else there is to say.
      places.then(
        (found) => cacheFolder(found, options.cacheDir, cwd),
        () => null,
      ),
    ]);
    const about = task === null ? null : (await reading()).taskOf(task, options.task ?? '');
    const captured = await captureWorkingTree(dir, base, workDir, places);
    const suites: TestRunOfGate[] = [];
    const shots: TakenShot[] = [];
    const rooms = join(workDir, 'rooms');
    await mkdir(rooms);
    const evidence = await gatherEvidence({
      ...captured,
      signals: about?.signals ?? [],
      files: about?.files ?? [],
      expects: [...new Set([...(about?.expects ?? []), ...(options.expects ?? [])])],
      task: about?.task ?? null,
      judge,
      workDir: rooms,
      bypasses,
      abort: stopping.signal,
      memory: folder === null ? null : fileMemory(folder),
      remember: options.cache !== false,
      onTests: (gate, tests) => suites.push({ gate, tests }),
      onShots: (_gate, taken) => shots.push(...taken),
      ...(config === null ? {} : { config: { file: options.config ?? '', text: config } }),
    });
    if (stoppedBy) throw new Interrupted(stoppedBy);
    return { evidence, verdict: reduce(evidence), suites, shots };
  } catch (error) {
    if (stoppedBy) throw new Interrupted(stoppedBy);
    throw usageError(error);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await removeFolder(workDir);
  }
}

function usageError(error: unknown): unknown {
  if (error instanceof ConfigError) return configError(error);
  if (error instanceof CheckoutError && error.failureClass !== 'unknown')
    return new CliError(EXIT.usage, error.failureClass, `${error.message}.`, {
      hint:
        error.failureClass === 'base_ref_missing'
          ? 'Name a branch, tag or commit of that repository with --base.'
          : 'Name a folder in a git repository with --repo.',
    });
  return error;
}

const list = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `assay check` */
export function registerCheck(program: Command, io: Io): void {
  const command = program
    .command('check')
    .description(SUMMARY.check)
    .option('--repo <dir>', 'folder in the git repository to look at', '.')
    .option('--base <ref>', 'branch, tag or commit to compare with (else base_ref of assay.yaml, else main)')
    .option('--task <file>', 'YAML or JSON task whose signals, files and expects are used')
    .option(...EXPECTS_OPTION)
    .option('--config <file>', "configuration to use instead of the base commit's assay.yaml")
    .option('--models <file>', 'which models gates may ask: YAML or JSON, purpose to provider and model')
    .option('--skip-gate <name>', 'leave this gate out, if the configuration allows it (repeatable)', list)
    .option('--skip-gate-reason <text>', 'why; goes into the evidence')
    .option('--no-cache', 'run every gate, also where base, work and settings are what they were before')
    .option('--cache-dir <dir>', 'folder for results (default: assay-cache in the git folder)')
    .option('--sarif <file>', 'write the findings of all gates to this file, as SARIF 2.1.0')
    .option('--junit <file>', 'write the results of all tests that gates run to this file, as JUnit XML')
    .option('--screenshots <folder>', 'write the pictures that gates take there')
    .option('--summary <file>', 'write what was found to this file, as Markdown')
    .addOption(
      new Option(
        '--format <format>',
        'what to print: for people, scripts, code scanning, test reports, GitHub annotations, a summary',
      ).choices(FORMATS),
    )
    .option(...JSON_OPTION);
  localAction<[CheckOptions]>(command, io, async (session, options): Promise<ExitCode> => {
    const judge =
      options.models === undefined
        ? null
        : await (await import('./judge-models.ts')).judgeHere(options.models, session.io);
    const { evidence, verdict, suites, shots } = await runCheck(options, session.io.cwd, judge);
    if (options.sarif !== undefined) {
      const { sarifOf } = await import('../gates/pipeline/output/sarif.ts');
      await writeNamed(session.io.cwd, options.sarif, `${JSON.stringify(sarifOf(evidence), null, 2)}\n`);
    }
    if (options.junit !== undefined) {
      const { junitOf } = await import('../gates/pipeline/output/junit.ts');
      await writeNamed(session.io.cwd, options.junit, junitOf(suites));
    }
    if (options.screenshots !== undefined) {
      const { writeShots } = await import('./check/shots.ts');
      await writeShots(session.io.cwd, options.screenshots, shots);
    }
    if (options.summary !== undefined) {
      const { FORMATS: writers } = await import('./check/formats.ts');
      await writeNamed(session.io.cwd, options.summary, `${writers.markdown(evidence, verdict)}\n`);
    }
    const { format = session.json ? 'json' : 'text' } = options;
    if (format === 'json') session.printJson(checkJson(evidence, verdict));
    else if (format !== 'text') {
      const { FORMATS: writers } = await import('./check/formats.ts');
      session.print(writers[format](evidence, verdict));
    } else {
      const found = evidence.gates.some(({ findings }) => findings.length > 0);
      const explain = found ? (await import('../gates/rules/pages.ts')).explanationOf : () => null;
      session.print(renderCheck(evidence, verdict, explain, session.out, session.io.stdout.columns));
    }
    return VERDICT_EXIT[verdict.verdict];
  });
  examples(command, [
    ['check --base main', 'what stands here, against main'],
    ['check --repo ../shop --base v1.2 --task task.yaml --json', 'with the signals of a task, for a script'],
    ['check --format github', 'in a workflow: annotations on the lines'],
    ['check --format github --summary "$GITHUB_STEP_SUMMARY"', 'with a summary on the page of the run'],
  ]);
}
