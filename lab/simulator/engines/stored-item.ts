import { ExpressionError } from './dynamodb-expression.ts';

/** Bytes of the largest item (DynamoDB service quotas). */
export const MAX_ITEM_BYTES = 400 * 1_024;

/** A frozen copy as the document client would write and read it again: without `undefined`. Counts the bytes that DynamoDB would bill. */
export function toStoredItem(value: unknown): { value: unknown; bytes: number } {
  if (value === null || typeof value === 'boolean') return { value, bytes: 1 };
  if (typeof value === 'string') return { value, bytes: Buffer.byteLength(value) };
  if (typeof value === 'number') return { value, bytes: 1 + Math.ceil(String(Math.abs(value)).length / 2) };
  if (value instanceof Set) {
    if (value.size === 0) throw new ExpressionError('a set must not be empty');
    return {
      value: new Set(value),
      bytes: 3 + [...value].reduce((sum: number, each) => sum + toStoredItem(each).bytes, 0),
    };
  }
  let bytes = 3;
  if (Array.isArray(value)) {
    const copy = value.map((each) => {
      const part = toStoredItem(each);
      bytes += 1 + part.bytes;
      return part.value;
    });
    return { value: Object.freeze(copy), bytes };
  }
  if (typeof value !== 'object' || value === undefined)
    throw new ExpressionError(`cannot store a ${typeof value}`);
  const copy: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const part = toStoredItem(each);
    bytes += 1 + Buffer.byteLength(name) + part.bytes;
    copy[name] = part.value;
  }
  return { value: Object.freeze(copy), bytes };
}
