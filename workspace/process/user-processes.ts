import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes of a user that still run, by what /proc says of their ids: readable without any right over them, and true also of a
 * program that hides its memory, calls itself by another name, or whose first thread has ended while others go on.
 * @throws when a process cannot be looked at: what cannot be seen is not "nothing there".
 */
export function listUserProcesses(uid: number): number[] {
  const found: number[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = statusOf(entry);
    if (status !== null && isOf(status, uid) && !isOver(status)) found.push(Number(entry));
  }
  return found;
}

/** Whether we can see a process that is certainly there; where not, /proc hides those of others (`hidepid`). */
export const isUserProcessVisible = (pid: number, uid: number): boolean => {
  const status = statusOf(String(pid));
  return status !== null && isOf(status, uid);
};

/** Kills them one by one, at once. For the way out only: somebody who forks fast enough is a step ahead. */
export function killUserProcessesOneByOne(uid: number): void {
  for (let pass = 0; pass < 20; pass++) {
    const found = listUserProcesses(uid);
    if (found.length === 0) return;
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone in the meantime.
      }
  }
}

function statusOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** Real, effective, saved or file-system user. The kernel escapes line breaks in a process's name, so no line can be forged. */
const isOf = (status: string, uid: number): boolean =>
  /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t').includes(String(uid)) ?? false;

/** Ended, and only not collected yet. A first thread that has ended leaves the others running. */
const isOver = (status: string): boolean => /^State:\t[ZX]/m.test(status) && /^Threads:\t1$/m.test(status);
