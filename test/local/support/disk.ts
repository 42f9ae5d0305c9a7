import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { type FileSystemCalls, NODE_FILE_SYSTEM_CALLS } from '../../../local/atomic-files.ts';

const full = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** Every offset of a file from 0 to its length takes too long for each day. */
const EVERY_BYTE = process.env['ASSAY_TEST_EVERY_BYTE'] !== undefined;
/** Other offsets each time; what is printed repeats them. */
const SEED = Number(process.env['ASSAY_TEST_SEED'] ?? Date.now());

/** The offsets at which something is cut: all with ASSAY_TEST_EVERY_BYTE, otherwise the ends and a sample by ASSAY_TEST_SEED. */
export function offsets(length: number, sample: number): readonly number[] {
  const all = Array.from({ length: length + 1 }, (_, index) => index);
  if (EVERY_BYTE || all.length <= sample) return all;
  console.info(`offsets by ASSAY_TEST_SEED=${SEED}; all of them with ASSAY_TEST_EVERY_BYTE=1`);
  const chosen = fc.sample(fc.integer({ min: 0, max: length }), { seed: SEED, numRuns: sample - 2 });
  return [...new Set([0, length, ...chosen])].sort((a, b) => a - b);
}

export interface FaultyDisk extends FileSystemCalls {
  /** Bytes that were written so far. */
  written(): number;
  makeRoom(): void;
}

/** A disk with room for so many bytes; the write that needs more is done as far as it goes, and then fails. */
export function fullAfter(
  room: number,
  { atOnce = Number.POSITIVE_INFINITY, canTruncate = true } = {},
): FaultyDisk {
  let left = room;
  let written = 0;
  return {
    ...NODE_FILE_SYSTEM_CALLS,
    write(file, bytes, offset, position) {
      const length = Math.min(left, atOnce, bytes.length - offset);
      if (length === 0) throw full();
      const done = NODE_FILE_SYSTEM_CALLS.write(file, bytes.subarray(0, offset + length), offset, position);
      left -= done;
      written += done;
      return done;
    },
    truncate(file, size) {
      if (!canTruncate) throw full();
      NODE_FILE_SYSTEM_CALLS.truncate(file, size);
    },
    written: () => written,
    makeRoom() {
      left = Number.POSITIVE_INFINITY;
    },
  };
}

/** A process that is killed when it has written so many bytes: from then on, nothing that it does has any effect. */
export const killedAfter = (room: number): FaultyDisk => fullAfter(room, { canTruncate: false });

export interface SmallDisk {
  resize(size: string): void;
  remove(): void;
}

/** Mounts a disk of its own at a path that does not exist yet. Returns null, with a warning, where this process may not mount. */
export function mountSmallDisk(path: string, size: string): SmallDisk | null {
  mkdirSync(path, { mode: 0o700 });
  const mount = (...more: string[]) => execFileSync('mount', [...more, path], { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'none');
  } catch {
    console.warn('SKIPPED 1 test of a full disk: it mounts one, for which it must be root');
    return null;
  }
  return {
    resize: (bytes) => mount('-o', `remount,size=${bytes}`),
    remove: () => execFileSync('umount', ['-l', path]),
  };
}
