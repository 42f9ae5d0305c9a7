import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { findFileOverlap } from '../../../shared/contract/submission/file-overlap.ts';
import type { TaskStatus } from '../../../shared/contract/task/status.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { FileLockStore } from '../../../shared/store/file-locks.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import type { TaskStore } from '../../../shared/store/task-store.ts';
import { FIXED_NOW } from '../../support/builders.ts';
import { MemoryTable } from '../../support/memory-table.ts';

/** A function of AWS is stopped after as long, in milliseconds, wherever it is. */
const FUNCTION_MS = 30_000;

/** One request on its way to the table; it is carried out when the test says so. */
interface Pending {
  readonly process: number;
  carryOut(): void;
}

/** A table, tasks and processes that claim them, in which every request is a step that the test chooses and time is what it says. */
export class LockWorld {
  readonly #table = new MemoryTable();
  readonly #started = new Map<number, number>();
  readonly #files: readonly (readonly string[])[];
  readonly status: TaskStatus[];
  pending: Pending[] = [];
  now: number = FIXED_NOW.getTime();
  #processes = 0;

  constructor(files: readonly (readonly string[])[]) {
    this.#files = files;
    this.status = files.map(() => 'open');
  }

  #task(index: number): Pick<Task, 'id' | 'repository' | 'files'> {
    return { id: `T${index}`, repository: 'r', files: [...(this.#files[index] ?? [])] };
  }

  #request<T>(process: number, run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.pending.push({
        process,
        carryOut: () => {
          if (this.now - (this.#started.get(process) ?? 0) > FUNCTION_MS) return;
          try {
            resolve(run());
          } catch (error) {
            reject(error);
          }
        },
      });
    });
  }

  #store(process: number): FileLockStore {
    const db = {
      send: (command: unknown) => this.#request(process, () => this.#table.carryOut(command)),
    } as unknown as DynamoDBDocumentClient;
    const get = (id: string) =>
      this.#request(process, () => ({ id, status: this.status[Number(id.slice(1))] }) as Task);
    return new FileLockStore(new ItemTable(db, 'tasks'), { get } as Pick<TaskStore, 'get'>);
  }

  #begin(): number {
    this.#processes += 1;
    this.#started.set(this.#processes, this.now);
    return this.#processes;
  }

  /** Takes the files, then the task, as every claim does. Answers who stands in the way, or null. */
  async claim(index: number): Promise<string | null> {
    if (this.status[index] !== 'open') return null;
    const process = this.#begin();
    const conflict = await this.#store(process).acquire(this.#task(index), new Date(this.now));
    if (conflict !== null) return conflict.holder;
    await this.#request(process, () => {
      if (this.status[index] === 'open') this.status[index] = 'claimed';
    });
    return null;
  }

  async release(index: number): Promise<void> {
    await this.#store(this.#begin()).release(this.#task(index));
  }

  /** Carries out one of the requests that are under way, and lets its process go on. */
  async step(choice: number): Promise<void> {
    const [next] = this.pending.splice(choice % Math.max(1, this.pending.length), 1);
    next?.carryOut();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async settle(): Promise<void> {
    while (this.pending.length > 0) await this.step(0);
  }

  /** Two live tasks that work on the same files. */
  clash(): string | null {
    const live = this.status.flatMap((status, index) => (status === 'claimed' ? [index] : []));
    for (const a of live)
      for (const b of live)
        if (a < b && findFileOverlap(this.#files[a] ?? [], this.#files[b] ?? [])) return `T${a} and T${b}`;
    return null;
  }

  get size(): number {
    return this.#table.items.length;
  }
}
