import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stoppable } from '../interfaces.ts';

/** Everything here listens on loopback only: of all services, S3 alone checks signatures. */
export const LOOPBACK = '127.0.0.1';

export interface Listener extends Stoppable {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
}

/**
 * Bytes of a request's address and headers. The API takes a path of 4,096 characters as a parameter, which are 48 KiB as they are sent;
 * with Node's own 16 KiB the connection would be reset, and nobody told why.
 */
const MAX_HEADER_BYTES = 64 * 1_024;

/** Clients keep their connections open; a server that closes an idle one would race with the next request on it. */
export const disableTimeouts = (server: Server): void => {
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
};

/** Listens on a loopback port; with `preferred`, on that port when it is free, otherwise on any. */
export async function listen(handler: RequestListener, preferred = 0): Promise<Listener> {
  try {
    return await listenOnPort(handler, preferred);
  } catch (error) {
    if (preferred === 0 || !isAddressInUse(error)) throw error;
    return listenOnPort(handler, 0);
  }
}

/** Listens on exactly this loopback port. Throws `EADDRINUSE` when it is taken. */
export function listenOnPort(handler: RequestListener, port: number): Promise<Listener> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, handler);
  disableTimeouts(server);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      const bound = portOf(server);
      resolve({ port: bound, url: `http://${LOOPBACK}:${bound}`, stop: () => close(server) });
    });
  });
}

export const isAddressInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** The whole body of a request; null when it is longer than `limit` bytes. */
export async function readBody(
  request: IncomingMessage,
  limit = Number.POSITIVE_INFINITY,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and dropped, so that the client gets to see the answer.
    if (length <= limit) chunks.push(chunk);
  }
  return length <= limit ? Buffer.concat(chunks) : null;
}

/** Answers with a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  type = 'application/json',
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
