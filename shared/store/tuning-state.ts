import { TABLE_ITEM_KEY_PREFIXES } from '../contract/resource-names.ts';
import { EMPTY_TUNING_STATE, TuningState } from '../control/tune/proposals.ts';
import { type ItemTable, itemKey } from './item-table.ts';

const KEY = itemKey(TABLE_ITEM_KEY_PREFIXES.tuning, 'settings');

/** What the deployment has changed of its own settings, and what it proposes: one item, so that one conditional write changes all of it. */
export class SettingTuningStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async read(): Promise<TuningState> {
    const item = await this.#table.get(KEY);
    return item ? TuningState.parse(item) : EMPTY_TUNING_STATE;
  }

  /** Changes it under the condition that it is as it was read. `change` answers null where there is nothing to change, and may be asked again. */
  update(change: (state: TuningState) => TuningState | null): Promise<TuningState> {
    return this.#table.updateVersioned(KEY, 'the settings of the deployment', (item) => {
      const present = item ? TuningState.parse(item) : EMPTY_TUNING_STATE;
      const next = change(present);
      return { fields: next && { ...next }, result: next ?? present };
    });
  }
}
