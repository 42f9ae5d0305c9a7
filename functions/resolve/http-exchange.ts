import { lookup as systemLookup } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { RepositoryUnavailableError } from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { ResponseTooLargeError } from './response-too-large.ts';

/** Networks that are nobody's public server: private, link-local (with it the metadata of AWS), reserved, for documentation. */
const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');

/** What is in use of IPv6 for servers of the public. Everything else is refused, so that a new kind of address is no way in. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');
/** Within it: for documentation, and addresses that carry others, which are then not looked at. */
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');

/** May the platform connect there on somebody's word? */
export function isPublicIpAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  return family === 6 && GLOBAL.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

class PrivateAddressError extends Error {}

/**
 * A lookup that hands out public addresses only. It is the connection's own lookup, so what was looked at is what is connected to,
 * however often the name changes its mind. The first private address ends it: an honest name has none.
 */
export const createPublicDnsLookup =
  (lookup: typeof systemLookup = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const hidden = error ? undefined : addresses.find(({ address }) => !isPublicIpAddress(address));
      const [first] = error ? [] : addresses;
      if (error) callback(error, '', 0);
      else if (hidden || !first)
        callback(new PrivateAddressError(`${hostname} has no public address`), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

export interface HttpExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}
export interface HttpExchangeResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
export type HttpExchange = (url: URL, question: HttpExchangeRequest) => Promise<HttpExchangeResponse>;

export interface HttpExchangeOptions {
  /** Embedded default only: servers of the own network may be asked. */
  readonly allowPrivateAddress: boolean;
  /** For tests, which have no certificate. */
  readonly allowPlainHttp?: boolean;
  /** Milliseconds for one question and its whole answer. */
  readonly timeoutMs?: number;
  /** Most bytes of an answer. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1_048_576;

/**
 * Asks one question of one server. Redirects are not followed, so that no server can name another one; nor are there connections to
 * addresses that are not public.
 */
export const createHttpExchange =
  ({
    allowPrivateAddress,
    allowPlainHttp = false,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
  }: HttpExchangeOptions): HttpExchange =>
  async (url, question) => {
    if (url.protocol !== 'https:' && !(allowPlainHttp && url.protocol === 'http:'))
      throw new RepositoryUnavailableError(
        `the platform reads repositories over https, not ${url.protocol}//`,
        false,
      );
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (!allowPrivateAddress && isIP(host) !== 0 && !isPublicIpAddress(host))
      throw new RepositoryUnavailableError(`${host} is not a public address`, false);
    try {
      return await send(url, question, allowPrivateAddress, AbortSignal.timeout(timeoutMs), maxBytes);
    } catch (error) {
      if (error instanceof RepositoryUnavailableError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const slow = error instanceof Error && error.name === 'TimeoutError';
      throw new RepositoryUnavailableError(
        slow ? `${url.host} took longer than ${timeoutMs / 1_000} s` : `${url.host}: ${why}`,
        !(error instanceof PrivateAddressError),
      );
    }
  };

async function send(
  url: URL,
  { method, headers, body }: HttpExchangeRequest,
  allowPrivate: boolean,
  signal: AbortSignal,
  maxBytes: number,
): Promise<HttpExchangeResponse> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (url.protocol === 'http:' ? plainRequest : secureRequest)(url, {
      method,
      headers: { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) },
      // One question, one connection: none is kept that an earlier answer could have prepared.
      agent: false,
      signal,
      ...(allowPrivate ? {} : { lookup: createPublicDnsLookup() }),
    });
    sent.once('response', resolve);
    // After the answer has begun, its own stream says what went wrong; a listener must stay all the same.
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    sent.end(body);
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ResponseTooLargeError(`${url.host} answered with more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    reply.destroy();
  }
  return { status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) };
}
