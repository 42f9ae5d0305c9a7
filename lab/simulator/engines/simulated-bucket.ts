import { createHash } from 'node:crypto';
import { ServiceCallError, type SimulatedWorld } from '../world/simulated-world.ts';

interface Stored {
  readonly body: string;
  readonly etag: string;
}
export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

const OPERATIONS = { GET: 'GetObject', PUT: 'PutObject', DELETE: 'DeleteObject' } as const;

const named = (name: string, status: number): ServiceCallError =>
  Object.assign(new ServiceCallError(name, name), { $metadata: { httpStatusCode: status } });

/** The bucket in memory: objects by key, conditional writes, and presigned URLs with their time and what was signed. */
export class SimulatedBucket {
  readonly #objects = new Map<string, Stored>();
  readonly #world: SimulatedWorld;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  keys(prefix: string): string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
  }
  body(key: string): string | undefined {
    return this.#objects.get(key)?.body;
  }

  #put(key: string, body: string, only: { ifNoneMatch?: string; ifMatch?: string }): Stored {
    const present = this.#objects.get(key);
    if (only.ifNoneMatch === '*' && present) throw named('PreconditionFailed', 412);
    if (only.ifMatch !== undefined && present?.etag !== only.ifMatch) throw named('PreconditionFailed', 412);
    const made = { body, etag: `"${createHash('md5').update(body).digest('hex')}"` };
    this.#objects.set(key, made);
    return made;
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const key = String(input['Key']);
    const found = this.#objects.get(key);
    switch (operation) {
      case 'PutObjectCommand':
        return {
          ETag: this.#put(key, String(input['Body']), {
            ...(input['IfNoneMatch'] === undefined ? {} : { ifNoneMatch: String(input['IfNoneMatch']) }),
            ...(input['IfMatch'] === undefined ? {} : { ifMatch: String(input['IfMatch']) }),
          }).etag,
        };
      case 'GetObjectCommand':
        if (!found) throw named('NoSuchKey', 404);
        return {
          ETag: found.etag,
          ContentLength: Buffer.byteLength(found.body),
          Body: { transformToString: async () => found.body },
        };
      case 'HeadObjectCommand':
        if (!found) throw named('NotFound', 404);
        return { ETag: found.etag, ContentLength: Buffer.byteLength(found.body) };
      case 'DeleteObjectCommand':
        this.#objects.delete(key);
        return {};
      default:
        throw new Error(`the simulated bucket has no ${operation}`);
    }
  }

  /** A request with a presigned URL, as a box makes it. */
  requestPresigned(
    method: 'GET' | 'PUT' | 'DELETE',
    address: string,
    body = '',
    headers: Readonly<Record<string, string>> = {},
  ): HttpResponse {
    const url = new URL(address);
    const query = url.searchParams;
    const signed = query.get('X-Amz-Date') ?? '';
    const at = Date.parse(signed.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    if (this.#world.clock.now > at + Number(query.get('X-Amz-Expires')) * 1_000)
      return { status: 403, body: 'AccessDenied: Request has expired' };
    if (query.get('x-id') !== OPERATIONS[method]) return { status: 403, body: 'SignatureDoesNotMatch' };
    const key = decodeURIComponent(url.pathname.replace(/^\//, ''));
    if (method === 'DELETE') {
      this.#objects.delete(key);
      return { status: 204, body: '' };
    }
    if (method === 'GET') {
      const found = this.#objects.get(key);
      return found ? { status: 200, body: found.body } : { status: 404, body: 'NoSuchKey' };
    }
    const needed = (query.get('X-Amz-SignedHeaders') ?? 'host').split(';').filter((name) => name !== 'host');
    const given: Record<string, string> = { 'content-length': String(Buffer.byteLength(body)), ...headers };
    for (const name of needed) {
      const expected = query.get(`sim-${name}`);
      if (expected !== null && given[name] !== expected)
        return { status: 403, body: `SignatureDoesNotMatch: ${name}` };
    }
    const digest = query.get('x-amz-checksum-sha256') ?? given['x-amz-checksum-sha256'];
    if (digest !== undefined && digest !== createHash('sha256').update(body).digest('base64'))
      return { status: 400, body: 'BadDigest' };
    try {
      this.#put(
        key,
        body,
        given['if-none-match'] === undefined ? {} : { ifNoneMatch: given['if-none-match'] },
      );
      return { status: 200, body: '' };
    } catch {
      return { status: 412, body: 'PreconditionFailed' };
    }
  }
}
