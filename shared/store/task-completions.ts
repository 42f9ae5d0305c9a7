import * as z from 'zod';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { COMPLETION_RETENTION_DAYS } from '../control/ledger/nudge-rules.ts';
import type { TaskCompletion, VerificationNudgeReset } from '../control/ledger/verification-nudge.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

const PARTITION = `${TABLE_ITEM_KEY_PREFIXES.completion}all`;
const MARKER = itemKey(`${TABLE_ITEM_KEY_PREFIXES.completion}marker`, 'marker');
/** Words of persons that are kept. */
const KEPT_WORDS = 20;
const Words = z.object({ at: z.string(), by: z.string(), reason: z.string() }).array();

/** The latest completions: an item for each, named by what it is of, so that one that is told again is the same. They end by themselves. */
export class TaskCompletionStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Writes a completion down; again, it changes nothing. */
  async record({ task_id, at, verified }: TaskCompletion): Promise<void> {
    const end = computeTtlEpochSeconds(COMPLETION_RETENTION_DAYS, new Date(at));
    const key = itemKey(PARTITION, `${at}#${task_id}`);
    await this.#table.put({ ...key, task_id, at, verified, [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: end });
  }

  /** The latest completions since a time, the newest first. */
  async listLatest(since: string, most: number): Promise<TaskCompletion[]> {
    const found: TaskCompletion[] = [];
    const pages = this.#table.queryPages({
      pk: PARTITION,
      range: ['#sk >= :since', { ':since': since }],
      forward: false,
      pageSize: most,
    });
    for await (const { items } of pages) {
      for (const { task_id, at, verified } of items)
        found.push({ task_id: String(task_id), at: String(at), verified: verified === true });
      if (found.length >= most) break;
    }
    return found.slice(0, most);
  }

  /** Since when a person wants completions to be looked at; null: nobody has said so. */
  async lastReset(): Promise<VerificationNudgeReset | null> {
    const item = await this.#table.get(MARKER);
    return Words.parse(item?.['words'] ?? [])[0] ?? null;
  }

  /** Has completions before this no longer be looked at. Nothing is removed. */
  resetWindow(word: VerificationNudgeReset): Promise<VerificationNudgeReset> {
    return this.#table.updateVersioned(MARKER, 'the beginning of the verification window', (item) => {
      const words = Words.parse(item?.['words'] ?? []);
      const [last] = words;
      // Of two at once the later one holds.
      if (last && last.at >= word.at) return { fields: null, result: last };
      return { fields: { words: [word, ...words].slice(0, KEPT_WORDS) }, result: word };
    });
  }
}
