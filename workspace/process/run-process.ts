import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { CappedOutput } from './capped-output.ts';
import { readEndedChildrenCpuMs } from './cpu-time.ts';
import { killUserProcesses } from './kill-user-processes.ts';
import { countStartedProcesses, killOrphanProcesses } from './orphan-processes.ts';
import { signalProcessGroup, trackProcessGroup, untrackProcessGroup } from './process-groups.ts';
import type { ProcessUser } from './process-user.ts';
import { removeFilesAndIpcOfUser } from './user-leftovers.ts';
import { isUserProcessVisible, killUserProcessesOneByOne } from './user-processes.ts';

/** A program with its arguments, or a line for `bash -c`. */
export type ProcessCommand = ({ readonly argv: readonly string[] } | { readonly line: string }) & {
  /** Its standard input; absent: it has none. */
  readonly input?: string;
};

export interface RunProcessOptions {
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
  readonly maxOutputBytes?: number;
  /** Who runs nothing else meanwhile: afterwards everything of that user is ended, and what it left for others is removed. */
  readonly runAs?: ProcessUser | null;
  /** Where no user is given. Real path of a folder that is this command's alone: whoever still works in it afterwards is ended too. */
  readonly exclusiveFolder?: string;
  /** Ends the command as the time limit would. */
  readonly abort?: AbortSignal;
}

export interface ProcessResult {
  /**
   * `uncontained`: what it started could not be ended or not be seen, so nothing that came of it, or comes after it, can be relied upon.
   * `foreign_code`: it ran code from outside of its checkout in place of the checkout's, so it says nothing about the checkout.
   */
  readonly end:
    | 'exited'
    | 'signalled'
    | 'timed_out'
    | 'aborted'
    | 'not_started'
    | 'uncontained'
    | 'foreign_code';
  /** Null unless `exited`. */
  readonly exitCode: number | null;
  /** Null unless `signalled`. */
  readonly signal: NodeJS.Signals | null;
  /** Operating-system error code, e.g. ENOENT, when it was not started; what went wrong, for `uncontained` and `foreign_code`. */
  readonly startError: string | null;
  readonly output: string;
  /** Bytes that are missing from `output`. */
  readonly truncatedBytes: number;
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
  const box = process.env[CONTAINER_ENV_NAMES.launchName];
  return box === undefined ? {} : { [CONTAINER_ENV_NAMES.launchName]: box };
};

/**
 * Runs a command in its own process group and waits for its end. Whatever it leaves behind is killed, also when it
 * ended well. Never rejects because of the command.
 */
export function runProcess(program: ProcessCommand, options: RunProcessOptions): Promise<ProcessResult> {
  const argv = 'line' in program ? ['bash', '-c', program.line] : program.argv;
  const [file = '', ...args] = argv;
  const started = performance.now();
  const output = new CappedOutput(options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES);
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
    const startedBefore = countStartedProcesses();
    // What others have ended until now is not of this command.
    readEndedChildrenCpuMs();
    let cpuMs: number | null = null;
    let child: ReturnType<typeof start>;
    try {
      child = start();
    } catch (error) {
      // Some errors, E2BIG among them, are thrown here; others come as an event.
      resolve(createNotStartedResult((error as NodeJS.ErrnoException).code ?? 'UNKNOWN'));
      return;
    }
    const leader = child.pid;
    const { runAs = null, exclusiveFolder = null } = options;
    const endStrays = (): void => {
      if (runAs) killUserProcessesOneByOne(runAs.uid);
      else if (leader !== undefined)
        killOrphanProcesses(`${MARK}=${mark}`, leader, startedBefore, exclusiveFolder);
    };
    if (leader !== undefined) trackProcessGroup(leader, endStrays);
    // Nobody has waited for it yet, so it is there, whatever became of it.
    const hidden = leader !== undefined && runAs !== null && !isUserProcessVisible(leader, runAs.uid);
    if (hidden && leader !== undefined) signalProcessGroup(leader, 'SIGKILL');
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
        signalProcessGroup(leader, signal);
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
      if (leader !== undefined) untrackProcessGroup(leader);
      const ended = stopped ?? (startError ? 'not_started' : signal ? 'signalled' : 'exited');
      const how = uncontained === null ? ended : 'uncontained';
      resolve({
        end: how,
        exitCode: how === 'exited' ? exitCode : null,
        signal: how === 'signalled' ? signal : null,
        startError: uncontained ?? startError,
        output: output.text(),
        truncatedBytes: output.cutBytes,
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
        await killUserProcesses(runAs);
        await removeFilesAndIpcOfUser(runAs);
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
      cpuMs = readEndedChildrenCpuMs();
      if (leader !== undefined) signalProcessGroup(leader, 'SIGKILL');
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

const createNotStartedResult = (startError: string): ProcessResult =>
  createNeverRanResult('not_started', startError);
/** The result of a command that is not even started, because an earlier one could not be contained. */
export const createUncontainedResult = (why: string | null): ProcessResult =>
  createNeverRanResult('uncontained', why ?? 'unknown');

/** The result of a command that ran `code`, which lies outside of its checkout, in place of the checkout's. */
export const createForeignCodeResult = (result: ProcessResult, code: string): ProcessResult => ({
  ...result,
  end: 'foreign_code',
  exitCode: null,
  signal: null,
  startError: code,
});

const createNeverRanResult = (end: ProcessResult['end'], startError: string): ProcessResult => ({
  end,
  exitCode: null,
  signal: null,
  startError,
  output: '',
  truncatedBytes: 0,
  durationMs: 0,
  cpuMs: 0,
});
