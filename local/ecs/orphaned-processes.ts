import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Says of a process of a box, and of all that it starts with its environment, which data folder it works for. */
export const STACK_ID_VARIABLE = 'ASSAY_STACK';

interface ProcessId {
  readonly pid: number;
  /** In ticks since the machine was started: with the pid, it names one process for ever. */
  readonly startedAt: string;
}

export interface OrphanedProcessOptions {
  /** Id of the data folder; nobody else's processes carry it. */
  readonly stackId: string;
  /** Folder of the boxes of that data folder; only they have their home in it. */
  readonly scratch: string;
  /** `/proc`, or another folder of its form. */
  readonly proc?: string;
  kill?(pid: number): void;
}

/** How long a process that was killed may take to be gone, and how often that is looked at; in milliseconds. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 20;

/**
 * Ends what an earlier life of this stack has left behind: boxes that have not noticed its end yet, and what their commands have put
 * in the background. Only a process that carries the mark of the folder, or has its home in the folder's boxes, is ended, and
 * only by pid and start time, so that a pid that was given anew means nobody else. The folder must be locked. Answers how many there were.
 * Without `/proc` there is nothing to tell them by, and none is ended.
 */
export async function killOrphanedProcesses(options: OrphanedProcessOptions): Promise<number> {
  const { proc = '/proc', kill = (pid: number) => process.kill(pid, 'SIGKILL') } = options;
  const found = new Map<string, ProcessId>();
  const deadline = Date.now() + PATIENCE_MS;
  for (let left = survivors(options, proc); left.length > 0; left = survivors(options, proc)) {
    for (const one of left) {
      found.set(`${one.pid} ${one.startedAt}`, one);
      end(one, proc, kill);
    }
    // A child that was being started when we looked is found the next time.
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

function survivors({ stackId, scratch }: OrphanedProcessOptions, proc: string): readonly ProcessId[] {
  // Commands of a box get an environment without the mark, and never another home.
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

/** Null for one that is not there, or has ended and only waits for its parent to hear of it. */
function startOf(pid: number, proc: string): string | null {
  const stat = read(() => readFileSync(join(proc, String(pid), 'stat'), 'utf8'));
  // The name of the program stands in brackets and may hold anything; `state` is the third field, the start the 22nd.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state] = fields;
  return state === undefined || ['Z', 'X'].includes(state) ? null : (fields[19] ?? null);
}

/** A process may end while it is looked at, and one of another user shows nothing. */
function read<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
