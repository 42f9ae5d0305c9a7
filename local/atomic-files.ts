import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** The system calls that can fail half-way. Tests replace them to simulate a full disk or a kill. */
export interface FileSystemCalls {
  open(path: string, flags: string, mode?: number): number;
  /**
   * Writes `bytes` from `offset` on, at `position` of the file, or behind what was written last if it is
   * null. Returns the number of bytes written, which may be fewer than given.
   */
  write(file: number, bytes: Buffer, offset: number, position: number | null): number;
  truncate(file: number, size: number): void;
  sync(file: number): void;
  rename(from: string, to: string): void;
}

export const NODE_FILE_SYSTEM_CALLS: FileSystemCalls = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  write: (file, bytes, offset, position) => writeSync(file, bytes, offset, bytes.length - offset, position),
  truncate: (file, size) => ftruncateSync(file, size),
  sync: (file) => fsyncSync(file),
  rename: (from, to) => renameSync(from, to),
};

/** A write failed. The file still has its previous content. */
export class FileWriteError extends Error {
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${path} could not be written: ${reason}`, { cause });
    this.name = 'FileWriteError';
  }
}

/** Writes all of `bytes`, at `position` or behind what was written last. */
export function writeAllBytes(
  calls: FileSystemCalls,
  file: number,
  bytes: Buffer,
  position: number | null = null,
): void {
  let written = 0;
  while (written < bytes.length)
    written += calls.write(file, bytes, written, position === null ? null : position + written);
}

export interface AtomicWriteOptions {
  readonly mode?: number;
  /** Temporary path of the file until it is complete; on the same disk. */
  readonly partial?: string;
  /** True: waits until the file is on the disk, so that it also survives a loss of power. */
  readonly sync?: boolean;
  readonly calls?: FileSystemCalls;
}

/**
 * Replaces a file as a whole or not at all: after a kill at any moment, and on a full disk, it has its old
 * content or its new one. @throws FileWriteError
 */
export function writeFileAtomically(
  path: string,
  content: Buffer | string | Iterable<Buffer>,
  options: AtomicWriteOptions = {},
): void {
  const { mode = 0o666, partial = `${path}.partial`, sync = false, calls = NODE_FILE_SYSTEM_CALLS } = options;
  const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
  try {
    // A file that a kill left there may have other permissions.
    rmSync(partial, { force: true });
    const file = calls.open(partial, 'wx', mode);
    try {
      for (const bytes of isWhole ? [Buffer.from(content)] : content) writeAllBytes(calls, file, bytes);
      if (sync) calls.sync(file);
    } finally {
      closeSync(file);
    }
    calls.rename(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new FileWriteError(path, error);
  }
}
