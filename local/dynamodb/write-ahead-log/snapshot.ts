import { readFileSync } from 'node:fs';
import { type FileSystemCalls, NODE_FILE_SYSTEM_CALLS, writeFileAtomically } from '../../atomic-files.ts';
import type { ItemImage } from '../item-image.ts';
import { createDamagedLineError, decodeRecords, encodeRecord, type LogRecord } from './records.ts';
import { buildSerialFilePath, readSegment, SEGMENT_EXTENSION } from './segment.ts';

/** A snapshot holds all items as they were before the segment with the same serial number. */
export const SNAPSHOT_EXTENSION = '.snapshot';

export interface StoredItem {
  readonly key: ItemImage;
  /** JSON. */
  readonly item: string;
}

/** Items of all tables as the log says they are. */
export class TableItemsFromLog {
  /** Sequence of the next change. */
  next = 1;
  /** By the name of the table, then by the JSON of the key. */
  readonly tables = new Map<string, Map<string, StoredItem>>();

  /** Applies a change and returns the JSON of the item as it was before. */
  apply(change: Extract<LogRecord, { kind: 'change' }>, item: string | null): string | null {
    this.next = change.sequence + 1;
    return this.set(change.table, change.key, item);
  }

  set(table: string, key: ItemImage, item: string | null): string | null {
    const items = this.tables.get(table) ?? new Map<string, StoredItem>();
    this.tables.set(table, items);
    const name = JSON.stringify(key);
    const old = items.get(name)?.item ?? null;
    if (item === null) items.delete(name);
    else items.set(name, { key, item });
    return old;
  }
}

/** Reads the snapshot with this serial number. @throws Error with file and line, for any damage. */
export function readSnapshot(directory: string, serial: number): TableItemsFromLog {
  const path = buildSerialFilePath(directory, serial, SNAPSHOT_EXTENSION);
  const bytes = readFileSync(path);
  const state = new TableItemsFromLog();
  let items = 0;
  let isComplete = false;
  for (const { record, item, line } of decodeRecords(path, bytes)) {
    if (record.kind === 'snapshot') state.next = record.next;
    else if (record.kind === 'item') {
      state.set(record.table, record.key, item);
      items += 1;
    } else if (record.kind === 'end' && record.items === items) isComplete = true;
    else throw createDamagedLineError(path, line);
  }
  if (isComplete && bytes.at(-1) === '\n'.charCodeAt(0)) return state;
  throw new Error(
    `${path} ends at byte ${bytes.length}, before its last record: a kill does not shorten it. Nothing was changed. ` +
      'Restore the folder from a copy, all of it at once.',
  );
}

export interface SnapshotRequest {
  readonly directory: string;
  /** Serial number of the snapshot to start from; null: there is none yet. */
  readonly previous: number | null;
  /** Serial number of the first segment that is not in the new snapshot. */
  readonly serial: number;
}

/** Bytes that are written at a time. */
const CHUNK_BYTES = 1_048_576;

/**
 * Writes a snapshot from the previous one and the segments behind it, none of which is still written. @throws
 * FileWriteError
 */
export function writeSnapshot(
  { directory, previous, serial }: SnapshotRequest,
  calls: FileSystemCalls = NODE_FILE_SYSTEM_CALLS,
): void {
  const state = previous === null ? new TableItemsFromLog() : readSnapshot(directory, previous);
  for (let segment = previous ?? 1; segment < serial; segment += 1)
    for (const { record, item } of readSegment(buildSerialFilePath(directory, segment, SEGMENT_EXTENSION)))
      if (record.kind === 'change') state.apply(record, item);
  writeFileAtomically(buildSerialFilePath(directory, serial, SNAPSHOT_EXTENSION), chunks(state), {
    sync: true,
    calls,
  });
}

function* chunks(state: TableItemsFromLog): Generator<Buffer> {
  let pending = [encodeRecord({ kind: 'snapshot', next: state.next })];
  let [bytes, count] = [0, 0];
  for (const [table, items] of state.tables)
    for (const { key, item } of items.values()) {
      const record = encodeRecord({ kind: 'item', table, key }, item);
      pending.push(record);
      count += 1;
      bytes += record.length;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending);
      [pending, bytes] = [[], 0];
    }
  yield Buffer.concat([...pending, encodeRecord({ kind: 'end', items: count })]);
}
