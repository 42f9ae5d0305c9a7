import { CheckoutError } from './checkout-error.ts';
import { readObjects } from './git-object-reader.ts';
import type { GitStore } from './git-store.ts';

/** Blobs that are kept of one store, in bytes: gates read the same changed files one after the other. */
const MAX_KEPT_BYTES = 16 * 1_048_576;
const kept = new WeakMap<GitStore, { readonly blobs: Map<string, Buffer>; bytes: number }>();

/** Reads several blobs. @throws CheckoutError when they are larger than `maxBytes` together. */
export async function readBlobs(
  store: GitStore,
  ids: readonly string[],
  maxBytes = 64 * 1_048_576,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const known = kept.get(store) ?? { blobs: new Map<string, Buffer>(), bytes: 0 };
  kept.set(store, known);
  let bytes = 0;
  for (const id of ids) {
    const there = known.blobs.get(id);
    if (!there || blobs.has(id)) continue;
    blobs.set(id, there);
    bytes += there.length;
  }
  if (bytes > maxBytes) throw new CheckoutError('unknown', 'the files are too large to be read');
  const wanted = [...new Set(ids)].filter((id) => !blobs.has(id));
  if (wanted.length === 0) return blobs;
  for (const [id, blob] of await read(store, wanted, maxBytes - bytes)) {
    blobs.set(id, blob);
    if (known.blobs.has(id) || blob.length > MAX_KEPT_BYTES / 16) continue;
    if (known.bytes + blob.length > MAX_KEPT_BYTES) {
      known.blobs.clear();
      known.bytes = 0;
    }
    known.blobs.set(id, blob);
    known.bytes += blob.length;
  }
  return blobs;
}

async function read(
  store: GitStore,
  wanted: readonly string[],
  maxBytes: number,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  let bytes = 0;
  await readObjects(store, '--batch', wanted, ({ id, type, size }) => {
    if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
    bytes += size;
    if (bytes > maxBytes) throw new CheckoutError('unknown', 'the files are too large to be read');
    const pieces: Buffer[] = [];
    return {
      write: (piece) => void pieces.push(piece),
      // Always a copy: a part of what the pipe gave would keep all of that.
      end: () => void blobs.set(id, Buffer.concat(pieces)),
    };
  });
  return blobs;
}
