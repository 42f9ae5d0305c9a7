import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's file of the queues, as fauxqs names it. */
export const QUEUE_DATABASE_FILE = 'fauxqs.db';

/** Bytes. SQLite takes a shorter file for a new one. */
const SMALLEST_PAGE = 512;

/**
 * Checks the database of the queues before it is used. It has a rollback journal (`fauxqs.ts`), so all that
 * was acknowledged is in this one file. A transaction that a kill interrupted is rolled back. @throws Error
 * that names the file, when messages that were acknowledged would be missing.
 */
export function checkQueueDatabase(folder: string): void {
  const path = join(folder, QUEUE_DATABASE_FILE);
  if (!existsSync(path)) return;
  const { size } = statSync(path);
  if (size < SMALLEST_PAGE) throw new Error(`${path} ends at byte ${size}`);
  try {
    const database = new DatabaseSync(path);
    try {
      checkContent(database);
      checkLength(path, database);
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} (${size} bytes): ${reason}`, { cause: error });
  }
}

/** @throws Error with the findings of SQLite's integrity check. */
function checkContent(database: DatabaseSync): void {
  const rows = database.prepare('PRAGMA integrity_check').all();
  const messages = rows.map((row) => String(row['integrity_check']));
  if (messages.join() !== 'ok') throw new Error(messages.slice(0, 3).join('; '));
}

/**
 * SQLite reads the missing part of a last page as zeros, which its integrity check does not always detect.
 */
function checkLength(path: string, database: DatabaseSync): void {
  const pragma = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const expected = pragma('page_size') * pragma('page_count');
  const { size } = statSync(path);
  if (size < expected) throw new Error(`ends at byte ${size} of ${expected}`);
}
