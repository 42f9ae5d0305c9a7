import { spawn } from 'node:child_process';
import { forgetGroup, signalGroup, trackGroup } from '../process/groups.ts';
import { gitEnvironment } from './environment.ts';
import { CheckoutError } from './error.ts';
import { mustInStore, type Store } from './store.ts';

/** Takes one blob as it comes. */
export interface BlobSink {
  piece(bytes: Buffer): void;
  end(): void;
}

/** Sizes of blobs in bytes. */
export async function blobSizes(store: Store, ids: readonly string[]): Promise<Map<string, number>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const output = await mustInStore(store, ['cat-file', '--batch-check'], { input: `${wanted.join('\n')}\n` });
  return new Map(
    output
      .toString('latin1')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [id = '', type, size] = line.split(' ');
        if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
        return [id, Number(size)];
      }),
  );
}

/**
 * Reads blobs of any size with one process, in the order of `ids`, in memory that does not depend on their size.
 * @param open called once for each blob, before its contents come.
 * @param deadline on the clock of `performance.now()`.
 * @returns false when the time was over before everything was read.
 */
export async function streamBlobs(
  store: Store,
  ids: readonly string[],
  open: (id: string, size: number) => BlobSink,
  deadline: number,
): Promise<boolean> {
  if (ids.length === 0) return true;
  const child = spawn('git', ['cat-file', '--batch'], {
    cwd: store.dir,
    env: { ...gitEnvironment(), GIT_DIR: store.dir },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const leader = child.pid;
  if (leader !== undefined) trackGroup(leader);
  const closed = new Promise<void>((resolve, reject) => {
    child.once('close', () => resolve());
    child.once('error', reject);
  });
  // A rejection is read below; until then it must not count as unhandled.
  closed.catch(() => {});
  // A git that ends early closes the pipe; what is missing then tells.
  child.stdin.on('error', () => {});
  child.stdin.end(`${ids.join('\n')}\n`);
  const reader = new BatchReader(open);
  let inTime = true;
  try {
    for await (const chunk of child.stdout) {
      inTime = performance.now() <= deadline;
      if (!inTime) break;
      reader.add(chunk as Buffer);
    }
    if (inTime) await closed;
  } finally {
    if (leader !== undefined) {
      if (child.exitCode === null && child.signalCode === null) signalGroup(leader, 'SIGKILL');
      forgetGroup(leader);
    }
  }
  if (inTime && reader.ended !== ids.length)
    throw new CheckoutError('unknown', `git gave ${reader.ended} of ${ids.length} blobs`);
  return inTime;
}

const NEWLINE = 0x0a;

/** Takes the output of `git cat-file --batch` apart. */
class BatchReader {
  readonly #open: (id: string, size: number) => BlobSink;
  #header = Buffer.alloc(0);
  #sink: BlobSink | null = null;
  /** Bytes of the blob that are still to come, without the line break after it. */
  #left = 0;
  ended = 0;

  constructor(open: (id: string, size: number) => BlobSink) {
    this.#open = open;
  }

  add(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#sink ? this.#content(this.#sink, chunk, at) : this.#head(chunk, at);
  }

  #head(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    const stop = end < 0 ? chunk.length : end;
    this.#header = Buffer.concat([this.#header, chunk.subarray(at, stop)]);
    if (end < 0) return stop;
    const [id = '', type, size] = this.#header.toString('latin1').split(' ');
    this.#header = Buffer.alloc(0);
    if (type !== 'blob') throw new CheckoutError('unknown', `git has no blob ${id}`);
    this.#left = Number(size);
    this.#sink = this.#open(id, this.#left);
    return end + 1;
  }

  #content(sink: BlobSink, chunk: Buffer, at: number): number {
    if (this.#left > 0) {
      const piece = chunk.subarray(at, at + this.#left);
      this.#left -= piece.length;
      sink.piece(piece);
      return at + piece.length;
    }
    // The line break that follows every blob.
    sink.end();
    this.#sink = null;
    this.ended++;
    return at + 1;
  }
}
