import { createHash } from 'node:crypto';
import { comparableRepositoryUrl } from '../contract/repository/repository-url.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import type { MergedWorkKey } from '../contract/task/merged-work.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Who reverts what was merged longer ago is not told whose work it was. */
const KEPT_DAYS = 400;

function keyOf(repository: string, as: MergedWorkKey): TableItem {
  const of = createHash('sha256').update(comparableRepositoryUrl(repository)).digest('hex').slice(0, 16);
  return itemKey(`${TABLE_ITEM_KEY_PREFIXES.mergedWork}${of}#${as}`, 'merged');
}

/** Whose work a merged request or commit is: one item for each, written as often as it is told. */
export class MergedWorkStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async put(repository: string, as: MergedWorkKey, task: string, now: Date): Promise<void> {
    await this.#table.put({
      ...keyOf(repository, as),
      task,
      [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(KEPT_DAYS, now),
    });
  }

  /** The task that it is of; null where nobody knows. */
  async findTask(repository: string, as: MergedWorkKey): Promise<string | null> {
    const item = await this.#table.get(keyOf(repository, as), { consistent: false });
    return item && String(item['task']);
  }
}
