import type { ProviderName } from '../contract/models/protocols.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import {
  claimProviderProbe,
  clearProviderCooldown,
  ProviderCooldown,
  type ProviderObservation,
  updateProviderCooldown,
} from '../control/cascade/provider-cooldown.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days after which a provider without failures is forgotten. */
const KEPT_DAYS = 7;

/** Cooldowns of model providers, one item for each: the failures of one task pause the provider for all. */
export class ProviderCooldownStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Counts what an attempt says, once. */
  async recordMark(mark: ProviderObservation): Promise<void> {
    await this.#update(mark.provider, new Date(mark.at), (before) => updateProviderCooldown(before, mark));
  }

  /** Ends a pause. Returns null if the provider has none on record. */
  clear(
    provider: ProviderName,
    note: { readonly by: string; readonly reason: string },
    now: Date,
  ): Promise<ProviderCooldown | null> {
    return this.#update(provider, now, (before) => before && clearProviderCooldown(before, note, now));
  }

  /** Lets a task try a provider after a pause. Resolves to false if it is paused or another task is trying it. */
  async claimProbe(provider: ProviderName, task: string, now: Date): Promise<boolean> {
    let isClaimed = true;
    await this.#update(provider, now, (before) => {
      const after = before && claimProviderProbe(before, task, now);
      isClaimed = before === null || after !== null;
      return after ?? before;
    });
    return isClaimed;
  }

  #update(
    provider: ProviderName,
    now: Date,
    change: (before: ProviderCooldown | null) => ProviderCooldown | null,
  ): Promise<ProviderCooldown | null> {
    return this.#table.updateVersioned(
      itemKey(TABLE_ITEM_KEY_PREFIXES.provider, provider),
      `provider ${provider}`,
      (item) => {
        const before = item && ProviderCooldown.parse(item);
        const after = change(before);
        const kept = Math.max(now.getTime(), Date.parse(after?.until ?? now.toISOString()));
        const ttl = computeTtlEpochSeconds(KEPT_DAYS, new Date(kept));
        return {
          fields: after === before ? null : { ...after, [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: ttl },
          result: after,
        };
      },
    );
  }

  /** Lists the cooldowns of all providers that have failed. */
  async listCooldowns(): Promise<ProviderCooldown[]> {
    const { items } = await this.#table.queryPage({ pk: TABLE_ITEM_KEY_PREFIXES.provider });
    return items.map((item) => ProviderCooldown.parse(item));
  }
}
