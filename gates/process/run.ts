import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { forgetGroup, signalGroup, trackGroup } from './groups.ts';
import { killOrphans, startedProcesses } from './orphans.ts';
import { CappedOutput } from './output.ts';
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
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Most bytes of output (standard output and error together) that are kept. */
  readonly outputBytes?: number;
  readonly runAs?: RunAs | null;
  /** Real path of a folder that is this command's alone: whoever still works in it afterwards is ended too. */
  readonly territory?: string;
  /** Ends the command as the time limit would. */
  readonly abort?: AbortSignal;
}

export interface RunResult {
  readonly end: 'exited' | 'signalled' | 'timed_out' | 'aborted' | 'not_started';
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  /** Null unless `signalled`. */
  readonly signal: NodeJS.Signals | null;
  /** Operating-system error code, e.g. ENOENT, when it was not started. */
  readonly startError: string | null;
  readonly output: string;
  /** Bytes that are missing from `output`. */
  readonly cutBytes: number;
  readonly durationMs: number;
}

const DEFAULT_GRACE_MS = 2_000;
const DEFAULT_OUTPUT_BYTES = 256 * 1024;
/** How long we still listen after the command has ended, in case a survivor holds its output open. */
const DRAIN_MS = 250;
const MARK = 'ASSAY_COMMAND';

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
    env: { ...options.env, [MARK]: mark },
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
    let child: ReturnType<typeof start>;
    try {
      child = start();
    } catch (error) {
      // Some errors, E2BIG among them, are thrown here; others come as an event.
      resolve(notStarted((error as NodeJS.ErrnoException).code ?? 'UNKNOWN'));
      return;
    }
    const leader = child.pid;
    if (leader !== undefined) trackGroup(leader);
    // A program that ends without reading its input closes the pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(program.input);
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));

    let stopped: 'timed_out' | 'aborted' | null = null;
    let killTimer: NodeJS.Timeout | undefined;
    const stop = (why: 'timed_out' | 'aborted'): void => {
      if (stopped || leader === undefined) return;
      stopped = why;
      signalGroup(leader, 'SIGTERM');
      killTimer = setTimeout(() => signalGroup(leader, 'SIGKILL'), options.graceMs ?? DEFAULT_GRACE_MS);
    };
    const limit = setTimeout(() => stop('timed_out'), options.timeoutMs);
    const onAbort = (): void => stop('aborted');
    if (options.abort?.aborted) onAbort();
    else options.abort?.addEventListener('abort', onAbort, { once: true });

    const finish = (
      exitCode: number | null,
      signal: NodeJS.Signals | null,
      startError: string | null,
    ): void => {
      clearTimeout(limit);
      clearTimeout(killTimer);
      options.abort?.removeEventListener('abort', onAbort);
      if (leader !== undefined) forgetGroup(leader);
      resolve({
        end: stopped ?? (startError ? 'not_started' : signal ? 'signalled' : 'exited'),
        exitCode: stopped ? null : exitCode,
        signal: stopped ? null : signal,
        startError,
        output: output.text(),
        cutBytes: output.cutBytes,
        durationMs: Math.round(performance.now() - started),
      });
    };

    child.once('error', (error: NodeJS.ErrnoException) => {
      if (leader === undefined) finish(null, null, error.code ?? 'UNKNOWN');
    });
    child.once('exit', (exitCode, signal) => {
      if (leader !== undefined) {
        signalGroup(leader, 'SIGKILL');
        killOrphans(`${MARK}=${mark}`, leader, startedBefore, options.territory);
      }
      const drain = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drain);
        finish(exitCode, signal, null);
      });
    });
  });
}

const notStarted = (startError: string): RunResult => ({
  end: 'not_started',
  exitCode: null,
  signal: null,
  startError,
  output: '',
  cutBytes: 0,
  durationMs: 0,
});
