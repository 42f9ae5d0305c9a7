import { existsSync, readFileSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's file of the queues, as fauxqs names it. */
export const DATABASE = 'fauxqs.db';

/** Bytes. SQLite takes a file of one byte for a new one. */
const SMALLEST_PAGE = 512;
/** Bytes before the first frame of a write-ahead log, and before the page in each frame. https://sqlite.org/fileformat2.html#walformat */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Bytes of one of the two equal headers of a log's index, and of both with what is said of the checkpoint. https://sqlite.org/walformat.html */
const INDEX_HEADER = 48;
const INDEX_BYTES = 2 * INDEX_HEADER + 4;

/**
 * How many bytes of the log hold what was acknowledged and is nowhere else, as the log's index says it, which outlives a kill. SQLite takes
 * a log for over where its checksums end: what was cut off behind that it never misses. Null: nobody says, or there is nothing to miss.
 */
function neededOfLog(log: string, index: string): number | null {
  const bytes = existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
  if (bytes.length < INDEX_BYTES) return null;
  const header = bytes.subarray(0, INDEX_HEADER);
  if (!header.equals(bytes.subarray(INDEX_HEADER, 2 * INDEX_HEADER)) || header[12] !== 1) return null;
  const small = endianness() === 'LE';
  const word = (at: number): number => (small ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const frames = word(16);
  const copied = word(2 * INDEX_HEADER);
  if (copied >= frames) return null;
  const size = small ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14);
  const page = size === 1 ? 65_536 : size;
  const isOther =
    existsSync(log) &&
    statSync(log).size >= LOG_HEADER &&
    !readFileSync(log).subarray(16, 24).equals(header.subarray(32, 40));
  return isOther ? null : LOG_HEADER + frames * (FRAME_HEADER + page);
}

/** Numbers of the pages that the log holds. A frame of an earlier turn of the log may be among them, which had its page written since. */
function pagesIn(log: string, pageBytes: number): ReadonlySet<number> {
  const bytes = existsSync(log) ? readFileSync(log) : Buffer.alloc(0);
  const pages = new Set<number>();
  for (let at = LOG_HEADER; at + FRAME_HEADER + pageBytes <= bytes.length; at += FRAME_HEADER + pageBytes)
    if (bytes.subarray(at + 8, at + 16).equals(bytes.subarray(16, 24))) pages.add(bytes.readUInt32BE(at));
  return pages;
}

/** @throws Error where a page is neither in the file nor in the log: SQLite reads it as zeros, and not all of them can be told from content. */
function checkLength(path: string, log: string, database: DatabaseSync): void {
  const number = (name: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const [pageBytes, pages] = [number('page_size'), number('page_count')];
  const { size } = statSync(path);
  const logged = pagesIn(log, pageBytes);
  for (let page = Math.floor(size / pageBytes) + 1; page <= pages; page += 1)
    if (!logged.has(page)) throw new Error(`ends at byte ${size} of ${pages * pageBytes}`);
}

/** @throws Error with what SQLite finds. */
function checkContent(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA integrity_check').all();
  const said = found.map((row) => String(row['integrity_check']));
  if (said.join() !== 'ok') throw new Error(said.slice(0, 3).join('; '));
}

/**
 * Looks at the files of the queues before anything is written.
 * @throws Error that names the file, when messages that were acknowledged would be missing.
 */
export function checkDatabase(folder: string): void {
  const path = join(folder, DATABASE);
  if (!existsSync(path)) return;
  const log = `${path}-wal`;
  const { size } = statSync(path);
  if (size < SMALLEST_PAGE) throw new Error(`${path} ends at byte ${size}`);
  const there = existsSync(log) ? statSync(log).size : 0;
  const needed = neededOfLog(log, `${path}-shm`);
  if (needed !== null && there < needed) throw new Error(`${log} ends at byte ${there} of ${needed}`);
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      checkContent(database);
      checkLength(path, log, database);
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} (${size} bytes): ${reason}`, { cause: error });
  }
}
