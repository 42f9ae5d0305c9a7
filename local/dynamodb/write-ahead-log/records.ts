import { crc32 } from 'node:zlib';
import { isRecord } from '../../resource-properties.ts';
import type { ItemImage } from '../item-image.ts';

/** One change of one item, as the readers of the stream see it. */
export interface ChangeRecord {
  /** Rises by one from change to change. */
  readonly sequence: number;
  readonly table: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly key: ItemImage;
  readonly old: ItemImage | null;
  readonly new: ItemImage | null;
  /** True for a removal by time to live. */
  readonly byService: boolean;
}

/**
 * A record of a segment. A change is followed by the JSON of the new item, unless it deletes the item. The
 * old item is not stored: it is the new one of the item's previous change.
 */
export type LogRecord =
  | {
      readonly kind: 'header';
      /** Sequence of the first change behind it. */
      readonly next: number;
      readonly positions: Readonly<Record<string, number>>;
    }
  | ({ readonly kind: 'change' } & Omit<ChangeRecord, 'old' | 'new'>)
  | { readonly kind: 'position'; readonly reader: string; readonly sequence: number };

/** A record of a snapshot: its header, one for each item, followed by the JSON of the item, and its end. */
export type SnapshotRecord =
  | { readonly kind: 'snapshot'; readonly next: number }
  | { readonly kind: 'item'; readonly table: string; readonly key: ItemImage }
  | { readonly kind: 'end'; readonly items: number };

type AnyRecord = LogRecord | SnapshotRecord;

const KINDS = new Set<unknown>(['header', 'change', 'position', 'snapshot', 'item', 'end']);

/** Bytes of the checksum before each record, in hexadecimal digits, and of the space behind it. */
const CHECKSUM_BYTES = 9;
const NEWLINE = 10;
/** Between a record and its item. JSON has none in it. */
const TAB = 9;

const checksum = (text: Buffer): string => `${crc32(text).toString(16).padStart(8, '0')} `;

/** One line: the CRC-32 of what follows, the record's JSON, and the item's JSON if it has one. */
export function encodeRecord(record: AnyRecord, item: string | null = null): Buffer {
  const text = Buffer.from(`${JSON.stringify(record)}${item === null ? '' : `\t${item}`}\n`);
  return Buffer.concat([Buffer.from(checksum(text.subarray(0, -1))), text]);
}

export interface DecodedRecord {
  readonly record: AnyRecord;
  /**
   * JSON. Not parsed: most items are replaced by later ones, and those that are left go to the engine as
   * text.
   */
  readonly item: string | null;
  /** Line of the file, from 1. */
  readonly line: number;
}

function decodeRecord(bytes: Buffer, line: number): DecodedRecord | null {
  const text = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.toString('latin1', 0, CHECKSUM_BYTES) !== checksum(text)) return null;
  const tab = text.indexOf(TAB);
  try {
    const record: unknown = JSON.parse(text.toString('utf8', 0, tab < 0 ? text.length : tab));
    if (!isRecord(record) || !KINDS.has(record['kind'])) return null;
    const item = tab < 0 ? null : text.toString('utf8', tab + 1);
    return { record: record as unknown as AnyRecord, item, line };
  } catch {
    return null;
  }
}

/**
 * Decodes the complete lines of a file from the byte `from` on, which begins line `line`. What follows the
 * last newline is left out. @throws Error with file and line, for a line that is not as it was written.
 */
export function* decodeRecords(path: string, bytes: Buffer, from = 0, line = 1): Generator<DecodedRecord> {
  let at = from;
  for (let number = line; ; number += 1) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return;
    const decoded = decodeRecord(bytes.subarray(at, end), number);
    if (decoded === null) throw createDamagedLineError(path, number);
    yield decoded;
    at = end + 1;
  }
}

export const createDamagedLineError = (path: string, line: number): Error =>
  new Error(
    `${path}: line ${line} is damaged. Nothing was changed. Restore the folder from a copy, or remove that line to go on ` +
      'without the change in it.',
  );
