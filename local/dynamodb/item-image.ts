import { isRecord } from '../resource-properties.ts';

/** An item, or a part of one, in DynamoDB's JSON: `{ "pk": { "S": "…" } }`. Streams call it an image. */
export type ItemImage = Readonly<Record<string, unknown>>;

const SETS = new Set(['SS', 'NS', 'BS']);

/** Returns a value whose JSON is the same for equal items: attributes sorted by name, sets by member. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => {
    const member = value[name];
    return [name, SETS.has(name) && Array.isArray(member) ? member.toSorted() : canonical(member)];
  });
}

/** Returns true if both items are equal: then DynamoDB writes no stream record. */
export const isSameImage = (one: ItemImage | null, other: ItemImage | null): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

/** Returns the key attributes of an item, or null if one is missing. */
export function getItemKey(item: unknown, keyNames: readonly string[]): ItemImage | null {
  if (!isRecord(item)) return null;
  const key: Record<string, unknown> = {};
  for (const name of keyNames) {
    if (item[name] === undefined) return null;
    key[name] = item[name];
  }
  return key;
}

const CANONICAL_NUMBER = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;

/**
 * Returns true if every number has the form that DynamoDB stores, so that the stored item is the one that was
 * sent.
 */
export function hasCanonicalNumbers(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasCanonicalNumbers);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([name, member]) => {
    if (name === 'N' && typeof member === 'string') return CANONICAL_NUMBER.test(member);
    if (name === 'NS' && Array.isArray(member)) {
      return member.every((number) => CANONICAL_NUMBER.test(String(number)));
    }
    return hasCanonicalNumbers(member);
  });
}
