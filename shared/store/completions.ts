import * as z from 'zod';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { COMPLETION_RETENTION_DAYS } from '../control/ledger/nudge-rules.ts';
import type { NudgeWindowReset, TaskCompletion } from '../control/ledger/verification-nudge.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { ttlAfterDays } from './ttl.ts';

const PARTITION = `${ITEM_KEY_PREFIXES.completion}all`;
const MARKER = itemKey(`${ITEM_KEY_PREFIXES.completion}marker`, 'marker');
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
    const end = ttlAfterDays(COMPLETION_RETENTION_DAYS, new Date(at));
    const key = itemKey(PARTITION, `${at}#${task_id}`);
    await this.#table.put({ ...key, task_id, at, verified, [TABLE_KEYS.ttl]: end });
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
  async lastReset(): Promise<NudgeWindowReset | null> {
    const item = await this.#table.get(MARKER);
    return Words.parse(item?.['words'] ?? [])[0] ?? null;
  }

  /** Has completions before this no longer be looked at. Nothing is removed. */
  resetWindow(word: NudgeWindowReset): Promise<NudgeWindowReset> {
    return this.#table.updateVersioned(MARKER, 'the beginning of the verification window', (item) => {
      const words = Words.parse(item?.['words'] ?? []);
      const [last] = words;
      // Of two at once the later one holds.
      if (last && last.at >= word.at) return { fields: null, result: last };
      return { fields: { words: [word, ...words].slice(0, KEPT_WORDS) }, result: word };
    });
  }
}
