import { isRecord } from '../resource-properties.ts';
import { itemBytes } from './capacity.ts';
import type { ItemImage } from './item-image.ts';
import type { TableSpec } from './tables.ts';

/** Largest item in bytes: names and values in UTF-8, with the overhead of lists and maps. */
export const MAX_ITEM_BYTES = 409_600;
/** Largest partition and sort key in bytes. */
const KEY_BYTES = [2_048, 1_024] as const;
/** Maps and lists inside of each other. */
const DEPTH = 32;
/** Significant digits of a number, and the power of ten of its first digit. */
const DIGITS = 38;
const POWERS = { least: -130, most: 125 } as const;

const INVALID = 'One or more parameter values were invalid: ';

/** Returns DynamoDB's message for an item that exceeds a limit, or null. */
export function checkItemLimits(table: TableSpec, item: ItemImage, tooLarge: string): string | null {
  return (
    checkKeySize(table, item) ??
    refuseIndexKeys(table, item) ??
    refuseNumbers(item) ??
    checkNestingDepth(item) ??
    (itemBytes(item) > MAX_ITEM_BYTES ? tooLarge : null)
  );
}

const textOf = (value: unknown): string | null =>
  isRecord(value) && typeof value['S'] === 'string' ? value['S'] : null;

/**
 * Returns DynamoDB's message for a key that is too long, or null. The engine counts characters, DynamoDB
 * bytes.
 */
export function checkKeySize({ keyNames }: Pick<TableSpec, 'keyNames'>, key: ItemImage): string | null {
  const long = keyNames.findIndex((name, index) => isTooLong(textOf(key[name]), index));
  if (long < 0) return null;
  return long === 0
    ? `${INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes`
    : `${INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`;
}

const isTooLong = (text: string | null, index: number): boolean =>
  text !== null && Buffer.byteLength(text) > (KEY_BYTES[index] ?? 0);

function refuseIndexKeys({ indexes }: TableSpec, item: ItemImage): string | null {
  for (const { name: index, keyNames } of indexes) {
    for (const [position, name] of keyNames.entries()) {
      const text = textOf(item[name]);
      if (text === '') {
        return `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${index}, IndexKey: ${name}`;
      }
      if (isTooLong(text, position)) {
        return `${INVALID}Size of ${position === 0 ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of${KEY_BYTES[position]} bytes for IndexName: ${index}, IndexKey: ${name}`;
      }
    }
  }
  return null;
}

function refuseNumbers(value: unknown): string | null {
  for (const number of numbersIn(value)) {
    const { digits, power } = readNumber(number);
    if (digits === 0) continue;
    if (power > POWERS.most) {
      return 'Number overflow. Attempting to store a number with magnitude larger than supported range';
    }
    if (power < POWERS.least) {
      return 'Number underflow. Attempting to store a number with magnitude smaller than supported range';
    }
    if (digits > DIGITS) return 'Attempting to store more than 38 significant digits in a Number';
  }
  return null;
}

/** Returns true if arithmetic with one of the numbers could exceed the limits for numbers. */
export const hasExtremeNumber = (value: unknown): boolean =>
  numbersIn(value).some((number) => {
    const { digits, power } = readNumber(number);
    return digits > DIGITS / 2 || Math.abs(power) >= DIGITS / 2;
  });

function numbersIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'N' && typeof member === 'string') return [member];
    return name === 'NS' && Array.isArray(member) ? member.map(String) : numbersIn(member);
  });
}

/** Returns the significant digits of a number, and the power of ten of its first digit. */
function readNumber(text: string): { readonly digits: number; readonly power: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^[-+]?(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text.trim()) ?? [];
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first < 0) return { digits: 0, power: 0 };
  return {
    digits: all.slice(first).replace(/0+$/, '').length,
    power: whole.length - 1 - first + Number(exponent),
  };
}

export function checkNestingDepth(item: ItemImage): string | null {
  if (Object.values(item).every((value) => depth(value) <= DEPTH)) return null;
  return 'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';
}

function depth(value: unknown): number {
  if (!isRecord(value)) return 0;
  const { L: list, M: map } = value;
  const members = Array.isArray(list) ? list : isRecord(map) ? Object.values(map) : null;
  return members === null
    ? 0
    : 1 + members.reduce<number>((most, member) => Math.max(most, depth(member)), 0);
}
