import { setTimeout as sleep } from 'node:timers/promises';

export interface HttpOptions {
  /** Time limit of one try. Default 30 s. */
  readonly timeoutMs?: number;
  /** Tries in all. Default 6, which with the back-off is about half a minute. */
  readonly tries?: number;
  /** First pause; doubles with each try. Default 250 ms. */
  readonly backoffMs?: number;
  readonly abort?: AbortSignal;
}

/** No try got an answer that settles the matter. */
export class UnreachableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreachableError';
  }
}

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * `fetch` with a time limit and repeats for what passes: no connection, 408, 429 and 5xx. Only for requests that may be
 * sent twice. The body is read here too, because that can fail as well.
 * @throws UnreachableError after the last try.
 */
export async function request(
  url: string,
  init: {
    readonly method: string;
    readonly headers?: Record<string, string>;
    readonly body?: string | Buffer;
  },
  options: HttpOptions = {},
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const tries = options.tries ?? 6;
  let problem = '';
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) {
      const pause = (options.backoffMs ?? 250) * 2 ** (attempt - 1);
      // Half fixed, half random, so that many boxes do not come back at the same instant.
      await sleep(
        pause / 2 + (Math.random() * pause) / 2,
        undefined,
        options.abort ? { signal: options.abort } : {},
      );
    }
    const limit = AbortSignal.timeout(options.timeoutMs ?? 30_000);
    try {
      const response = await fetch(url, {
        method: init.method,
        headers: init.headers ?? {},
        ...(init.body === undefined
          ? {}
          : { body: typeof init.body === 'string' ? init.body : new Uint8Array(init.body) }),
        signal: options.abort ? AbortSignal.any([limit, options.abort]) : limit,
        redirect: 'error',
      });
      const body = Buffer.from(await response.arrayBuffer());
      if (!isTransient(response.status)) return { status: response.status, body };
      problem = `HTTP ${response.status} ${body.toString('utf8').slice(0, 200)}`;
    } catch (error) {
      if (options.abort?.aborted) throw error;
      problem = describe(error);
    }
  }
  throw new UnreachableError(`${init.method} ${withoutQuery(url)}: ${problem}`);
}

/** The query of a presigned URL is a credential. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

const describe = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? `${error.message}: ${error.cause.message}`
      : error.message
    : String(error);
