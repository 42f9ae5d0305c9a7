import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { RepositoryUnavailableError } from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { createPublicDnsLookup, isPublicIpAddress, PrivateAddressError } from '../runtime/public-address.ts';
import { ResponseTooLargeError } from './response-too-large.ts';

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
