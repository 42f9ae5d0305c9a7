import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of the kernel's clock in a second, by which it counts CPU time. */
const TICKS = 100;

interface Times {
  readonly parent: number;
  /** Seconds of the process itself, all its threads together; and of children that have ended and were waited for, and theirs. */
  readonly own: number;
  readonly ended: number;
}

function timesOf(pid: number | string): Times {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { parent, own: (user + system) / TICKS, ended: (endedUser + endedSystem) / TICKS };
}

/** CPU time of a process, all its threads together, in seconds. */
export const readCpuSeconds = (pid: number): number => timesOf(pid).own;

/** CPU time in seconds of a process and all that it has ever started, as far as that has not been left to nobody. */
export function readProcessTreeCpuSeconds(pid: number): number {
  const all = new Map<number, Times>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      all.set(Number(name), timesOf(name));
    } catch {
      // It has ended while we looked.
    }
  const below = (of: number): number =>
    [...all].reduce(
      (sum, [child, { parent, own, ended }]) => (parent === of ? sum + own + ended + below(child) : sum),
      0,
    );
  const { own, ended } = timesOf(pid);
  return own + ended + below(pid);
}

/** Resident memory of a process, in MB. */
export const readResidentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
