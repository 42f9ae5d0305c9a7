import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { BOX_ENV } from '../../shared/contract/names.ts';
import { endedCpuMs } from './cpu-time.ts';
import { evict } from './evict.ts';
import { forgetGroup, signalGroup, trackGroup } from './groups.ts';
import { clearLeftovers } from './leftovers.ts';
import { killOrphans, startedProcesses } from './orphans.ts';
import { CappedOutput } from './output.ts';
import { isSeen, killResidents } from './residents.ts';
import type { RunAs } from './run-as.ts';

/** A program with its arguments, or a line for `bash -c`. */
export type Program = ({ readonly argv: readonly string[] } | { readonly line: string }) & {
  /** Its standard input; absent: it has none. */
  readonly input?: string;
};

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment; nothing of the supervisor's own is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Signals that ask it to end, one after the other; after the last comes SIGKILL. */
  readonly stopSignals?: readonly ('SIGINT' | 'SIGTERM')[];
  /** Time that each of them is given. */
  readonly graceMs?: number;
  /** Sees standard output as it comes, also what is printed on the way out. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Most bytes of output (standard output and error together) that are kept. */
  readonly outputBytes?: number;
  /** Who runs nothing else meanwhile: afterwards everything of that user is ended, and what it left for others is removed. */
  readonly runAs?: RunAs | null;
  /** Where no user is given. Real path of a folder that is this command's alone: whoever still works in it afterwards is ended too. */
  readonly territory?: string;
  /** Ends the command as the time limit would. */
  readonly abort?: AbortSignal;
}

export interface RunResult {
  /** `uncontained`: what it started could not be ended or not be seen, so nothing that came of it, or comes after it, can be relied upon. */
  readonly end: 'exited' | 'signalled' | 'timed_out' | 'aborted' | 'not_started' | 'uncontained';
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  /** Null unless `signalled`. */
  readonly signal: NodeJS.Signals | null;
  /** Operating-system error code, e.g. ENOENT, when it was not started; what went wrong, when it is uncontained. */
  readonly startError: string | null;
  readonly output: string;
  /** Bytes that are missing from `output`. */
  readonly cutBytes: number;
  readonly durationMs: number;
  /** CPU time of it and of all that it waited for; null where the system does not say. */
  readonly cpuMs: number | null;
}

const DEFAULT_GRACE_MS = 2_000;
const DEFAULT_OUTPUT_BYTES = 256 * 1024;
/** How long we still listen after the command has ended, in case a survivor holds its output open. */
const DRAIN_MS = 250;
const MARK = 'ASSAY_COMMAND';
/** The box that commands belong to is in their environment too, for those who look for what a box that was killed has left. */
const boxMark = (): Readonly<Record<string, string>> => {
  const box = process.env[BOX_ENV.box];
  return box === undefined ? {} : { [BOX_ENV.box]: box };
};

/**
 * Runs a command in its own process group and waits for its end. Whatever it leaves behind is killed, also when it
 * ended well. Never rejects because of the command.
 */
export function run(program: Program, options: RunOptions): Promise<RunResult> {
  const argv = 'line' in program ? ['bash', '-c', program.line] : program.argv;
  const [file = '', ...args] = argv;
  const started = performance.now();
  const output = new CappedOutput(options.outputBytes ?? DEFAULT_OUTPUT_BYTES);
  const mark = randomUUID();

  const settings = {
    cwd: options.cwd,
    env: { ...options.env, ...boxMark(), [MARK]: mark },
    detached: true,
    ...(options.runAs ? { uid: options.runAs.uid, gid: options.runAs.gid } : {}),
  };
  // Without input it has none at all: some tools read a pipe instead of the files when they are given one.
  const start = () =>
    program.input === undefined
      ? spawn(file, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(file, args, { ...settings, stdio: ['pipe', 'pipe', 'pipe'] });

  return new Promise((resolve) => {
    const startedBefore = startedProcesses();
    // What others have ended until now is not of this command.
    endedCpuMs();
    let cpuMs: number | null = null;
    let child: ReturnType<typeof start>;
    try {
      child = start();
    } catch (error) {
      // Some errors, E2BIG among them, are thrown here; others come as an event.
      resolve(notStarted((error as NodeJS.ErrnoException).code ?? 'UNKNOWN'));
      return;
    }
    const leader = child.pid;
    const { runAs = null, territory = null } = options;
    const endStrays = (): void => {
      if (runAs) killResidents(runAs.uid);
      else if (leader !== undefined) killOrphans(`${MARK}=${mark}`, leader, startedBefore, territory);
    };
    if (leader !== undefined) trackGroup(leader, endStrays);
    // Nobody has waited for it yet, so it is there, whatever became of it.
    const hidden = leader !== undefined && runAs !== null && !isSeen(leader, runAs.uid);
    if (hidden && leader !== undefined) signalGroup(leader, 'SIGKILL');
    // A program that ends without reading its input closes the pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(program.input);
    child.stdout.on('data', (chunk: Buffer) => {
      output.add(chunk);
      options.onOutput?.(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));

    let stopped: 'timed_out' | 'aborted' | null = null;
    let killTimer: NodeJS.Timeout | undefined;
    const stop = (why: 'timed_out' | 'aborted'): void => {
      if (stopped || leader === undefined) return;
      stopped = why;
      const [first = 'SIGTERM', ...others] = options.stopSignals ?? [];
      const next = (signal: NodeJS.Signals, later: readonly NodeJS.Signals[]): void => {
        signalGroup(leader, signal);
        const [following, ...rest] = later;
        if (following)
          killTimer = setTimeout(() => next(following, rest), options.graceMs ?? DEFAULT_GRACE_MS);
      };
      next(first, [...others, 'SIGKILL']);
    };
    const limit = setTimeout(() => stop('timed_out'), options.timeoutMs);
    const onAbort = (): void => stop('aborted');
    if (options.abort?.aborted) onAbort();
    else options.abort?.addEventListener('abort', onAbort, { once: true });

    const finish = (
      exitCode: number | null,
      signal: NodeJS.Signals | null,
      startError: string | null,
      uncontained: string | null = null,
    ): void => {
      clearTimeout(limit);
      clearTimeout(killTimer);
      options.abort?.removeEventListener('abort', onAbort);
      if (leader !== undefined) forgetGroup(leader);
      const ended = stopped ?? (startError ? 'not_started' : signal ? 'signalled' : 'exited');
      const how = uncontained === null ? ended : 'uncontained';
      resolve({
        end: how,
        exitCode: how === 'exited' ? exitCode : null,
        signal: how === 'signalled' ? signal : null,
        startError: uncontained ?? startError,
        output: output.text(),
        cutBytes: output.cutBytes,
        durationMs: Math.round(performance.now() - started),
        cpuMs,
      });
    };

    /** Null when nothing of the command is left; else why nobody can tell. */
    const contain = async (): Promise<string | null> => {
      if (hidden) return 'this system hides the processes of other users from us';
      if (!runAs) {
        endStrays();
        return null;
      }
      try {
        await evict(runAs);
        await clearLeftovers(runAs);
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };

    child.once('error', (error: NodeJS.ErrnoException) => {
      if (leader === undefined) finish(null, null, error.code ?? 'UNKNOWN');
    });
    child.once('exit', (exitCode, signal) => {
      clearTimeout(limit);
      cpuMs = endedCpuMs();
      if (leader !== undefined) signalGroup(leader, 'SIGKILL');
      const closed = new Promise<void>((done) => child.once('close', () => done()));
      void contain().then(async (uncontained) => {
        const drain = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
        }, DRAIN_MS);
        await closed;
        clearTimeout(drain);
        finish(exitCode, signal, null, uncontained);
      });
    });
  });
}

const notStarted = (startError: string): RunResult => neverRan('not_started', startError);
/** The result of a command that is not even started, because an earlier one could not be contained. */
export const uncontained = (why: string | null): RunResult => neverRan('uncontained', why ?? 'unknown');

const neverRan = (end: RunResult['end'], startError: string): RunResult => ({
  end,
  exitCode: null,
  signal: null,
  startError,
  output: '',
  cutBytes: 0,
  durationMs: 0,
  cpuMs: 0,
});
