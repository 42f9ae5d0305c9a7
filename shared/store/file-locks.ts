import { randomUUID } from 'node:crypto';
import { Refusal } from '../contract/refusal.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { type FileOverlap, findFileOverlap } from '../contract/submission/file-overlap.ts';
import { isLiveStatus, isTerminalStatus } from '../contract/task/status.ts';
import type { Task } from '../contract/task/task.ts';
import { sha256 } from '../lib/sha256.ts';
import {
  IF_ITEM_ABSENT,
  type ItemTable,
  itemKey,
  type TableItem,
  type WriteCondition,
} from './item-table.ts';
import type { TaskStore } from './task-store.ts';

/**
 * Seconds for which an entry counts although its task is not live. `holds`: the time from there to the claim of the task; longer than any
 * function that does both may run, because two would work on the files if it came later. `wants`: only how long others are kept
 * waiting by one that died, because a wish that was struck out never becomes more.
 */
export const LOCK_GRACE_SECONDS = { holds: 60, wants: 10 } as const;
const MAX_RACES = 25;

type LockedTask = Pick<Task, 'id' | 'repository' | 'files'>;

/** What keeps a task from its files. */
export interface FileConflict extends FileOverlap {
  /** The task that holds them. */
  readonly holder: string;
}

/** `wants`: has asked, and looks whether somebody else is there. `holds`: was there alone. */
interface LockEntry {
  readonly id: string;
  readonly state: 'wants' | 'holds';
  /** New with every write of the entry: what was read is what is written over. */
  readonly nonce: string;
  /** Epoch milliseconds of the asking; the earlier one goes first. */
  readonly since: number;
  readonly files: readonly string[];
}

const partition = (repository: string): string => `${TABLE_ITEM_KEY_PREFIXES.lock}${sha256(repository)}`;
const key = (repository: string, id: string): TableItem => itemKey(partition(repository), id);

/** The condition that an entry is still as it was seen. */
const asSeen = (seen: LockEntry | null): WriteCondition =>
  seen === null
    ? IF_ITEM_ABSENT
    : {
        ConditionExpression: '#nonce = :nonce',
        ExpressionAttributeNames: { '#nonce': 'nonce' },
        ExpressionAttributeValues: { ':nonce': seen.nonce },
      };

/** Puts in order who asked when: nobody waits for a later one, so two that ask at once do not both go away. */
const before = (a: LockEntry, b: LockEntry): boolean =>
  a.since < b.since || (a.since === b.since && a.id < b.id);

/**
 * Who works on which files of a repository: an item for each task. A task first writes that it wants its files, then reads what the
 * others want and hold, and only then, on the condition that nobody has struck out its wish, that it holds them. Of two that overlap,
 * the one that reads later sees the other, so never do both hold. An entry counts while its task is live.
 */
export class FileLockStore {
  readonly #table: ItemTable;
  readonly #tasks: Pick<TaskStore, 'get'>;

  constructor(table: ItemTable, tasks: Pick<TaskStore, 'get'>) {
    this.#table = table;
    this.#tasks = tasks;
  }

  async #own(task: LockedTask): Promise<LockEntry | null> {
    const item = await this.#table.get(key(task.repository, task.id));
    return item && ({ ...item, id: task.id } as unknown as LockEntry);
  }

  async #others(task: LockedTask): Promise<LockEntry[]> {
    const entries: LockEntry[] = [];
    const items = this.#table.query({ pk: partition(task.repository), consistent: true });
    for await (const item of items)
      if (item[TASKS_TABLE_KEY_ATTRIBUTES.sk] !== task.id)
        entries.push({ ...item, id: String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]) } as unknown as LockEntry);
    return entries;
  }

  /** Writes an entry over the one that was seen. Null when that one is no longer there. */
  async #write(
    task: LockedTask,
    seen: LockEntry | null,
    state: LockEntry['state'],
    since: number,
  ): Promise<LockEntry | null> {
    const entry = { state, nonce: randomUUID(), since, files: task.files };
    const item = { ...key(task.repository, task.id), ...entry };
    const written = await this.#table.putIf(item, asSeen(seen));
    return written ? { ...entry, id: task.id } : null;
  }

  #remove(repository: string, seen: LockEntry): Promise<boolean> {
    return this.#table.deleteIf(key(repository, seen.id), asSeen(seen));
  }

  async #counts(entry: LockEntry, now: number): Promise<boolean> {
    const task = await this.#tasks.get(entry.id);
    if (task === null || isTerminalStatus(task.status)) return false;
    return isLiveStatus(task.status) || now - entry.since < LOCK_GRACE_SECONDS[entry.state] * 1_000;
  }

  /**
   * Returns the first task that keeps `mine` from its files, or null. Removes requests of tasks that asked later, and entries of ended
   * tasks. An entry that changes meanwhile is judged again by its new state: a later task that repeats its request still has to wait.
   */
  async #conflict(task: LockedTask, mine: LockEntry, now: number): Promise<FileConflict | null> {
    for (const seen of await this.#others(task)) {
      let other: LockEntry | null = seen;
      for (let race = 0; other !== null; race++) {
        const files = findFileOverlap(task.files, other.files);
        if (files === null) break;
        const mustWait = other.state === 'wants' && before(mine, other);
        if (race >= MAX_RACES || (!mustWait && (await this.#counts(other, now))))
          return { ...files, holder: other.id };
        if (await this.#remove(task.repository, other)) break;
        other = await this.#own({ ...task, id: other.id });
      }
    }
    return null;
  }

  /** Takes the task's files. Answers with what stands in the way, or null when they are ours now. */
  async acquire(task: LockedTask, now: Date): Promise<FileConflict | null> {
    if (task.files.length === 0) return null;
    const since = now.getTime();
    for (let race = 0; race < MAX_RACES; race++) {
      const seen = race === 0 ? null : await this.#own(task);
      // Ours from an earlier call, or from the attempt before: it goes on counting from now.
      if (seen?.state === 'holds') {
        if (await this.#write(task, seen, 'holds', since)) return null;
        continue;
      }
      const wish = await this.#write(task, seen, 'wants', since);
      if (!wish) continue;
      const conflict = await this.#conflict(task, wish, since);
      if (conflict !== null) {
        await this.#remove(task.repository, wish);
        return conflict;
      }
      if (await this.#write(task, wish, 'holds', since)) return null;
    }
    throw new Refusal('busy', `the files of ${task.repository} are in great demand; try again`);
  }

  /** Gives an ended task's files back. Does nothing when the task is not ended (it was retried meanwhile) or holds nothing. */
  async release(task: LockedTask): Promise<void> {
    if (task.files.length === 0) return;
    const seen = await this.#own(task);
    if (!seen) return;
    const present = await this.#tasks.get(task.id);
    if (present && !isTerminalStatus(present.status)) return;
    await this.#remove(task.repository, seen);
  }
}
