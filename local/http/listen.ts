import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http';
import {
  type LoopbackAccessRule,
  type LoopbackListener,
  listenOnLoopback,
} from '../../shared/lib/loopback-listener.ts';
import { STORAGE_FULL_RETRY_SECONDS, storageFullProblem } from '../storage.ts';

/**
 * Largest request line and headers in bytes. A path parameter may have 4,096 characters, which are 48 KiB
 * when encoded. With Node's default of 16 KiB the connection would be reset without an answer.
 */
const MAX_HEADER_BYTES = 64 * 1_024;

/**
 * Clients keep their connections open; a server that closes an idle one would race with the next request on
 * it.
 */
const disableTimeouts = (server: Server): void => {
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
};

/** Listens on the loopback port `preferred` if it is free, otherwise on any. */
export async function listenOnPreferredPort(
  rule: LoopbackAccessRule,
  handler: RequestListener,
  preferred = 0,
): Promise<LoopbackListener> {
  try {
    return await listenOnPort(rule, handler, preferred);
  } catch (error) {
    if (preferred === 0 || !isAddressInUse(error)) throw error;
    return listenOnPort(rule, handler, 0);
  }
}

/** Listens on this loopback port. @throws Error EADDRINUSE if it is in use. */
export const listenOnPort = (
  rule: LoopbackAccessRule,
  handler: RequestListener,
  port: number,
): Promise<LoopbackListener> =>
  listenOnLoopback(rule, handler, { port, maxHeaderSize: MAX_HEADER_BYTES, configure: disableTimeouts });

/** A server whose address is known before it has a handler: earlier requests wait. */
export interface DeferredListener extends LoopbackListener {
  serve(handler: RequestListener): void;
  /** Gives this answer to each request that has none yet, and to all that follow. */
  refuseAll(answer: (response: ServerResponse) => void): void;
}

/** Listens on `port` if it is given, otherwise on `preferred` if that is free, otherwise on any. */
export async function listenDeferred(
  rule: LoopbackAccessRule,
  port: number | undefined,
  preferred: number,
): Promise<DeferredListener> {
  const ready = Promise.withResolvers<RequestListener>();
  const unanswered = new Set<ServerResponse>();
  let refuse: ((response: ServerResponse) => void) | null = null;
  const handler: RequestListener = (request, response) => {
    if (refuse !== null) return refuse(response);
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    void ready.promise.then((serve) => serve(request, response));
  };
  const listener =
    port === undefined
      ? await listenOnPreferredPort(rule, handler, preferred)
      : await listenOnPort(rule, handler, port);
  return {
    ...listener,
    serve: (serve) => ready.resolve(serve),
    refuseAll(answer) {
      refuse = answer;
      for (const response of unanswered) if (!response.headersSent) answer(response);
    },
  };
}

export const isAddressInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Reads the body of a request. Returns null if it is longer than `limit` bytes. */
export async function readBody(
  request: IncomingMessage,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and discarded, so that the client reads the answer.
    if (length <= limit) chunks.push(chunk);
  }
  return length <= limit ? Buffer.concat(chunks) : null;
}

/** Sends an answer with a JSON body. A response that was answered already stays as it is. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  type = 'application/json',
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Answers a request that cannot be stored because the disk of a data folder is full. */
export const sendStorageFull = (response: ServerResponse, dataDir: string): void =>
  sendJson(response, 503, storageFullProblem(dataDir), 'application/problem+json', {
    'retry-after': String(STORAGE_FULL_RETRY_SECONDS),
  });
