import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { CONTAINER_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { ConnectionFile } from './connection.ts';
import { CLI_EXIT_CODES, CliError, InterruptedError } from './exit.ts';
import { findStackProgram, INSTALL_ROOT } from './installation.ts';

export interface StackOptions {
  readonly dataDir: string;
  readonly port?: number | undefined;
  /** The stack logs everything, and not only what goes wrong. */
  readonly verbose?: boolean;
  /** Settings of the deployment that are not as by default, by name (docs/deploy.md). */
  readonly settings?: Readonly<Record<string, string>>;
  /** Environment of the stack besides this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Takes what the stack says on standard error, a line at a time. */
  readonly onLog?: (line: string) => void;
}

/** An embedded stack that is ready. */
export interface LocalStack {
  readonly connection: ConnectionFile;
  /** Resolves when the process has ended, however it came to that. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Asks it to stop cleanly and waits; after `graceMs` it is killed. */
  stop(graceMs?: number): Promise<void>;
  /** Aborts when this process was told to end; the stack has been told then, too. */
  readonly interrupted: AbortSignal;
}

/** Lines of the log that are shown when the stack does not start. */
const TAIL = 20;

const notReady = (tail: readonly string[], why: string): CliError =>
  new CliError(CLI_EXIT_CODES.failed, 'stack_not_ready', `The embedded stack did not start: ${why}.`, {
    details: tail.map((line) => ({ where: '|', message: line })),
  });

/** While the stack runs, signals to this process stop the stack first, so that nothing is left behind. */
function stopWithUs(child: ChildProcess): AbortSignal {
  const interrupted = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    child.kill('SIGTERM');
    interrupted.abort(new InterruptedError(signal));
  };
  for (const signal of signals) process.on(signal, onSignal);
  child.once('close', () => {
    for (const signal of signals) process.off(signal, onSignal);
  });
  return interrupted.signal;
}

/** The line that says that the stack is ready; anything else that comes first is refused. */
function firstLine(child: ChildProcess, tail: readonly string[]): Promise<ConnectionFile> {
  return new Promise((resolvePromise, reject) => {
    child.once('error', (error) => reject(notReady(tail, error.message)));
    child.once('close', (code, signal) =>
      reject(notReady(tail, `it ended with ${signal ?? `code ${code}`}`)),
    );
    if (!child.stdout) throw new Error('the stack was spawned without a pipe');
    createInterface({ input: child.stdout }).once('line', (line) => {
      try {
        resolvePromise(ConnectionFile.parse(JSON.parse(line)));
      } catch {
        reject(notReady(tail, `its first line is not a connection: ${line.slice(0, 200)}`));
      }
    });
  });
}

/** Starts the embedded stack as a child process and waits until it is ready. Throws CliError with the end of its log when it is not. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const args = [findStackProgram(), '--data', options.dataDir, '--json'];
  if (options.verbose) args.push('--verbose');
  if (options.port !== undefined) args.push('--port', String(options.port));
  for (const [name, value] of Object.entries(options.settings ?? {}))
    args.push('--setting', `${name}=${value}`);
  const child = spawn(process.execPath, args, {
    cwd: INSTALL_ROOT,
    // Our end, however it comes, closes its standard input, and that ends the stack.
    env: {
      // From its first file on; it can turn this on only after that itself.
      NODE_COMPILE_CACHE: resolve(INSTALL_ROOT, '.cache/compiled'),
      // Each of its threads would have pools of memory of its own, as glibc does by itself; it costs a sixth of all.
      MALLOC_ARENA_MAX: '2',
      ...process.env,
      ...options.env,
      [CONTAINER_ENV_NAMES.exitWithParent]: 'true',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const tail: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL) tail.shift();
    options.onLog?.(line);
  });
  const interrupted = stopWithUs(child);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.once('close', (code, signal) => done({ code, signal }));
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (graceMs = 10_000): Promise<void> => {
    if (!running()) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  };
  try {
    const connection = await firstLine(child, tail);
    return { connection, ended, stop, interrupted };
  } catch (error) {
    await stop();
    throw interrupted.aborted ? interrupted.reason : error;
  }
}
