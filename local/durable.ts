import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * All that is written into a data folder by this program goes through here. What it promises: after a kill at any moment, and on a full
 * disk, a file is as it was before a write or as it is after it, and no caller was told otherwise. Small files are also safe from a
 * loss of power; the tables, the queues and the journal hand what they write to the operating system and do not wait for the disk.
 */

/** The calls to the system that can fail half-way; tests put others in their place. */
export interface FileCalls {
  open(path: string, flags: string, mode?: number): number;
  /** Answers how many bytes were written, which may be fewer than were given. */
  write(file: number, bytes: Buffer, offset: number): number;
  truncate(file: number, size: number): void;
  sync(file: number): void;
  rename(from: string, to: string): void;
}

export const FILE_CALLS: FileCalls = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  write: (file, bytes, offset) => writeSync(file, bytes, offset),
  truncate: (file, size) => ftruncateSync(file, size),
  sync: (file) => fsyncSync(file),
  rename: (from, to) => renameSync(from, to),
};

/** A write that failed. What stood in the file before stands in it still. */
export class NotWrittenError extends Error {
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${path} could not be written: ${reason}`, { cause });
    this.name = 'NotWrittenError';
  }
}

function writeAll(calls: FileCalls, file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += calls.write(file, bytes, written);
}

export interface WholeOptions {
  readonly mode?: number;
  /** Where the file stands until it is whole; on the same disk. */
  readonly partial?: string;
  /** True: wait until it is on the disk. */
  readonly sync?: boolean;
  readonly calls?: FileCalls;
}

/** Writes a file whole or not at all. @throws NotWrittenError */
export function writeWhole(path: string, content: Buffer | string, options: WholeOptions = {}): void {
  const { mode = 0o666, partial = `${path}.partial`, sync = false, calls = FILE_CALLS } = options;
  try {
    // A file that a kill has left there may have other permissions.
    rmSync(partial, { force: true });
    const file = calls.open(partial, 'wx', mode);
    try {
      writeAll(calls, file, Buffer.from(content));
      if (sync) calls.sync(file);
    } finally {
      closeSync(file);
    }
    calls.rename(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new NotWrittenError(path, error);
  }
}

/** A file that only ever grows. */
export interface AppendFile {
  readonly path: string;
  readonly size: number;
  /**
   * All of it, or nothing. After a failure nothing more is written: what stands behind half a line could not be told from it.
   * @throws NotWrittenError
   */
  append(text: string): void;
  close(): void;
}

/** Begins a new file. @throws NotWrittenError */
export function createAppendFile(path: string, calls: FileCalls = FILE_CALLS): AppendFile {
  let failure: NotWrittenError | null = null;
  let size = 0;
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      failure = new NotWrittenError(path, error);
      throw failure;
    }
  };
  const file = attempt(() => calls.open(path, 'ax'));
  return {
    path,
    get size() {
      return size;
    },
    append(text) {
      if (failure !== null) throw failure;
      const bytes = Buffer.from(text);
      attempt(() => {
        try {
          writeAll(calls, file, bytes);
        } catch (error) {
          truncateBack(calls, file, size);
          throw error;
        }
      });
      size += bytes.length;
    },
    close: () => closeSync(file),
  };
}

function truncateBack(calls: FileCalls, file: number, size: number): void {
  try {
    calls.truncate(file, size);
  } catch {
    // The half line stays the last one, and is cut off by whoever opens the file next.
  }
}
