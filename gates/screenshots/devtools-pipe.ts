import type { Readable, Writable } from 'node:stream';

type Fields = Readonly<Record<string, unknown>>;
interface DevToolsMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message?: string };
  readonly sessionId?: string;
}

/** Longest message of the browser that is read, in bytes: a picture of two megabytes in base64, with room. */
const MAX_MESSAGE = 64 * 1_048_576;

/** The browser has ended, or speaks as no browser does. */
export class BrowserConnectionError extends Error {}

/**
 * Commands and events of the DevTools protocol over the browser's pipe: JSON, each ended by NUL. There is no port that others could
 * connect to.
 * @see https://chromedevtools.github.io/devtools-protocol/
 */
export class DevToolsPipeClient {
  readonly #to: Writable;
  readonly #waiting = new Map<number, PromiseWithResolvers<Fields>>();
  readonly #listeners = new Map<string, (method: string, params: Fields) => void>();
  #next = 0;
  #kept: Buffer[] = [];
  #bytes = 0;
  #ended: BrowserConnectionError | null = null;

  constructor(from: Readable, to: Writable) {
    this.#to = to;
    from.on('data', (chunk: Buffer) => this.#read(chunk));
    from.on('close', () => this.end('the browser has ended'));
    from.on('error', () => this.end('the browser has ended'));
    to.on('error', () => this.end('the browser has ended'));
  }

  /** Hears what happens in a session, until it is asked to stop. */
  listen(session: string, heard: (method: string, params: Fields) => void): () => void {
    this.#listeners.set(session, heard);
    return () => this.#listeners.delete(session);
  }

  /** @throws BrowserConnectionError | Error when the browser refuses it. */
  send(method: string, params: Fields = {}, sessionId?: string): Promise<Fields> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#next;
    const answer = Promise.withResolvers<Fields>();
    this.#waiting.set(id, answer);
    this.#to.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    return answer.promise;
  }

  end(why: string): void {
    if (this.#ended) return;
    this.#ended = new BrowserConnectionError(why);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
    for (const heard of this.#listeners.values()) heard('ended', {});
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(0); at >= 0; at = rest.indexOf(0)) {
      this.#kept.push(rest.subarray(0, at));
      this.#take(Buffer.concat(this.#kept).toString('utf8'));
      this.#kept = [];
      this.#bytes = 0;
      rest = rest.subarray(at + 1);
    }
    this.#kept.push(rest);
    this.#bytes += rest.length;
    if (this.#bytes > MAX_MESSAGE) this.end('the browser has sent more than fits into a message');
  }

  #take(text: string): void {
    if (this.#ended) return;
    let message: DevToolsMessage;
    try {
      message = JSON.parse(text) as DevToolsMessage;
    } catch {
      this.end('the browser does not speak JSON');
      return;
    }
    if (message.id === undefined) {
      const heard = this.#listeners.get(message.sessionId ?? '');
      if (message.method !== undefined) heard?.(message.method, message.params ?? {});
      return;
    }
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) answer?.reject(new Error(message.error.message ?? 'refused'));
    else answer?.resolve(message.result ?? {});
  }
}
