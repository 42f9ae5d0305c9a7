import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills descendants that have left their process group (`setsid`, daemons), found by a mark in their environment.
 * Linux only, best effort: a process that clears its own environment is not found; in the containers it ends with the container.
 * @param mark the text `NAME=value` that only these processes carry.
 * @param after pid of the first of them; later ones have higher ids until the counter wraps.
 */
export function killOrphans(mark: string, after: number): number {
  if (process.platform !== 'linux') return 0;
  let killed = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid <= after || pid === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)) continue;
      process.kill(pid, 'SIGKILL');
      killed++;
    } catch {
      // Gone in the meantime, or another user's: not ours to end.
    }
  }
  return killed;
}
