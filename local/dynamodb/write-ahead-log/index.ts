import { mkdirSync, rmSync, statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { type FileSystemCalls, NODE_FILE_SYSTEM_CALLS } from '../../atomic-files.ts';
import { startWorkerThread } from '../../worker-thread.ts';
import { loadLog } from './load.ts';
import type { ChangeRecord, LogRecord } from './records.ts';
import {
  buildSerialFilePath,
  createSegment,
  type OpenLogSegment,
  openSegment,
  SEGMENT_EXTENSION,
} from './segment.ts';
import { SNAPSHOT_EXTENSION, type SnapshotRequest, type StoredItem } from './snapshot.ts';

export type { ChangeRecord } from './records.ts';
export type { StoredItem } from './snapshot.ts';

/** Where a reader that has no position yet begins. */
export type StreamStartingPosition = 'TRIM_HORIZON' | 'LATEST';

/**
 * The write-ahead log of the tables, which makes them durable and is their stream: every change of an item,
 * and the position of every reader. A record is handed to the operating system before the call returns, so a
 * killed process loses none. When one cannot be written, that call and all later ones throw: the log ends
 * there, whole.
 *
 * A snapshot of all items replaces the segments that every reader has passed, once they are larger than the
 * last snapshot.
 */
export interface WriteAheadLog {
  /** Logs a change. @throws FileWriteError */
  append(change: Omit<ChangeRecord, 'sequence'>): void;
  /**
   * @throws FileWriteError if a record could not be written: then the tables in memory may be ahead of the
   * log.
   */
  assertWritable(): void;
  /**
   * Returns the items of all tables, by table, as of when the log was opened. It can be called once: the log
   * keeps none.
   */
  takeItems(): ReadonlyMap<string, readonly StoredItem[]>;
  /** Sequence of the newest change; 0 when there was none. */
  head(): number;
  /**
   * Changes after `sequence`, oldest first, at most `limit`. Only those are there that some reader has not
   * passed.
   */
  read(sequence: number, limit: number): readonly ChangeRecord[];
  /** Calls back after each change. */
  onChange(listener: () => void): void;
  /** Sets the readers. Positions of others are forgotten. */
  register(readers: ReadonlyMap<string, StreamStartingPosition>): void;
  position(reader: string): number;
  advance(reader: string, sequence: number): void;
  close(): Promise<void>;
}

export interface WriteAheadLogOptions {
  /** A new segment begins after so many bytes. */
  readonly segmentBytes?: number;
  readonly calls?: FileSystemCalls;
  /** Receives messages about repairs, which need no action. */
  onNotice?(message: string): void;
  /** Called once, when a record could not be written. */
  onBroken?(error: Error): void;
}

const SEGMENT_BYTES = 16 * 1_048_576;

/**
 * Opens the log in a directory, which is created when it is missing. @throws Error with file and line or
 * byte, for damage.
 */
export function openWriteAheadLog(directory: string, options: WriteAheadLogOptions = {}): WriteAheadLog {
  const {
    segmentBytes = SEGMENT_BYTES,
    calls = NODE_FILE_SYSTEM_CALLS,
    onNotice = () => {},
    onBroken,
  } = options;
  mkdirSync(directory, { recursive: true });
  const { state, positions, ...loaded } = loadLog(directory, onNotice);
  const listeners: (() => void)[] = [];
  /** The oldest first; the last one is written. */
  let segments = loaded.segments;
  /** Those that some reader has not passed, the oldest first. */
  let changes = loaded.changes;
  let next = state.next;
  let file: OpenLogSegment | null = null;
  let failure: Error | null = null;
  let snapshotThread: Worker | null = null;
  let snapshot = loaded.snapshot;
  let snapshotBytes = snapshot === null ? 0 : snapshotSize(snapshot);

  function pathOf(serial: number, extension: string): string {
    return buildSerialFilePath(directory, serial, extension);
  }
  function snapshotSize(serial: number): number {
    return statSync(pathOf(serial, SNAPSHOT_EXTENSION)).size;
  }

  function write<T>(work: () => T): T {
    if (failure !== null) throw failure;
    try {
      return work();
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      onBroken?.(failure);
      throw failure;
    }
  }

  function appendRecord(record: LogRecord, item: string | null = null): void {
    if (file === null) throw new Error('the write-ahead log is closed');
    if (file.size > segmentBytes) startSegment();
    const { append } = file;
    write(() => append(record, item));
    const segment = segments.at(-1);
    if (segment === undefined) return;
    segment.bytes = file.size;
    if (record.kind === 'change') segment.last = record.sequence;
  }

  /** Each segment begins with all positions, so that older segments are not needed for them. */
  function startSegment(): void {
    const serial = (segments.at(-1)?.serial ?? 0) + 1;
    const header = { kind: 'header', next, positions: Object.fromEntries(positions) } as const;
    const created = write(() => createSegment(pathOf(serial, SEGMENT_EXTENSION), header, calls));
    file?.close();
    file = created;
    segments.push({ serial, last: 0, bytes: created.size });
    releaseChanges();
  }

  const slowest = (): number => Math.min(next - 1, ...positions.values());

  function releaseChanges(): void {
    const passed = slowest();
    const first = changes.findIndex(({ sequence }) => sequence > passed);
    changes = first < 0 ? [] : changes.slice(first);
    startSnapshot();
  }

  function startSnapshot(): void {
    const passed = slowest();
    const covered = segments.slice(0, -1).filter(({ last }) => last <= passed);
    const first = segments[covered.length];
    const bytes = covered.reduce((sum, segment) => sum + segment.bytes, 0);
    if (snapshotThread !== null || first === undefined || bytes <= Math.max(segmentBytes, snapshotBytes))
      return;
    const { serial } = first;
    const thread = startWorkerThread(
      new URL('./snapshot-worker.ts', import.meta.url),
      process.env['NODE_COMPILE_CACHE'] ?? null,
      { workerData: { directory, previous: snapshot, serial } satisfies SnapshotRequest },
    );
    snapshotThread = thread;
    let isWritten = false;
    thread.once('message', () => {
      isWritten = true;
      useSnapshot(serial);
    });
    // The segments stay, and the next segment that is full is the next try.
    thread.once('error', (error) => onNotice(`no snapshot could be written: ${String(error)}`));
    thread.once('exit', () => {
      snapshotThread = null;
      if (isWritten && file !== null) startSnapshot();
    });
  }

  /**
   * Removes the files that the snapshot replaces. A kill in between leaves files that the next start removes.
   */
  function useSnapshot(serial: number): void {
    const previous = snapshot;
    snapshot = serial;
    snapshotBytes = snapshotSize(serial);
    if (previous !== null) rmSync(pathOf(previous, SNAPSHOT_EXTENSION));
    for (const segment of segments)
      if (segment.serial < serial) rmSync(pathOf(segment.serial, SEGMENT_EXTENSION));
    segments = segments.filter((segment) => segment.serial >= serial);
  }

  const newest = segments.at(-1);
  if (newest === undefined) startSegment();
  else file = write(() => openSegment(pathOf(newest.serial, SEGMENT_EXTENSION), newest.bytes, calls));

  return {
    append(change) {
      const record: ChangeRecord = { ...change, sequence: next };
      const { old: _, new: item, ...stored } = record;
      appendRecord({ kind: 'change', ...stored }, item === null ? null : JSON.stringify(item));
      next += 1;
      changes.push(record);
      for (const listener of listeners) listener();
    },
    assertWritable() {
      if (failure !== null) throw failure;
    },
    takeItems() {
      const items = new Map([...state.tables].map(([table, byKey]) => [table, [...byKey.values()]]));
      state.tables.clear();
      return items;
    },
    head: () => next - 1,
    read(sequence, limit) {
      const [first] = changes;
      if (first === undefined) return [];
      // Without a gap, it is just there; with one, further to the front.
      let start = Math.min(changes.length, Math.max(0, sequence + 1 - first.sequence));
      while (start > 0 && (changes[start - 1]?.sequence ?? 0) > sequence) start -= 1;
      return changes.slice(start, start + limit);
    },
    onChange: (listener) => void listeners.push(listener),
    register(readers) {
      const unknown = [...positions.keys()].filter((reader) => !readers.has(reader));
      for (const reader of unknown) positions.delete(reader);
      if (unknown.length > 0) startSegment();
      for (const [reader, starting] of readers) {
        if (positions.has(reader)) continue;
        const oldest = (changes[0]?.sequence ?? next) - 1;
        const sequence = starting === 'LATEST' ? next - 1 : oldest;
        appendRecord({ kind: 'position', reader, sequence });
        positions.set(reader, sequence);
      }
      releaseChanges();
    },
    position: (reader) => positions.get(reader) ?? next - 1,
    advance(reader, sequence) {
      appendRecord({ kind: 'position', reader, sequence });
      positions.set(reader, sequence);
      if (changes.length > 0 && sequence >= (changes[0]?.sequence ?? 0)) releaseChanges();
    },
    async close() {
      file?.close();
      file = null;
      await snapshotThread?.terminate();
    },
  };
}
