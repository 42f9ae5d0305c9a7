import { spawn } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { countStartedProcesses } from './orphan-processes.ts';
import type { ProcessUser } from './process-user.ts';
import { listUserProcesses } from './user-processes.ts';

/** How long processes of a user may take to end, in milliseconds: some are in the kernel when they are killed. */
const LIMIT_MS = 10_000;
/** How long the helper may take before it counts as held up, in milliseconds. */
const HELPER_MS = 2_000;
/** How long we wait before we look again, in milliseconds. */
const AGAIN_MS = 2;
/** Looks before the helper is asked, while others start processes in between. */
const LOOKS = 3;

/**
 * Ends everything that runs as a user. The kernel does it, in one step that nobody can fork away from: `kill(-1)` by a process of that
 * same user. The helper is not needed when nobody is there and nothing was started while we looked.
 * @throws when somebody is still there in the end, or when /proc cannot be read.
 */
export async function killUserProcesses(user: ProcessUser): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  for (let look = 1, swept = false; ; look++) {
    const before = countStartedProcesses();
    const left = listUserProcesses(user.uid);
    if (left.length === 0 && (swept || (before !== null && countStartedProcesses() === before))) return;
    if (performance.now() > until)
      throw new Error(`processes of user ${user.uid} cannot be ended: ${left.join(', ')}`);
    if (left.length === 0 && look < LOOKS) continue;
    if (swept) await after(AGAIN_MS);
    swept = (await runProgramAsUser(user, ['/bin/sh', '-c', 'kill -9 -1'], HELPER_MS)) !== null;
  }
}

/** Runs a short program of ours as a user, with nothing of our environment. Null when it was ended by a signal. */
export function runProgramAsUser(
  user: ProcessUser,
  argv: readonly string[],
  limitMs: number,
): Promise<number | null> {
  const [file = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env: {},
      stdio: 'ignore',
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}
