import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import {
  NoticeError,
  type PostAnswer,
  type PostJson,
} from '../../shared/use-cases/operate/deliver-notice.ts';
import { createPublicDnsLookup, isPublicIpAddress } from '../runtime/public-address.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

function retryAfterSeconds(header: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/**
 * Posts JSON to a server of the operator's choice: over https, to a public address, unless the target allows others. Follows no
 * redirect. Errors name the host and never the path, which is a secret of incoming webhooks.
 */
export const postJson: PostJson = async (address, body, headers, { allowPrivateAddress }) => {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:' && !allowPrivateAddress)
    throw new NoticeError(`${url.host} is not asked over ${url.protocol}//: set allow_private_address`);
  if (!allowPrivateAddress && isIP(host) !== 0 && !isPublicIpAddress(host))
    throw new NoticeError(`${host} is not a public address: set allow_private_address to allow it`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await exchange(url, body, headers, allowPrivateAddress, signal);
  } catch (error) {
    const why = signal.aborted
      ? `no answer within ${TIMEOUT_MS / 1_000} s`
      : error instanceof Error
        ? error.message
        : String(error);
    throw new NoticeError(`${url.host}: ${why}`);
  }
};

async function exchange(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  allowPrivateAddress: boolean,
  signal: AbortSignal,
): Promise<PostAnswer> {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const bytes = Buffer.from(body);
    const sent = (url.protocol === 'http:' ? plainRequest : secureRequest)(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(bytes.length),
        'user-agent': 'assay',
      },
      agent: false,
      signal,
      ...(allowPrivateAddress ? {} : { lookup: createPublicDnsLookup() }),
    });
    sent.once('response', resolve);
    sent.on('error', reject);
    sent.end(bytes);
  });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      size += chunk.length;
      // What lies behind it is not needed.
      if (size > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } finally {
    reply.destroy();
  }
  return {
    status: reply.statusCode ?? 0,
    retryAfter: retryAfterSeconds(reply.headers['retry-after']),
    text: Buffer.concat(chunks).toString('utf8'),
  };
}
