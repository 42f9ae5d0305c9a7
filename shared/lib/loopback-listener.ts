import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only address on which any part of Assay listens. */
export const LOOPBACK_ADDRESS = '127.0.0.1';

/** The requests that a listener passes to its handler. Each listener states both parts. */
export interface LoopbackAccessRule {
  /** Whether pages of the listener's own address may call it. Otherwise every request of a browser is refused. */
  readonly servesPages: boolean;
  /** Whether a request carries the secret of the listener. */
  readonly isAuthenticated: (request: IncomingMessage) => boolean;
}

/** For listeners that serve public files, or whose handler checks a token of its own with each request. */
export const isAuthenticationLeftToHandler = (): boolean => true;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares a secret in constant time. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns why a request is refused, or null. A page of another site reaches loopback through a name of its own (DNS rebinding), which
 * is in `Host`, or directly, which is in `Origin`; without `Origin`, browsers send `Sec-Fetch-Site`.
 */
export function findAccessRefusalReason(request: IncomingMessage, rule: LoopbackAccessRule): string | null {
  const { host = '', origin } = request.headers;
  if (!LOOPBACK_HOST.test(host)) return 'Host is not an address of this machine';
  if (rule.servesPages) {
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
      return 'Origin is another site';
  } else if (origin !== undefined || request.headers['sec-fetch-site'] !== undefined)
    return 'browsers may not call this listener';
  return rule.isAuthenticated(request) ? null : 'the secret of this listener is missing or wrong';
}

export interface LoopbackListener {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface LoopbackOptions {
  /** @default - any free port */
  readonly port?: number;
  /** Largest request line and headers in bytes. @default - as in Node */
  readonly maxHeaderSize?: number;
  /** Sets timeouts of the server. */
  readonly configure?: (server: Server) => void;
}

/**
 * Listens on loopback. This function makes every HTTP listener of the product, so that none lacks the checks; a test refuses any other.
 * @throws Error EADDRINUSE if the port is in use
 */
export function listenOnLoopback(
  rule: LoopbackAccessRule,
  handler: RequestListener,
  { port = 0, maxHeaderSize, configure }: LoopbackOptions = {},
): Promise<LoopbackListener> {
  const server = createServer(maxHeaderSize === undefined ? {} : { maxHeaderSize }, (request, response) => {
    const refusal = findAccessRefusalReason(request, rule);
    if (refusal === null) return handler(request, response);
    // The body is read, so that the client reads the answer.
    request.resume();
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'Forbidden', reason: refusal }));
  });
  configure?.(server);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK_ADDRESS, () => {
      server.off('error', reject);
      const bound = (server.address() as AddressInfo).port;
      resolve({
        port: bound,
        url: `http://${LOOPBACK_ADDRESS}:${bound}`,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped());
            server.closeAllConnections();
          }),
      });
    });
  });
}
