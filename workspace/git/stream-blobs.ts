import { spawn } from 'node:child_process';
import { readThreadCpuMs } from '../process/cpu-time.ts';
import { signalProcessGroup, trackProcessGroup, untrackProcessGroup } from '../process/process-groups.ts';
import { CheckoutError } from './checkout-error.ts';
import { buildGitEnvironment } from './git-environment.ts';
import {
  CatFileOutputReader,
  DISCARDING_GIT_OBJECT_SINK,
  type ObjectSink,
  readObjects,
} from './git-object-reader.ts';
import type { GitStore } from './git-store.ts';
import { readBlobs } from './read-blobs.ts';

/** Blobs that are together no larger than this, in bytes, are read at once, and kept for the next gate that reads them. */
const SMALL_BYTES = 4 * 1_048_576;

/** Sizes of blobs in bytes. */
export async function readBlobSizes(store: GitStore, ids: readonly string[]): Promise<Map<string, number>> {
  const wanted = [...new Set(ids)];
  const sizes = new Map<string, number>();
  await readObjects(store, '--batch-check', wanted, ({ id, type, size }) => {
    if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
    sizes.set(id, size);
    return DISCARDING_GIT_OBJECT_SINK;
  });
  return sizes;
}

/**
 * Reads blobs of any size, in the order of `ids`, in memory that does not depend on their size.
 * @param open called once for each blob, before its contents come.
 * @param deadline on the clock of `readThreadCpuMs()`.
 * @returns false when the time was over before everything was read.
 */
export async function streamBlobs(
  store: GitStore,
  ids: readonly string[],
  open: (id: string) => ObjectSink,
  deadline: number,
): Promise<boolean> {
  const sizes = await readBlobSizes(store, ids);
  if (ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0) > SMALL_BYTES)
    return streamLarge(store, ids, open, deadline);
  const blobs = await readBlobs(store, ids, SMALL_BYTES);
  for (const id of ids) {
    if (readThreadCpuMs() > deadline) return false;
    const sink = open(id);
    sink.write(blobs.get(id) ?? Buffer.alloc(0));
    sink.end();
  }
  return true;
}

/** With a process of its own, so that nobody waits behind it. */
async function streamLarge(
  store: GitStore,
  ids: readonly string[],
  open: (id: string) => ObjectSink,
  deadline: number,
): Promise<boolean> {
  const child = spawn('git', ['cat-file', '--batch'], {
    cwd: store.dir,
    env: { ...buildGitEnvironment(), GIT_DIR: store.dir },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const leader = child.pid;
  if (leader !== undefined) trackProcessGroup(leader);
  const closed = new Promise<void>((resolve, reject) => {
    child.once('close', () => resolve());
    child.once('error', reject);
  });
  // A rejection is read below; until then it must not count as unhandled.
  closed.catch(() => {});
  // A git that ends early closes the pipe; what is missing then tells.
  child.stdin.on('error', () => {});
  child.stdin.end(`${ids.join('\n')}\n`);
  const reader = new CatFileOutputReader(ids.length, true, ({ id, type }) => {
    if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
    return open(id);
  });
  let inTime = true;
  try {
    for await (const chunk of child.stdout) {
      inTime = readThreadCpuMs() <= deadline;
      if (!inTime) break;
      reader.add(chunk as Buffer);
    }
    if (inTime) await closed;
  } finally {
    if (leader !== undefined) {
      if (child.exitCode === null && child.signalCode === null) signalProcessGroup(leader, 'SIGKILL');
      untrackProcessGroup(leader);
    }
  }
  if (inTime && !reader.isDone)
    throw new CheckoutError('unknown', `git gave ${reader.completedObjects} of ${ids.length} blobs`);
  return inTime;
}
