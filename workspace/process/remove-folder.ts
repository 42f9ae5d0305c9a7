import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';

/** Longest time, in milliseconds, that the second way may take. */
const LIMIT_MS = 60_000;

/**
 * Removes a folder in which commands of others have run. They may have left paths that are too long for one call, or folders that
 * nobody may enter; those go step by step. What cannot be removed stays, because it says nothing about the work.
 */
export async function removeFolder(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    const script = 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"';
    await new Promise<void>((resolve) => {
      execFile('sh', ['-c', script, 'sh', dir], { timeout: LIMIT_MS }, () => resolve());
    });
  }
}
