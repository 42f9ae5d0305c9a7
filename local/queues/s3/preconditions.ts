import type { S3Store } from '../fauxqs.ts';
import { createS3Error, type S3Error } from './s3-error.ts';

/** Returns S3's error for a write whose `If-None-Match` or `If-Match` is not satisfied, or null. */
export function checkPreconditions(
  store: Pick<S3Store, 'headObject'>,
  bucket: string,
  key: string,
  headers: Readonly<Record<string, unknown>>,
): S3Error | null {
  const { 'if-none-match': none, 'if-match': match } = headers;
  if (none === undefined && match === undefined) return null;
  const etag = etagOf(store, bucket, key);
  if (none !== undefined && (none !== '*' || match !== undefined)) {
    return createS3Error(
      501,
      'NotImplemented',
      'A header you provided implies functionality that is not implemented',
      { Header: 'If-None-Match', additionalMessage: 'A write takes If-None-Match: * alone.' },
    );
  }
  if (match !== undefined && etag === null) {
    return createS3Error(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key });
  }
  const holds = none === undefined ? match === '*' || unquoted(match) === unquoted(etag) : etag === null;
  if (holds) return null;
  return createS3Error(
    412,
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    {
      Condition: none === undefined ? 'If-Match' : 'If-None-Match',
    },
  );
}

const unquoted = (etag: unknown): string => String(etag).replaceAll('"', '');

function etagOf(store: Pick<S3Store, 'headObject'>, bucket: string, key: string): string | null {
  try {
    return store.headObject(bucket, key).etag;
  } catch {
    return null;
  }
}
