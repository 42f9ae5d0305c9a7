import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Variable with the id of the data directory, in the environment of a container and of the processes that
 * inherit it.
 */
export const STACK_ID_VARIABLE = 'ASSAY_STACK';

interface ProcessId {
  readonly pid: number;
  /** In ticks since the machine was started. With the pid, it identifies one process for ever. */
  readonly startedAt: string;
}

export interface OrphanedProcessOptions {
  /** Id of the data directory. */
  readonly stackId: string;
  /** Folder with the home directories of its containers. */
  readonly scratch: string;
  /** @default '/proc' */
  readonly proc?: string;
  kill?(pid: number): void;
}

/** Milliseconds that killed processes may take to end, and between two looks at them. */
const TIMEOUT_MS = 5_000;
const PAUSE_MS = 20;

/**
 * Kills the processes that an earlier stack on this data directory left running: containers that have not
 * noticed its end yet, and background processes of their commands. A process is killed only if its
 * environment has the id of the directory, or a home in the directory, and only by pid and start time, so
 * that a reused pid is spared. The directory must be locked. Returns the number of killed processes; 0 where
 * there is no `/proc`.
 */
export async function killOrphanedProcesses(options: OrphanedProcessOptions): Promise<number> {
  const { proc = '/proc', kill = (pid: number) => process.kill(pid, 'SIGKILL') } = options;
  const found = new Map<string, ProcessId>();
  const deadline = Date.now() + TIMEOUT_MS;
  for (let left = orphans(options, proc); left.length > 0; left = orphans(options, proc)) {
    for (const one of left) {
      found.set(`${one.pid} ${one.startedAt}`, one);
      end(one, proc, kill);
    }
    // A child that was just being started is found the next time.
    if (Date.now() > deadline)
      throw new Error(
        `processes of an earlier stack cannot be ended: ${left.map(({ pid }) => pid).join(', ')}`,
      );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return found.size;
}

function end({ pid, startedAt }: ProcessId, proc: string, kill: (pid: number) => void): void {
  if (startOf(pid, proc) !== startedAt) return;
  try {
    kill(pid);
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!gone) throw error;
  }
}

function orphans({ stackId, scratch }: OrphanedProcessOptions, proc: string): readonly ProcessId[] {
  // Commands of a container may have an environment without the id, but always its home.
  const homes = [`HOME=${scratch}/`, `TMPDIR=${scratch}/`];
  const isOurs = (pid: number): boolean => {
    const environment = read(() => readFileSync(join(proc, String(pid), 'environ'), 'utf8')) ?? '';
    return environment
      .split('\0')
      .some(
        (entry) =>
          entry === `${STACK_ID_VARIABLE}=${stackId}` || homes.some((home) => entry.startsWith(home)),
      );
  };
  return (read(() => readdirSync(proc)) ?? [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      const before = startOf(pid, proc);
      const ours = before !== null && isOurs(pid) && startOf(pid, proc) === before;
      return ours ? [{ pid, startedAt: before }] : [];
    });
}

/** Returns the start time of a process, or null if it has ended or is a zombie. */
function startOf(pid: number, proc: string): string | null {
  const stat = read(() => readFileSync(join(proc, String(pid), 'stat'), 'utf8'));
  // The program's name is in brackets and may have any character. `state` is the third field, the start time
  // the 22nd.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state] = fields;
  return state === undefined || ['Z', 'X'].includes(state) ? null : (fields[19] ?? null);
}

/** Returns null where reading fails: the process may have ended, or belong to another user. */
function read<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
