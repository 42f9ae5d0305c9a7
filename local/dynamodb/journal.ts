import { mkdirSync, statSync, unlinkSync } from 'node:fs';
import { type AppendFile, createAppendFile, FILE_CALLS, type FileCalls } from '../durable.ts';
import { journalFile, journalFiles, readLines, serialOf } from './journal-files.ts';
import type { ChangeRecord, Intent, Line } from './journal-lines.ts';

export type { ChangeRecord, Intent, WriteOperation } from './journal-lines.ts';

/** Where a reader that has no position yet begins. */
export type StartingPosition = 'TRIM_HORIZON' | 'LATEST';

/**
 * The stream of the tables: an append-only journal of changes, of the writes that are under way, and of how far each
 * reader has come. Every line is handed to the operating system before the call returns, so a killed process loses none. When a
 * line cannot be written, the call throws, and so does every later one that writes: the journal is whole, and ends there.
 */
export interface Journal {
  begin(intent: Intent): number;
  /** Ends a write: with the change that it made, or with null when it changed nothing. */
  end(id: number, change: Omit<ChangeRecord, 'sequence'> | null): void;
  /** Writes that had begun and not ended when the journal was opened, by id. */
  readonly unfinished: ReadonlyMap<number, Intent>;
  /** All changes that stood in the files when they were opened, oldest first, also those that every reader has passed. Given once. */
  takeHistory(): readonly ChangeRecord[];
  /** Sequence of the newest record; 0 when there was none. */
  head(): number;
  /** Records after `sequence`, oldest first, at most `limit`. */
  read(sequence: number, limit: number): readonly ChangeRecord[];
  /** Calls back after each new record. */
  onRecord(listener: () => void): void;
  /** Says which readers there are, and lets go of what all of them have passed. Positions of other readers are forgotten. */
  register(readers: ReadonlyMap<string, StartingPosition>): void;
  position(reader: string): number;
  advance(reader: string, sequence: number): void;
  close(): void;
}

interface Segment {
  readonly path: string;
  /** Newest record in it. */
  last: number;
  /** Bytes, as soon as nothing more is written to it. */
  size: number;
}

export interface JournalOptions {
  /** A new file is begun every so many bytes. */
  readonly segmentBytes?: number;
  /** Files are kept behind what every reader has passed until newer ones hold so many bytes. */
  readonly keptBytes?: number;
  readonly calls?: FileCalls;
  /** Takes what a person should know and need not act on. */
  notice?(message: string): void;
  /** Called once, when a line could not be written. */
  onBroken?(error: Error): void;
}

/**
 * LevelDB holds up to two logs of 4 MiB that are in no table file yet; a line of the journal has an item more often than such a log. So
 * whatever a log has lost stands in the journal.
 */
const KEPT_BYTES = 8 * 1_048_576;

/** Opens the journal in a directory, which is made when it is missing. @throws for a file that is damaged, with its line. */
export function openJournal(directory: string, options: JournalOptions = {}): Journal {
  const {
    segmentBytes = 16 * 1_048_576,
    keptBytes = KEPT_BYTES,
    calls = FILE_CALLS,
    notice = () => {},
    onBroken,
  } = options;
  mkdirSync(directory, { recursive: true });
  const intents = new Map<number, Intent>();
  const positions = new Map<string, number>();
  const listeners: (() => void)[] = [];
  let records: ChangeRecord[] = [];
  let segments: Segment[] = [];
  let next = 1;
  let nextIntent = 1;
  let file: AppendFile | null = null;
  let serial = 0;
  let broken = false;

  function apply(line: Line, segment: Segment): void {
    if (line.kind === 'header') {
      next = line.next;
      intents.clear();
      for (const [id, intent] of line.intents) intents.set(id, intent);
      positions.clear();
      for (const [reader, sequence] of Object.entries(line.positions)) positions.set(reader, sequence);
    } else if (line.kind === 'intent') {
      intents.set(line.id, line.intent);
      nextIntent = Math.max(nextIntent, line.id + 1);
    } else if (line.kind === 'position') {
      positions.set(line.reader, line.sequence);
    } else {
      intents.delete(line.id);
      if (line.change === null) return;
      records.push(line.change);
      next = line.change.sequence + 1;
      segment.last = line.change.sequence;
    }
  }

  function append(line: Line): void {
    if (file !== null && file.size > segmentBytes) startSegment();
    const segment = segments.at(-1);
    if (file === null || segment === undefined) throw new Error('the journal is closed');
    const { append: write } = file;
    unbroken(() => write(`${JSON.stringify(line)}\n`));
    apply(line, segment);
  }

  function unbroken<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!broken && error instanceof Error) onBroken?.(error);
      broken = true;
      throw error;
    }
  }

  /** Each file begins with all that the older ones knew, except their records: so they can go once those are read. */
  function startSegment(): void {
    const path = journalFile(directory, serial + 1);
    const begun = unbroken(() => createAppendFile(path, calls));
    const before = segments.at(-1);
    if (file !== null && before !== undefined) before.size = file.size;
    file?.close();
    file = begun;
    serial += 1;
    segments.push({ path, last: 0, size: 0 });
    append({ kind: 'header', next, positions: Object.fromEntries(positions), intents: [...intents] });
    letGo();
  }

  function letGo(): void {
    const slowest = Math.min(next - 1, ...positions.values());
    const passed = records.findIndex(({ sequence }) => sequence > slowest);
    records = passed < 0 ? [] : records.slice(passed);
    let newer = 0;
    const kept: Segment[] = [];
    for (const segment of segments.toReversed()) {
      const isKept = segment.last > slowest || (segment.last > 0 && newer < keptBytes);
      if (kept.length === 0 || isKept) kept.unshift(segment);
      else unlinkSync(segment.path);
      newer += segment.size;
    }
    segments = kept;
  }

  const files = journalFiles(directory);
  for (const [index, path] of files.entries()) {
    const segment: Segment = { path, last: 0, size: statSync(path).size };
    for (const line of readLines(path, index === files.length - 1, notice)) {
      const expected = next;
      apply(line, segment);
      const missing = records.length === 0 ? 0 : firstOf(line, expected) - expected;
      if (missing > 0) notice(`${path}: ${missing} records before it are missing`);
    }
    segments.push(segment);
    serial = serialOf(path);
  }
  const unfinished = new Map(intents);
  let history = records;
  for (const id of intents.keys()) nextIntent = Math.max(nextIntent, id + 1);
  startSegment();

  return {
    unfinished,
    takeHistory() {
      const taken = history;
      history = [];
      return taken;
    },
    begin(intent) {
      const id = nextIntent;
      append({ kind: 'intent', id, intent });
      return id;
    },
    end(id, change) {
      append({ kind: 'end', id, change: change === null ? null : { ...change, sequence: next } });
      if (change !== null) for (const listener of listeners) listener();
    },
    head: () => next - 1,
    read(sequence, limit) {
      const [first] = records;
      if (first === undefined) return [];
      // Without a gap, it stands just there; with one, further to the front.
      let start = Math.min(records.length, Math.max(0, sequence + 1 - first.sequence));
      while (start > 0 && (records[start - 1]?.sequence ?? 0) > sequence) start -= 1;
      return records.slice(start, start + limit);
    },
    onRecord: (listener) => void listeners.push(listener),
    register(readers) {
      for (const reader of positions.keys()) if (!readers.has(reader)) positions.delete(reader);
      for (const [reader, starting] of readers) {
        if (positions.has(reader)) continue;
        const oldest = (records[0]?.sequence ?? next) - 1;
        append({ kind: 'position', reader, sequence: starting === 'LATEST' ? next - 1 : oldest });
      }
      startSegment();
    },
    position: (reader) => positions.get(reader) ?? next - 1,
    advance(reader, sequence) {
      append({ kind: 'position', reader, sequence });
      if (records.length > 0 && sequence >= (records[0]?.sequence ?? 0)) letGo();
    },
    close() {
      file?.close();
      file = null;
      segments = [];
    },
  };
}

/** The sequence that the next record was to have when a line was written. */
function firstOf(line: Line, otherwise: number): number {
  if (line.kind === 'header') return line.next;
  return line.kind === 'end' && line.change !== null ? line.change.sequence : otherwise;
}
