import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY, in the low byte of SQLite's extended result codes. */
const BUSY = 5;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = [11, 26];

/**
 * Takes a lock that the operating system releases when this process dies. Returns the function that releases
 * it, or null if another process has it.
 */
export function tryLock(path: string): (() => void) | null {
  const first = attempt(path);
  if (!Array.isArray(first)) return first;
  // Nothing is ever written into the file, so a process that holds the lock holds an undamaged one.
  rmSync(path);
  const second = attempt(path);
  if (!Array.isArray(second)) return second;
  throw second[0];
}

/** Returns the error, in a list, if the file is not a database. */
function attempt(path: string): (() => void) | null | [unknown] {
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (code === BUSY) return null;
    if (DAMAGED.includes(code)) return [error];
    throw error;
  }
}
