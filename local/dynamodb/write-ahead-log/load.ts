import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ItemImage } from '../item-image.ts';
import { type ChangeRecord, createDamagedLineError, type LogRecord } from './records.ts';
import {
  buildSerialFilePath,
  parseFileSerialNumber,
  readNewestSegment,
  readSegment,
  SEGMENT_EXTENSION,
} from './segment.ts';
import { readSnapshot, SNAPSHOT_EXTENSION, TableItemsFromLog } from './snapshot.ts';

export interface Segment {
  readonly serial: number;
  /** Sequence of its newest change; 0 for none. */
  last: number;
  bytes: number;
}

/** The content of a log's files. */
export interface LoadedLog {
  /** Serial number of the newest snapshot. */
  readonly snapshot: number | null;
  /** The segments behind it, the oldest first. */
  readonly segments: Segment[];
  /** By reader. */
  readonly positions: Map<string, number>;
  /** Changes that some reader has not passed, the oldest first. */
  readonly changes: ChangeRecord[];
  readonly state: TableItemsFromLog;
}

type StoredChange = Extract<LogRecord, { kind: 'change' }>;

/** A change with its items as JSON. */
interface UnparsedChange {
  readonly record: StoredChange;
  readonly old: string | null;
  readonly item: string | null;
}

interface LogFiles {
  /** Serial number of the newest snapshot. */
  readonly snapshot: number | null;
  /** Serial numbers of the segments behind it, ascending. */
  readonly segments: readonly number[];
}

/** Lists the files of a log and removes those that a kill left behind. @throws Error if one is missing. */
function listFiles(directory: string): LogFiles {
  const names = readdirSync(directory);
  const serials = (extension: string): readonly number[] =>
    names
      .filter((name) => name.endsWith(extension))
      .map(parseFileSerialNumber)
      .sort((a, b) => a - b);
  const snapshot = serials(SNAPSHOT_EXTENSION).at(-1) ?? null;
  const first = snapshot ?? 1;
  const segments = serials(SEGMENT_EXTENSION).filter((serial) => serial >= first);
  const isEmpty = snapshot === null && segments.length === 0;
  const missing = segments.findIndex((serial, index) => serial !== first + index);
  if (!isEmpty && (segments.length === 0 || missing >= 0))
    throw new Error(
      `${buildSerialFilePath(directory, first + Math.max(missing, 0), SEGMENT_EXTENSION)} is missing. Nothing was changed. ` +
        'Restore the folder from a copy, all of it at once.',
    );
  for (const name of names) {
    const isLog = name.endsWith(SEGMENT_EXTENSION) || name.endsWith(SNAPSHOT_EXTENSION);
    if (name.endsWith('.partial') || (isLog && parseFileSerialNumber(name) < first))
      rmSync(join(directory, name));
  }
  return { snapshot, segments };
}

/** Reads a log and repairs torn records. @throws Error with file and line or byte, for any other damage. */
export function loadLog(directory: string, onNotice: (message: string) => void): LoadedLog {
  const files = listFiles(directory);
  const state = files.snapshot === null ? new TableItemsFromLog() : readSnapshot(directory, files.snapshot);
  const positions = new Map<string, number>();
  const changes: UnparsedChange[] = [];

  function noteMissing(path: string, found: number): void {
    if (found > state.next) onNotice(`${path}: ${found - state.next} changes before it are missing`);
  }

  function loadSegment(serial: number): Segment {
    const path = buildSerialFilePath(directory, serial, SEGMENT_EXTENSION);
    const isNewest = serial === files.segments.at(-1);
    let last = 0;
    let isFirst = true;
    for (const { record, item, line } of isNewest ? readNewestSegment(path, onNotice) : readSegment(path)) {
      if (isFirst !== (record.kind === 'header')) throw createDamagedLineError(path, line);
      isFirst = false;
      if (record.kind === 'header') {
        noteMissing(path, record.next);
        state.next = record.next;
        positions.clear();
        for (const [reader, sequence] of Object.entries(record.positions)) positions.set(reader, sequence);
      } else if (record.kind === 'position') positions.set(record.reader, record.sequence);
      else if (record.kind === 'change') {
        noteMissing(path, record.sequence);
        changes.push({ record, old: state.apply(record, item), item });
        last = record.sequence;
      } else throw createDamagedLineError(path, line);
    }
    return { serial, last, bytes: statSync(path).size };
  }

  const segments = files.segments.map(loadSegment);
  const passed = Math.min(state.next - 1, ...positions.values());
  // Every reader has passed the others: their items are not parsed.
  const unread = changes.filter(({ record }) => record.sequence > passed);
  return { snapshot: files.snapshot, segments, positions, changes: unread.map(parseChange), state };
}

function parseChange({ record, old, item }: UnparsedChange): ChangeRecord {
  const { kind: _, ...change } = record;
  return { ...change, old: parseItem(old), new: parseItem(item) };
}

const parseItem = (item: string | null): ItemImage | null =>
  item === null ? null : (JSON.parse(item) as ItemImage);
