import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../shared/lib/loopback-listener.ts';

/** What a request is signed with. */
interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A request without its body. */
export interface SignableRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<IncomingHttpHeaders>;
}

/** Header with the digest of the body, which every SDK for JavaScript sends and signs. */
const CONTENT_HASH_HEADER = 'x-amz-content-sha256';
const REQUIRED_HEADERS = ['host', 'x-amz-date', CONTENT_HASH_HEADER] as const;
const ALGORITHM = 'AWS4-HMAC-SHA256';
const AUTHORIZATION = new RegExp(
  `^${ALGORITHM} Credential=([\\w-]+)/(\\d{8}/[\\w-]+/[\\w-]+/aws4_request), ?SignedHeaders=([\\w;-]+), ?Signature=([0-9a-f]{64})$`,
);
/** Largest clock skew in milliseconds. */
const MAX_SKEW_MS = 900_000;

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Encodes a path that was encoded already once more, as all services but S3 want it. */
const canonicalPath = (path: string): string => path.split('/').map(encode).join('/');
const canonicalQuery = (query: string): string =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');

/** Returns the time of an `x-amz-date` in milliseconds; NaN if it is none. */
const parseDate = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const headerText = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'object' ? value.join(',') : (value ?? '')).trim().replace(/ +/g, ' ');

/** Computes the signature (AWS SigV4) of a request. `scope` is `date/region/service/aws4_request`. */
function computeSignature(
  { method, url, headers }: SignableRequest,
  scope: string,
  signedHeaders: readonly string[],
  secretAccessKey: string,
): string {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  const canonical = [
    method,
    canonicalPath(url.slice(0, end)),
    canonicalQuery(url.slice(end + 1)),
    ...signedHeaders.map((name) => `${name}:${headerText(headers[name])}`),
    '',
    signedHeaders.join(';'),
    headerText(headers[CONTENT_HASH_HEADER]),
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, [ALGORITHM, headerText(headers['x-amz-date']), scope, digest].join('\n')).toString('hex');
}

/** Signs a request whose headers include host, date and content hash. Returns the `authorization` header. */
export function signRequest(
  request: SignableRequest,
  service: string,
  { accessKeyId, secretAccessKey }: SigningKey,
  region: string,
): string {
  const signed = Object.keys(request.headers)
    .filter((name) => name === 'host' || name.startsWith('x-amz-'))
    .sort();
  const day = headerText(request.headers['x-amz-date']).slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const signature = computeSignature(request, scope, signed, secretAccessKey);
  return `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signed.join(';')}, Signature=${signature}`;
}

/**
 * Whether a request was signed with the secret key, within the last 15 minutes. The body is not read: its digest is one of the signed
 * headers, and between two processes of one machine nobody changes a body on the way.
 */
export function isSignedRequest(
  request: SignableRequest,
  { accessKeyId, secretAccessKey }: SigningKey,
  now: number = Date.now(),
): boolean {
  const { headers } = request;
  const [, key, scope = '', names = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (key !== accessKeyId) return false;
  const signedHeaders = names.split(';');
  const mustBeSigned = [
    ...REQUIRED_HEADERS,
    ...Object.keys(headers).filter((name) => name.startsWith('x-amz-')),
  ];
  if (!mustBeSigned.every((name) => signedHeaders.includes(name))) return false;
  const date = headerText(headers['x-amz-date']);
  // Written so that a date that cannot be read is refused.
  if (!(Math.abs(now - parseDate(date)) <= MAX_SKEW_MS) || !scope.startsWith(date.slice(0, 8))) return false;
  return isSameSecret(signature, computeSignature(request, scope, signedHeaders, secretAccessKey));
}
