import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { isSameSecret, listenOnLoopback } from '../../shared/lib/loopback-listener.ts';
import { findAgentProgram, INSTALL_ROOT } from '../installation.ts';

/** Variables of this process that the agent program needs; none is a secret. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'HTTPS_PROXY', 'NO_PROXY'];
/** How long the program may take to end after a stop, in milliseconds. */
const GRACE_MS = 30_000;

export interface AgentProcessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the agent may have. */
  readonly pass: readonly string[];
  readonly abort: AbortSignal;
  readonly onLog: (line: string) => void;
}

/** Serves one assignment on loopback, at a path that cannot be guessed, until it is deleted. */
async function serveAssignment(assignment: AgentAssignment): Promise<{ url: string; close: () => void }> {
  const path = `/${randomBytes(32).toString('base64url')}`;
  let body: string | null = null;
  const rule = {
    servesPages: false,
    isAuthenticated: ({ url = '' }: IncomingMessage) => isSameSecret(url, path),
  };
  const listener = await listenOnLoopback(rule, ({ method }, response) => {
    const served = body;
    if (method === 'DELETE') body = null;
    response.writeHead(served === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(method === 'GET' ? served : '');
  });
  const url = `${listener.url}${path}`;
  body = JSON.stringify({ ...assignment, delete_url: url });
  return { url, close: () => void listener.stop() };
}

/**
 * Runs the program of the agent container for one assignment. Returns true if it reported its result to the API, false if it was stopped
 * or failed before that.
 */
export async function runAgentProcess(
  assignment: AgentAssignment,
  options: AgentProcessOptions,
): Promise<boolean> {
  const { url, close } = await serveAssignment(assignment);
  const passed = [...PASSED_VARIABLES, ...options.pass].flatMap((name) => {
    const value = options.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const child = spawn(process.execPath, [findAgentProgram()], {
    cwd: INSTALL_ROOT,
    env: {
      ...Object.fromEntries(passed),
      [CONTAINER_ENV_NAMES.assignmentUrl]: url,
      [CONTAINER_ENV_NAMES.passedVariables]: options.pass.join(','),
      // The end of this process, however it comes, closes its standard input, and that ends the program.
      [CONTAINER_ENV_NAMES.exitWithParent]: 'true',
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  createInterface({ input: child.stderr }).on('line', options.onLog);
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    // Like the end of this process: it stops at once and reports nothing, because the task is released.
    child.stdin.end();
    kill = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  if (options.abort.aborted) stop();
  options.abort.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((ended, failed) => {
      child.once('error', failed);
      child.once('close', ended);
    });
    return code === 0;
  } finally {
    clearTimeout(kill);
    options.abort.removeEventListener('abort', stop);
    close();
  }
}
