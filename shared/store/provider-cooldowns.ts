import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import {
  ProviderCooldown,
  type ProviderObservation,
  updateProviderCooldown,
} from '../control/cascade/provider-cooldown.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days after which a provider is forgotten that nobody meets trouble with. */
const KEPT_DAYS = 7;

/** How providers of models fare, one item for each: what one task has met, all others go by. */
export class ProviderCooldownStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Counts what an attempt says, once. */
  recordMark(mark: ProviderObservation): Promise<void> {
    const { provider } = mark;
    return this.#table.updateVersioned(
      itemKey(TABLE_ITEM_KEY_PREFIXES.provider, provider),
      `provider ${provider}`,
      (item) => {
        const before = item && ProviderCooldown.parse(item);
        const after = updateProviderCooldown(before, mark);
        const ttl = computeTtlEpochSeconds(KEPT_DAYS, new Date(mark.at));
        return {
          fields: after === before ? null : { ...after, [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: ttl },
          result: undefined,
        };
      },
    );
  }

  /** All that trouble was met with, as they stand. */
  async listCooldowns(): Promise<ProviderCooldown[]> {
    const { items } = await this.#table.queryPage({ pk: TABLE_ITEM_KEY_PREFIXES.provider });
    return items.map((item) => ProviderCooldown.parse(item));
  }
}
