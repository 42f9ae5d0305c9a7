import { isRecord } from '../resource-properties.ts';
import type { ItemImage } from './item-image.ts';

/** When which items of a table expire. In memory: every start fills it from the items themselves. */
export interface ExpiryIndex {
  /** Sets when an item expires, in seconds since 1970; null: never, or it was deleted. */
  set(key: ItemImage, seconds: number | null): void;
  /** Keys of the items that expired before `now`, in seconds since 1970; the earliest first. */
  expired(now: number): readonly ItemImage[];
}

/** Seconds since 1970 at which the item expires; null where DynamoDB would never remove it. */
export function computeItemExpiry(ttlAttribute: string | null, item: ItemImage | null): number | null {
  const value = ttlAttribute === null ? null : item?.[ttlAttribute];
  const seconds = isRecord(value) && typeof value['N'] === 'string' ? Math.floor(Number(value['N'])) : null;
  return seconds !== null && seconds >= 0 ? seconds : null;
}

export function createExpiryIndex(): ExpiryIndex {
  const entries = new Map<string, { readonly key: ItemImage; readonly seconds: number }>();
  return {
    set(key, seconds) {
      const name = JSON.stringify(key);
      if (seconds === null) entries.delete(name);
      else entries.set(name, { key, seconds });
    },
    expired: (now) =>
      [...entries.values()]
        .filter(({ seconds }) => seconds < now)
        .sort((a, b) => a.seconds - b.seconds)
        .map(({ key }) => key),
  };
}
