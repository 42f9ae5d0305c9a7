import { readFileSync } from 'node:fs';

/**
 * CPU time that this thread has used, in milliseconds: what bounds our own reading. On a machine that is busy with other things a
 * clock would end it for what others do.
 */
export const readThreadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** What Linux counts a second of CPU time in, for whoever reads it in /proc. */
const TICKS_PER_SECOND = 100;
let known = 0;

/**
 * CPU time of the processes that this one has started and that have ended since it was last asked, with all that those waited for; null
 * where the system does not say. Of two that end in the same moment the first that asks is told of both.
 */
export function readEndedChildrenCpuMs(): number | null {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'latin1');
  } catch {
    return null;
  }
  // The name of the program may hold anything, so counting begins behind it: state is the third field, cutime the 16th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const all = Number(fields[13]) + Number(fields[14]);
  if (!Number.isFinite(all)) return null;
  const since = all - known;
  known = all;
  return (since * 1_000) / TICKS_PER_SECOND;
}
