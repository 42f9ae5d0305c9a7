import type { LaunchKind } from '../contract/launch-kind.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import type { ContainerLaunch } from '../contract/task/attempt.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Longer than a message of a queue, a delivery or a repeated report can take. */
const KEPT_DAYS = 30;

/** What the dispatcher gave a launch. */
export type LaunchIdentity = Pick<ContainerLaunch, 'number' | 'token_sha256' | 'assignment_key'>;

const keyOf = (
  task: string,
  attempt: number,
  kind: LaunchKind,
  { token_sha256 }: LaunchIdentity,
): TableItem => itemKey(`${TABLE_ITEM_KEY_PREFIXES.launch}${task}`, `${attempt}#${kind}#${token_sha256}`);

/**
 * Launches of the dispatcher, one item for each token. The task item names the launch that counts now, but many functions write task items;
 * these are written by the dispatcher alone (`infra/table-access.ts`). A token or an assignment that only a task item names is forged.
 */
export class LaunchStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Records a launch, before the task item names it. Only the dispatcher may. */
  async record(
    task: string,
    attempt: number,
    kind: LaunchKind,
    launch: LaunchIdentity,
    now: Date,
  ): Promise<void> {
    await this.#table.put({
      ...keyOf(task, attempt, kind, launch),
      number: launch.number,
      assignment_key: launch.assignment_key,
      [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(KEPT_DAYS, now),
    });
  }

  /** Returns whether the dispatcher made this launch, with this number, token and assignment. */
  async isRecorded(
    task: string,
    attempt: number,
    kind: LaunchKind,
    launch: LaunchIdentity,
  ): Promise<boolean> {
    const item = await this.#table.get(keyOf(task, attempt, kind, launch));
    return item?.['number'] === launch.number && item['assignment_key'] === launch.assignment_key;
  }
}
