import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';

/** Longest time, in milliseconds, that one way may take. */
const LIMIT_MS = 60_000;

/**
 * Removes a folder in which commands of others have run. They may have left paths that are too long for one call, or folders that
 * nobody may enter. What cannot be removed stays, because it says nothing about the work. The program `rm` goes first: for the
 * thousands of files of prepared environments it needs a tenth of the CPU time of Node's own removal.
 */
export async function removeFolder(dir: string): Promise<void> {
  if (await succeeds('rm', ['-rf', '--', dir])) return;
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await succeeds('sh', ['-c', 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"', 'sh', dir]);
  }
}

const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS }, (error) => resolve(error === null));
  });
