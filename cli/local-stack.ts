import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { STORAGE_FULL_EXIT_CODE } from '../local/storage.ts';
import { CONTAINER_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { abortOnSignals } from './abort-on-signals.ts';
import { ConnectionFile } from './connection.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { findStackProgram, INSTALL_ROOT } from './installation.ts';

export interface SpawnLocalStackOptions {
  readonly dataDir: string;
  readonly port?: number | undefined;
  /** The stack logs everything, not only errors. */
  readonly verbose?: boolean;
  /** Settings that differ from the defaults of the deployment, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Environment of the stack, added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the log of the stack, line by line. */
  readonly onLog?: (line: string) => void;
}

/** An embedded stack that is ready. */
export interface LocalStack {
  readonly connection: ConnectionFile;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Stops the stack and waits; after `graceMs` milliseconds it is killed. */
  stop(graceMs?: number): Promise<void>;
  /** Aborts on a signal to this process; the stack gets SIGTERM then. */
  readonly interrupted: AbortSignal;
}

/** Number of last log lines in the error when the stack does not start. */
const TAIL = 20;

/** Code of the error when the stack does not start because its disk is full. */
export const STORAGE_FULL = 'storage_full';

const notReady = (tail: readonly string[], why: string): CliError =>
  new CliError(CLI_EXIT_CODES.failed, 'stack_not_ready', `The embedded stack did not start: ${why}.`, {
    details: tail.map((line) => ({ where: '|', message: line })),
  });
const storageFull = (dataDir: string): CliError =>
  new CliError(CLI_EXIT_CODES.failed, STORAGE_FULL, `The disk of ${dataDir} is full.`, {
    hint: 'Make room and start it again on the same folder: nothing that was acknowledged is lost.',
  });

/** Forwards signals to this process to the stack, so that it never outlives this process. */
function forwardSignals(child: ChildProcess): AbortSignal {
  const { signal, release } = abortOnSignals();
  signal.addEventListener('abort', () => child.kill('SIGTERM'));
  child.once('close', release);
  return signal;
}

/** Reads the first line of the stack: its connection, when it is ready. Rejects for any other line. */
function readConnectionLine(
  child: ChildProcess,
  tail: readonly string[],
  dataDir: string,
): Promise<ConnectionFile> {
  return new Promise((resolvePromise, reject) => {
    child.once('error', (error) => reject(notReady(tail, error.message)));
    child.once('close', (code, signal) =>
      reject(
        code === STORAGE_FULL_EXIT_CODE
          ? storageFull(dataDir)
          : notReady(tail, `it ended with ${signal ?? `code ${code}`}`),
      ),
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

/**
 * Starts the embedded stack as a child process and waits until it is ready.
 * @throws CliError with the end of its log if it does not start
 */
export async function spawnLocalStack(options: SpawnLocalStackOptions): Promise<LocalStack> {
  const args = [findStackProgram(), '--data', options.dataDir, '--json'];
  if (options.verbose) args.push('--verbose');
  if (options.port !== undefined) args.push('--port', String(options.port));
  for (const [name, value] of Object.entries(options.settings ?? {}))
    args.push('--setting', `${name}=${value}`);
  const child = spawn(process.execPath, args, {
    cwd: INSTALL_ROOT,
    // The end of this process, however it comes, closes the stack's standard input, and that ends the stack.
    env: {
      // Applies from the first file; the stack itself could turn it on only after its first imports.
      NODE_COMPILE_CACHE: resolve(INSTALL_ROOT, '.cache/compiled'),
      // By default glibc gives each thread memory arenas of its own: a sixth of the memory of the stack.
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
  const interrupted = forwardSignals(child);
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
    const connection = await readConnectionLine(child, tail, options.dataDir);
    return { connection, ended, stop, interrupted };
  } catch (error) {
    await stop();
    throw interrupted.aborted ? interrupted.reason : error;
  }
}
