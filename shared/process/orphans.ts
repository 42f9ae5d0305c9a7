import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const MAX_PASSES = 10;

/**
 * Kills descendants that have left their process group (`setsid`, daemons), found by a mark in their environment or, where they
 * cleared it, by the folder that they work in. Linux only, best effort: a process that has left all of these is not found; in
 * the containers it ends with the container.
 * @param mark the text `NAME=value` that only these processes carry.
 * @param after pid of the first of them; later ones have higher ids until the counter wraps.
 * @param territory real path of a folder in which nobody else works; null: there is none.
 */
export function killOrphans(mark: string, after: number, territory: string | null = null): number {
  if (process.platform !== 'linux') return 0;
  let killed = 0;
  // Who starts another one before its end is met by the next pass.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const ended = killOnce(mark, after, territory);
    killed += ended;
    if (ended === 0) break;
  }
  return killed;
}

function killOnce(mark: string, after: number, territory: string | null): number {
  let killed = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid <= after || pid === process.pid) continue;
    if (!isMarked(pid, mark) && !worksIn(pid, territory)) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed++;
    } catch {
      // Gone in the meantime.
    }
  }
  return killed;
}

/** False as well for processes that are gone, or another user's: not ours to end. */
function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    return false;
  }
}

function worksIn(pid: number, territory: string | null): boolean {
  if (territory === null) return false;
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${territory}/`);
  } catch {
    return false;
  }
}
