import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { signalProcessGroup, trackProcessGroup, untrackProcessGroup } from '../process/process-groups.ts';
import { CheckoutError } from './checkout-error.ts';
import { buildGitEnvironment } from './git-environment.ts';
import type { GitStore } from './git-store.ts';

/** What is asked for: contents with their headers, or headers alone. */
export type CatFileMode = '--batch' | '--batch-check';

interface ObjectHeader {
  readonly id: string;
  /** `blob`, `tree`, `commit` or `tag`; `missing` where git has none of that name. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
}

/** Takes the contents of one object as they come. */
export interface ObjectSink {
  write(bytes: Buffer): void;
  end(): void;
}

/** Hears of each object before its contents come. What it throws ends the reading. */
export type OpenGitObjectSink = (header: ObjectHeader) => ObjectSink;

export const DISCARDING_GIT_OBJECT_SINK: ObjectSink = { write: () => {}, end: () => {} };

/** How long a process waits for the next question, in milliseconds: longer than most runs of tests between two questions. */
const IDLE_MS = 15_000;
const TIMEOUT_MS = 120_000;
const MAX_STDERR_CHARS = 4_096;

interface ObjectRequest {
  readonly reader: CatFileOutputReader;
  readonly answered: (whole: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/** A `git cat-file` that stays for the next question, and answers one at a time. */
class CatFile {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output: Socket;
  #asked: ObjectRequest | null = null;
  #stderr = '';
  /** How many questions it has answered. */
  #answers = 0;
  #idle: NodeJS.Timeout | null = null;
  #over = false;

  constructor(store: GitStore, wanted: CatFileMode) {
    this.#child = spawn('git', ['cat-file', wanted], {
      cwd: store.dir,
      env: { ...buildGitEnvironment(), GIT_DIR: store.dir },
      detached: true,
      stdio: 'pipe',
    });
    const leader = this.#child.pid;
    if (leader !== undefined) trackProcessGroup(leader);
    // A process that waits for questions must not keep ours alive; it ends with the pipe.
    this.#child.unref();
    this.#output = this.#child.stdout as Socket;
    (this.#child.stderr as Socket).unref();
    this.#child.stderr.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < MAX_STDERR_CHARS) this.#stderr += chunk.toString('utf8');
    });
    // A git that ends early closes the pipe; what `close` says then is what counts.
    this.#child.stdin.on('error', () => {});
    this.#output.on('data', (chunk: Buffer) => this.#hear(chunk));
    this.#child.once('error', (error) => this.#end(`git could not be started: ${error.message}`));
    this.#child.once('close', () => {
      if (leader !== undefined) untrackProcessGroup(leader);
      this.#end(`git cat-file: ${this.#stderr.trim() || 'ended early'}`);
    });
  }

  get over(): boolean {
    return this.#over;
  }

  /** @returns false when it has ended while it waited, so that nothing of an answer has come. */
  ask(names: readonly string[], reader: CatFileOutputReader): Promise<boolean> {
    if (this.#idle) clearTimeout(this.#idle);
    this.#output.ref();
    return new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.kill();
        this.#end('git took too long');
      }, TIMEOUT_MS);
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        this.#asked = null;
        this.#output.unref();
        then();
      };
      this.#asked = {
        reader,
        answered: (whole) => settle(() => resolve(whole)),
        failed: (error) => settle(() => reject(error)),
      };
      this.#child.stdin.write(`${names.join('\n')}\n`);
    }).finally(() => {
      if (this.#over) return;
      this.#idle = setTimeout(() => {
        this.#over = true;
        this.#child.stdin.end();
      }, IDLE_MS).unref();
    });
  }

  kill(): void {
    this.#over = true;
    if (this.#child.pid !== undefined) signalProcessGroup(this.#child.pid, 'SIGKILL');
  }

  #hear(chunk: Buffer): void {
    if (!this.#asked) return;
    try {
      this.#asked.reader.add(chunk);
      if (!this.#asked.reader.isDone) return;
      this.#answers++;
      this.#asked.answered(true);
    } catch (error) {
      // What is still to come of this answer would be taken for the next one.
      this.kill();
      this.#asked.failed(error);
    }
  }

  #end(why: string): void {
    this.#over = true;
    if (this.#answers > 0 && this.#asked?.reader.hasStarted === false) this.#asked.answered(false);
    this.#asked?.failed(new CheckoutError('unknown', why));
  }
}

interface CatFileQueue {
  running: CatFile | null;
  /** The end of the question that was asked last. */
  last: Promise<unknown>;
}

const lines = new WeakMap<GitStore, Map<CatFileMode, CatFileQueue>>();

/**
 * Asks git for objects, one question after the other, of a process that stays for a while: starting a process makes the kernel copy
 * our page tables, which holds this one up for some 5 ms for each 100 MB that it has.
 * @throws CheckoutError when git cannot answer, and whatever `open` and its sinks throw.
 */
export async function readObjects(
  store: GitStore,
  wanted: CatFileMode,
  names: readonly string[],
  open: OpenGitObjectSink,
): Promise<void> {
  if (names.length === 0) return;
  const ofStore = lines.get(store) ?? new Map<CatFileMode, CatFileQueue>();
  lines.set(store, ofStore);
  const line = ofStore.get(wanted) ?? { running: null, last: Promise.resolve() };
  ofStore.set(wanted, line);
  const reader = new CatFileOutputReader(names.length, wanted === '--batch', open);
  const answer = line.last.then(async () => {
    if (line.running && !line.running.over && (await line.running.ask(names, reader))) return;
    line.running = new CatFile(store, wanted);
    await line.running.ask(names, reader);
  });
  line.last = answer.catch(() => {});
  return answer;
}

const NEWLINE = 0x0a;

/** Takes the output of `git cat-file` apart. */
export class CatFileOutputReader {
  readonly #open: OpenGitObjectSink;
  readonly #expected: number;
  readonly #withContents: boolean;
  #header = Buffer.alloc(0);
  #sink: ObjectSink | null = null;
  /** Bytes of the object that are still to come, without the line break after it. */
  #left = 0;
  #ended = 0;

  constructor(expected: number, withContents: boolean, open: OpenGitObjectSink) {
    this.#expected = expected;
    this.#withContents = withContents;
    this.#open = open;
  }

  /** How many objects have come whole. */
  get completedObjects(): number {
    return this.#ended;
  }

  get hasStarted(): boolean {
    return this.#ended > 0 || this.#sink !== null || this.#header.length > 0;
  }

  get isDone(): boolean {
    return this.#ended === this.#expected;
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
    // `<id> <type> <size>`, or `<name> missing`.
    const [id = '', type = '', size] = this.#header.toString('latin1').split(' ');
    this.#header = Buffer.alloc(0);
    const sink = this.#open({ id, type, size: Number(size ?? 0) });
    if (this.#withContents && size !== undefined) {
      this.#left = Number(size);
      this.#sink = sink;
    } else {
      sink.end();
      this.#ended++;
    }
    return end + 1;
  }

  #content(sink: ObjectSink, chunk: Buffer, at: number): number {
    if (this.#left > 0) {
      const piece = chunk.subarray(at, at + this.#left);
      this.#left -= piece.length;
      sink.write(piece);
      return at + piece.length;
    }
    // The line break that follows every object.
    sink.end();
    this.#sink = null;
    this.#ended++;
    return at + 1;
  }
}
