import { MAX_CACHE_ENTRY_BYTES } from '../../gates/core/cache-limits.ts';
import type { CacheEntryKey, PersistentCache } from '../../gates/core/persistent-cache.ts';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import { type HttpRetryOptions, requestWithRetries } from '../../shared/api/http-client.ts';

/** Remembering saves work; it must not cost much when the API or the bucket is not well. */
const PATIENCE: HttpRetryOptions = { timeoutMs: 10_000, maxTries: 2 };
/** How often a change is tried anew when another box was faster. */
const MAX_RACES = 5;

/** Signed URLs of an entry. */
interface PresignedEntry {
  readonly get: string;
  readonly put: string;
  /** When they are no longer used, on the clock of `performance`: half their time leaves enough for a request and its retries. */
  readonly until: number;
}

/** Memory in the bucket: the API signs the URLs, and knows whose repository it is. */
export function createS3Cache(client: Pick<ContainerApiClient, 'post'>): PersistentCache {
  const read = async (url: string): Promise<{ readonly value: unknown; readonly etag: string | null }> => {
    const { status, body, etag } = await requestWithRetries(url, { method: 'GET' }, PATIENCE);
    // S3 says 403 for what is not there to who may not list.
    if (status !== 200 || body.length > MAX_CACHE_ENTRY_BYTES) return { value: null, etag: null };
    return { value: parse(body), etag };
  };
  /** False: somebody else has written since. */
  const write = async (url: string, value: unknown, etag: string | null): Promise<boolean> => {
    const body = JSON.stringify(value);
    if (Buffer.byteLength(body) > MAX_CACHE_ENTRY_BYTES) return true;
    const condition: Record<string, string> = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
    const { status } = await requestWithRetries(
      url,
      { method: 'PUT', headers: { 'content-type': 'application/json', ...condition }, body },
      PATIENCE,
    );
    return status !== 409 && status !== 412;
  };
  const places = new Map<string, Promise<PresignedEntry>>();
  /** Asked for once: what is read at the start of a run is mostly written at its end. */
  const place = async ({ kind, hash }: CacheEntryKey): Promise<PresignedEntry> => {
    const name = `${kind} ${hash}`;
    const known = await places.get(name)?.catch(() => null);
    if (known && known.until > performance.now()) return known;
    const asked = performance.now();
    const asking = client
      .post('memory', { kind, hash }, PATIENCE)
      .then(({ get, put, expires_s }) => ({ get, put, until: asked + (expires_s * 1000) / 2 }));
    places.set(name, asking);
    return asking;
  };
  return {
    get: withFallback(async (key) => (await read((await place(key)).get)).value, null),
    put: withFallback(async (key, value) => {
      await write((await place(key)).put, value, null);
    }, undefined),
    update: withFallback(async (key, change) => {
      const { get, put } = await place(key);
      for (let race = 0; race < MAX_RACES; race++) {
        const { value, etag } = await read(get);
        const changed = change(value);
        if (changed === null || (await write(put, changed, etag))) return;
      }
    }, undefined),
  };
}

/** The same function, which says on standard error what went wrong, and goes on without. */
const withFallback =
  <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>, without: Value) =>
  async (...args: Args): Promise<Value> => {
    try {
      return await call(...args);
    } catch (error) {
      console.error(`memory: ${error instanceof Error ? error.message : String(error)}`);
      return without;
    }
  };

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
