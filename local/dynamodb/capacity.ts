import { isRecord } from '../resource-properties.ts';
import { type ItemImage, isSameImage } from './item-image.ts';

/** A secondary index, as far as it affects the cost of a write. */
export interface IndexSpec {
  readonly name: string;
  readonly keyNames: readonly string[];
  /** Attributes in the index; null for all. */
  readonly projected: readonly string[] | null;
}

/** DynamoDB's overhead in bytes for a list or map, and for each of its members. */
const DOCUMENT_BYTES = 3;
const MEMBER_BYTES = 1;

function numberBytes(text: string): number {
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/[^\d]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

function valueBytes(value: unknown): number {
  if (!isRecord(value)) return 0;
  const [type = ''] = Object.keys(value);
  const content = value[type];
  const members = Array.isArray(content) ? content : [];
  switch (type) {
    case 'S':
      return Buffer.byteLength(String(content));
    case 'B':
      return Buffer.byteLength(String(content), 'base64');
    case 'N':
      return numberBytes(String(content));
    case 'SS':
    case 'NS':
    case 'BS': {
      const single = type.slice(0, 1);
      return members.reduce<number>((sum, member) => sum + valueBytes({ [single]: member }), 0);
    }
    case 'L':
      return members.reduce<number>((sum, member) => sum + MEMBER_BYTES + valueBytes(member), DOCUMENT_BYTES);
    case 'M':
      return isRecord(content)
        ? DOCUMENT_BYTES + MEMBER_BYTES * Object.keys(content).length + itemBytes(content)
        : DOCUMENT_BYTES;
    default:
      // NULL and BOOL
      return 1;
  }
}

/** Returns the size of an item in bytes, by DynamoDB's published rules. */
export const itemBytes = (item: ItemImage): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

/** One write unit is 1 KiB, and every write costs at least one. */
const units = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

const sizeOf = (item: ItemImage | null): number => (item === null ? 0 : itemBytes(item));

function indexEntry(
  item: ItemImage | null,
  index: IndexSpec,
  tableKeys: readonly string[],
): ItemImage | null {
  if (item === null || index.keyNames.some((name) => item[name] === undefined)) return null;
  if (index.projected === null) return item;
  const names = [...index.keyNames, ...tableKeys, ...index.projected];
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

function indexUnits(before: ItemImage | null, after: ItemImage | null, index: IndexSpec): number {
  if (before === null && after === null) return 0;
  if (before === null || after === null) return units(sizeOf(before ?? after));
  const moved = index.keyNames.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (moved) return units(sizeOf(before)) + units(sizeOf(after));
  return isSameImage(before, after) ? 0 : units(Math.max(sizeOf(before), sizeOf(after)));
}

/**
 * Returns the write request units of a write: of the table, and of each index whose entry changes. For a
 * failed write, `after` = `before`.
 */
export function computeWriteRequestUnits(
  before: ItemImage | null,
  after: ItemImage | null,
  tableKeys: readonly string[],
  indexes: readonly IndexSpec[],
): number {
  const table = units(Math.max(sizeOf(before), sizeOf(after)));
  return indexes.reduce((sum, index) => {
    const entries = [before, after].map((item) => indexEntry(item, index, tableKeys));
    return sum + indexUnits(entries[0] ?? null, entries[1] ?? null, index);
  }, table);
}
