import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import {
  getHeaderText,
  parseQueryString,
  type S3Request,
  type UnverifiedSignature,
} from './signature-claim.ts';

/** The accepted credentials, and their region. */
export interface SigningCredentials {
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
}

export const CONTENT_HASH_HEADER = 'x-amz-content-sha256';

/**
 * Encodes the path as S3 signs it, however the client has encoded it. Returns null if it cannot be decoded.
 */
export function canonicalPath(url: string): string | null {
  try {
    const [path = ''] = url.split('?');
    return path
      .split('/')
      .map((part) => encodeURIComponent(decodeURIComponent(part)).replaceAll(/[!'()*]/g, percent))
      .join('/')
      .replaceAll('%2F', '/');
  } catch {
    return null;
  }
}
const percent = (mark: string): string => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;

/** Computes the signature that a request with this claim must have. */
export async function computeSignature(
  request: S3Request,
  { signedHeaders, signedAt, expiresIn }: UnverifiedSignature,
  path: string,
  { credentials, region }: SigningCredentials,
): Promise<string | undefined> {
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signed = signedHeaders.flatMap((name) => {
    const value = getHeaderText(request, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const { query, contentHash } = readQuery(request);
  const http = { method: request.method, protocol: 'http:', hostname: '', path, query };
  const signableHeaders = new Set(signedHeaders);
  if (expiresIn === null) {
    const { headers } = await signer.sign(
      { ...http, headers: Object.fromEntries(signed) },
      { signingDate: signedAt, signableHeaders },
    );
    return headers['authorization']?.slice(-64);
  }
  const headers = { [CONTENT_HASH_HEADER]: contentHash, ...Object.fromEntries(signed) };
  const presigned = await signer.presign(
    { ...http, headers },
    {
      signingDate: signedAt,
      expiresIn,
      signableHeaders,
      unhoistableHeaders: new Set([CONTENT_HASH_HEADER, ...signedHeaders]),
      // The content hash is always signed; as a header it is signed only if the claim names it.
      unsignableHeaders: new Set(signableHeaders.has(CONTENT_HASH_HEADER) ? [] : [CONTENT_HASH_HEADER]),
    },
  );
  return String(presigned.query?.['X-Amz-Signature']);
}

function readQuery(request: S3Request): { query: Record<string, string[]>; contentHash: string } {
  const query: Record<string, string[]> = {};
  let contentHash = 'UNSIGNED-PAYLOAD';
  for (const [name, value] of parseQueryString(request)) {
    if (name === 'X-Amz-Signature') continue;
    if (name.toLowerCase() === CONTENT_HASH_HEADER) contentHash = value;
    query[name] = [...(query[name] ?? []), value];
  }
  return { query, contentHash };
}

/** SHA-256, or HMAC-SHA-256 if there is a key, in the interface of the signer. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error('a digest is used once');
  }
}

const bytes = (source: string | ArrayBuffer | ArrayBufferView): Uint8Array => {
  if (typeof source === 'string') return Buffer.from(source);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
};
