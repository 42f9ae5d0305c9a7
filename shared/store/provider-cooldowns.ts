import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import {
  applyProviderObservation,
  ProviderCooldown,
  type ProviderObservation,
} from '../control/cascade/provider-cooldown.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { ttlAfterDays } from './ttl.ts';

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
      itemKey(ITEM_KEY_PREFIXES.provider, provider),
      `provider ${provider}`,
      (item) => {
        const before = item && ProviderCooldown.parse(item);
        const after = applyProviderObservation(before, mark);
        const ttl = ttlAfterDays(KEPT_DAYS, new Date(mark.at));
        return { fields: after === before ? null : { ...after, [TABLE_KEYS.ttl]: ttl }, result: undefined };
      },
    );
  }

  /** All that trouble was met with, as they stand. */
  async listCooldowns(): Promise<ProviderCooldown[]> {
    const { items } = await this.#table.queryPage({ pk: ITEM_KEY_PREFIXES.provider });
    return items.map((item) => ProviderCooldown.parse(item));
  }
}
