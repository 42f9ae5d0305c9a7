import type { S3Store } from './fauxqs.ts';

/** What S3 answers to a put whose `If-None-Match` or `If-Match` does not hold; null when it does. */
export function refusePut(
  store: S3Store,
  bucket: string,
  key: string,
  headers: Readonly<Record<string, unknown>>,
): { readonly status: number; readonly body: string } | null {
  const { 'if-none-match': none, 'if-match': match } = headers;
  if (none === undefined && match === undefined) return null;
  const etag = etagOf(store, bucket, key);
  if (none !== undefined && none !== '*') {
    return failure(501, 'NotImplemented', 'A put takes If-None-Match: * only.');
  }
  if (match !== undefined && etag === null) return failure(404, 'NoSuchKey', 'There is no such key.');
  const holds = none === undefined ? unquoted(match) === unquoted(etag) : etag === null;
  return holds ? null : failure(412, 'PreconditionFailed', 'A condition of the request did not hold.');
}

const unquoted = (etag: unknown): string => String(etag).replaceAll('"', '');

function etagOf(store: S3Store, bucket: string, key: string): string | null {
  try {
    return store.headObject(bucket, key).etag;
  } catch {
    return null;
  }
}

const failure = (status: number, code: string, message: string) => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});
