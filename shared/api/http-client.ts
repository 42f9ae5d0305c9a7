import type { ClientRequest, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface HttpRetryOptions {
  /** Time limit of one try. Default 30 s. */
  readonly timeoutMs?: number;
  /** Tries in all. Default 6, which with the back-off is about ten seconds of pauses. */
  readonly maxTries?: number;
  /** In place of a number of tries: no further one begins after so long. */
  readonly retryForMs?: number;
  /** First pause; doubles with each try, up to `LONGEST_PAUSE_MS`. Default 250 ms. */
  readonly backoffMs?: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  readonly etag: string | null;
}

/** No try got an answer that settles the matter. */
export class HttpServiceUnreachableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HttpServiceUnreachableError';
  }
}

/** Largest answer in bytes: a patch, with room to spare. */
const MAX_ANSWER_BYTES = 32 * 1_048_576;

const LONGEST_PAUSE_MS = 10_000;

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * One HTTP request, repeated for what passes: no connection, no answer in time, 408, 429 and 5xx. Only for requests that may be
 * sent twice. Redirects are not followed.
 * @throws HttpServiceUnreachableError after the last try.
 */
export async function requestWithRetries(
  url: string,
  init: HttpRequest,
  options: HttpRetryOptions = {},
): Promise<HttpResponse> {
  const started = performance.now();
  const mayTry = (tried: number): boolean =>
    options.retryForMs === undefined
      ? tried < (options.maxTries ?? 6)
      : performance.now() - started < options.retryForMs;
  let problem = '';
  for (let tried = 0; tried === 0 || mayTry(tried); tried++) {
    if (tried > 0) {
      const pause = Math.min(LONGEST_PAUSE_MS, (options.backoffMs ?? 250) * 2 ** (tried - 1));
      // Half fixed, half random, so that many boxes do not come back at the same instant.
      await sleep(pause / 2 + (Math.random() * pause) / 2);
    }
    try {
      const answer = await send(url, init, options.timeoutMs ?? 30_000);
      if (!isTransient(answer.status)) return answer;
      problem = `HTTP ${answer.status} ${answer.body.toString('utf8', 0, 200)}`;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  // The query of a presigned URL is a credential.
  throw new HttpServiceUnreachableError(`${init.method} ${url.split('?', 1)[0]}: ${problem}`);
}

/**
 * Node's own client rather than `fetch`, whose first call loads undici: 40 ms in a box that lives for 200. Taken as a
 * builtin, because importing node:http from an ES module reads all of its lazy parts.
 */
const clientFor = (url: URL) =>
  url.protocol === 'https:'
    ? process.getBuiltinModule('node:https').request
    : process.getBuiltinModule('node:http').request;

function send(address: string, init: HttpRequest, timeoutMs: number): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const url = new URL(address);
    const length = init.body === undefined ? {} : { 'content-length': Buffer.byteLength(init.body) };
    const sent: ClientRequest = clientFor(url)(
      url,
      { method: init.method, headers: { ...init.headers, ...length } },
      (answer) => read(answer, resolve, reject),
    );
    const limit = setTimeout(() => sent.destroy(new Error(`no answer after ${timeoutMs} ms`)), timeoutMs);
    sent.on('error', reject).on('close', () => {
      clearTimeout(limit);
      // Settles nothing when an answer was read; else the connection was cut in the middle of one.
      reject(new Error('the connection was closed'));
    });
    sent.end(init.body);
  });
}

function read(
  answer: IncomingMessage,
  resolve: (answer: HttpResponse) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) answer.destroy(new Error('the answer is too large'));
      else chunks.push(chunk);
    })
    .on('error', reject)
    .on('end', () => {
      if (answer.complete)
        resolve({
          status: answer.statusCode ?? 0,
          body: Buffer.concat(chunks),
          etag: answer.headers.etag ?? null,
        });
    });
}
