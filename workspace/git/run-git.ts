import { spawn } from 'node:child_process';
import { signalProcessGroup, trackProcessGroup, untrackProcessGroup } from '../process/process-groups.ts';
import type { ProcessUser } from '../process/process-user.ts';
import { CheckoutError } from './checkout-error.ts';

export interface GitOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: Buffer | string;
  /** Default 120 s. */
  readonly timeoutMs?: number;
  /** Most bytes of standard output; more ends the process. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Most bytes of a file that it may write; more ends it. Absent: no limit. */
  readonly maxFileBytes?: number;
  /** Most bytes of memory that it may allocate; more ends it. Files that it maps do not count. Absent: no limit. Linux only. */
  readonly maxMemoryBytes?: number;
  /** Who it runs as; absent or null: as we do. */
  readonly runAs?: ProcessUser | null;
}

export interface GitResult {
  readonly code: number | null;
  /** What ended it from outside: somebody of ours, or a machine that has no memory left. */
  readonly signal?: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly stopped: 'timed_out' | 'output_limit' | null;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_OUTPUT_BYTES = 64 * 1_048_576;
const MAX_STDERR_BYTES = 64 * 1024;

/** Limits are those of the process: of files in units of 512 bytes, of memory in KiB. */
function commandOf(
  args: readonly string[],
  { maxFileBytes, maxMemoryBytes }: GitOptions,
): [string, ...string[]] {
  const limits = [
    maxFileBytes === undefined ? '' : `ulimit -f ${Math.ceil(maxFileBytes / 512)} && `,
    // A machine that has a lower limit of its own keeps that.
    maxMemoryBytes === undefined
      ? ''
      : `{ ulimit -d ${Math.ceil(maxMemoryBytes / 1_024)} || :; } 2>/dev/null; `,
  ].join('');
  return limits === '' ? ['git', ...args] : ['sh', '-c', `${limits}exec git "$@"`, 'git', ...args];
}

/** Runs git. Rejects only when git itself cannot be started; a non-zero exit is a result. */
export function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = commandOf(args, options);
    const child = spawn(program, rest, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.runAs ? { uid: options.runAs.uid, gid: options.runAs.gid } : {}),
    });
    const leader = child.pid;
    if (leader !== undefined) trackProcessGroup(leader);
    let stopped: GitResult['stopped'] = null;
    const stop = (why: NonNullable<GitResult['stopped']>): void => {
      stopped ??= why;
      if (leader !== undefined) signalProcessGroup(leader, 'SIGKILL');
    };
    const timer = setTimeout(() => stop('timed_out'), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);

    const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    const out: Buffer[] = [];
    let outBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes > limit) stop('output_limit');
      else out.push(chunk);
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_BYTES) stderr += chunk.toString('utf8');
    });
    // A git that ends without reading its input closes the pipe; its exit code tells the rest.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input);

    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new CheckoutError('unknown', `git could not be started: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (leader !== undefined) untrackProcessGroup(leader);
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: stderr.trim(), stopped });
    });
  });
}

/** What git said went wrong, in one line without its own prefixes. */
export const gitErrorMessage = (result: GitResult): string =>
  result.stopped === 'timed_out'
    ? 'git took too long'
    : (result.stderr
        .split('\n')
        .find((line) => /^(fatal|error|remote error):/.test(line))
        ?.replace(/^(fatal|error): /, '') ??
      (result.stderr.split('\n').at(-1) || null) ??
      (result.signal ? `git was ended by ${result.signal}` : `git exited with ${result.code}`));
