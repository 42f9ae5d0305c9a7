import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Exit code of a stack that ended because its disk is full: EX_TEMPFAIL of sysexits.h. */
export const STORAGE_FULL_EXIT_CODE = 75;

/** Bytes that must be free, or the API refuses requests that write. What runs already may use them. */
export const MIN_FREE_BYTES = 4 * 1_048_576;
/** Bytes that must be free before a stack starts again that ended because its disk was full. */
export const MIN_FREE_BYTES_FOR_START = 2 * MIN_FREE_BYTES;

/** `storage_full` of a problem document, beside the codes of the API: AWS has no full disk. */
export const STORAGE_FULL_CODE = 'storage_full';
/** Seconds after which a refused client may try again. */
export const STORAGE_FULL_RETRY_SECONDS = 5;

/** Codes of system calls, and texts of SQLite and of system calls whose errors lost their code on the way from a thread. */
const FULL_CODES = ['ENOSPC', 'EDQUOT'];
const FULL_TEXT = /\b(?:ENOSPC|EDQUOT)\b|database or disk is full|no space left on device/i;
/** SQLITE_FULL, in the low byte of SQLite's extended result codes. */
const SQLITE_FULL = 13;

/** Whether an error, or one of its causes, says that a disk or a quota is full. */
export function isStorageFullError(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 10; each = each.cause, depth += 1) {
    if ('code' in each && FULL_CODES.includes(String(each.code))) return true;
    if ('errcode' in each && (Number(each.errcode) & 0xff) === SQLITE_FULL) return true;
    if (FULL_TEXT.test(each.message)) return true;
  }
  return false;
}

/** Returns the free bytes of the disk of a folder. */
export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether a folder has so many bytes left and can be written. A quota shows only when something is written. */
export function isRoomLeft(folder: string, bytes: number): boolean {
  const probe = join(folder, '.room');
  try {
    if (readFreeBytes(folder) < bytes) return false;
    const file = openSync(probe, 'w', 0o600);
    try {
      return writeSync(file, Buffer.alloc(65_536)) === 65_536;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

/** The problem document (RFC 9457) for a request that the stack cannot store. */
export const storageFullProblem = (dataDir: string) => ({
  type: `urn:assay:problem:${STORAGE_FULL_CODE}`,
  title: 'The disk of the embedded stack is full',
  status: 503,
  detail:
    `Nothing that was acknowledged is lost, and this request may not have taken effect. ${dataDir} needs ` +
    `${MIN_FREE_BYTES_FOR_START / 1_048_576} MiB of free space; then the stack continues by itself.`,
  code: STORAGE_FULL_CODE,
});
