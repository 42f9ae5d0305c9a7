import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const MAX_PASSES = 10;
/** Ids that the kernel may have passed over because they were taken. */
const TAKEN_IDS = 4_096;

/** How many processes and threads this system has ever started; null where it does not say. https://docs.kernel.org/filesystems/proc.html */
export function countStartedProcesses(): number | null {
  if (process.platform !== 'linux') return null;
  const started = /^processes (\d+)$/m.exec(readText('/proc/stat') ?? '')?.[1];
  return started === undefined ? null : Number(started);
}

/**
 * The highest id that no process can have that was started after `leader`; 0 when the ids may have begun anew since. Looking at every
 * process of the system takes some ms, during which nothing else of ours runs.
 * @param started by everybody since shortly before `leader`; null: not known.
 * @param highest id of this system; null: not known.
 */
export const highestEarlierPid = (leader: number, started: number | null, highest: number | null): number =>
  started !== null && highest !== null && leader + started + TAKEN_IDS < highest ? leader : 0;

/**
 * Kills descendants that have left their process group (`setsid`, daemons), found by a mark in their environment or, where they
 * cleared it, by the folder that they work in. Linux only, best effort: a process that has left all of these is not found; in
 * the containers it ends with the container.
 * @param mark the text `NAME=value` that only these processes carry.
 * @param leader the first of them.
 * @param startedBefore what `countStartedProcesses` gave shortly before it was started.
 * @param territory real path of a folder in which nobody else works; null: there is none.
 */
export function killOrphanProcesses(
  mark: string,
  leader: number,
  startedBefore: number | null,
  territory: string | null = null,
): number {
  if (process.platform !== 'linux') return 0;
  // A process that is told to end may still be there at the next pass: it is told again, and counted once.
  const killed = new Set<number>();
  // Who starts another one before its end is met by the next pass.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const now = countStartedProcesses();
    const started = now === null || startedBefore === null ? null : now - startedBefore;
    const ended = killOnce(mark, highestEarlierPid(leader, started, highestId()), territory);
    for (const pid of ended) killed.add(pid);
    if (ended.length === 0) break;
  }
  return killed.size;
}

function killOnce(mark: string, after: number, territory: string | null): number[] {
  const killed: number[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid <= after || pid === process.pid) continue;
    if (!isMarked(pid, mark) && !worksIn(pid, territory)) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
    } catch {
      // Gone in the meantime.
    }
  }
  return killed;
}

const highestId = (): number | null => Number(readText('/proc/sys/kernel/pid_max') ?? '') || null;

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

/** False as well for processes that are gone, or another user's: not ours to end. */
function isMarked(pid: number, mark: string): boolean {
  return readText(`/proc/${pid}/environ`)?.split('\0').includes(mark) ?? false;
}

function worksIn(pid: number, territory: string | null): boolean {
  if (territory === null) return false;
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${territory}/`);
  } catch {
    return false;
  }
}
