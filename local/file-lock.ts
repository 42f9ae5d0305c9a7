import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY, in the low byte of SQLite's extended result codes. */
const BUSY = 5;

/**
 * Takes a lock that the system lets go of when this process dies, however it does. Answers with what lets go of it, or
 * null when another has it.
 */
export function tryLock(path: string): (() => void) | null {
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY) return null;
    throw error;
  }
}
