import { createS3Error, type S3Error } from './s3-error.ts';

/** A request as it came in, before anything was rewritten or decoded. */
export interface S3Request {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The signature parameters of a request, not verified. */
export interface UnverifiedSignature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  /** Lower case, in the order given. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly signedAt: Date;
  /** Seconds for which a presigned URL is good; null for a request that is signed in its header. */
  readonly expiresIn: number | null;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** A week, the longest that S3 lets a presigned URL be good for. */
const LONGEST_SECONDS = 604_800;
const AUTHORIZATION = new RegExp(
  `^${ALGORITHM} +Credential=([^, ]+) *, *SignedHeaders=([^, ]+) *, *Signature=([0-9a-f]{64})$`,
);

export const getHeaderText = ({ headers }: S3Request, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'object' ? value.join(',') : value;
};
export const parseQueryString = ({ url }: S3Request): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

export const isS3Error = (value: UnverifiedSignature | S3Error): value is S3Error => 'code' in value;

/**
 * Reads the signature of a request, from its header or its query. A request with neither is an anonymous one,
 * which no bucket here lets in.
 */
export function readUnverifiedSignature(request: S3Request): UnverifiedSignature | S3Error {
  const header = getHeaderText(request, 'authorization');
  const query = parseQueryString(request);
  const presigned = query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
  if (header !== undefined && presigned) {
    return createS3Error(400, 'InvalidArgument', 'Only one auth mechanism allowed: a header or the query.');
  }
  if (header !== undefined) return ofHeader(header, getHeaderText(request, 'x-amz-date'));
  return presigned ? ofQuery(query) : createS3Error(403, 'AccessDenied', 'Access Denied');
}

function ofHeader(header: string, date: string | undefined): UnverifiedSignature | S3Error {
  const [, credential = '', signedHeaders = '', signature = ''] = AUTHORIZATION.exec(header) ?? [];
  const scope = readScope(credential);
  if (scope === null) {
    return createS3Error(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.');
  }
  const signedAt = readDate(date);
  if (signedAt === null) {
    return createS3Error(
      403,
      'AccessDenied',
      'AWS authentication requires a valid Date or x-amz-date header',
    );
  }
  if (!isOfDay(credential, signedAt)) {
    return createS3Error(
      400,
      'AuthorizationHeaderMalformed',
      'The credential is of another day than the request.',
    );
  }
  return { ...scope, signedHeaders: signedHeaders.split(';'), signature, signedAt, expiresIn: null };
}

function ofQuery(query: URLSearchParams): UnverifiedSignature | S3Error {
  const malformed = (message: string) => createS3Error(400, 'AuthorizationQueryParametersError', message);
  const names = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'];
  const [algorithm, credential, date, expires, signedHeaders, signature] = names.map(
    (name) => query.get(`X-Amz-${name}`) ?? '',
  );
  if ([credential, date, expires, signedHeaders, signature].includes('')) {
    return malformed(
      `Query-string authentication version 4 requires the ${names.map((name) => `X-Amz-${name}`).join(', ')} parameters.`,
    );
  }
  if (algorithm !== ALGORITHM) return malformed(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  const scope = readScope(credential ?? '');
  if (scope === null) return malformed('Error parsing the X-Amz-Credential parameter.');
  const signedAt = readDate(date);
  if (signedAt === null) {
    return malformed(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  }
  if (!isOfDay(credential ?? '', signedAt)) {
    return malformed('X-Amz-Credential is of another day than X-Amz-Date.');
  }
  const expiresIn = /^\d{1,9}$/.test(expires ?? '') ? Number(expires) : Number.NaN;
  if (!(expiresIn <= LONGEST_SECONDS)) {
    return malformed('X-Amz-Expires must be a number of seconds, and less than a week (604800).');
  }
  return {
    ...scope,
    signedHeaders: (signedHeaders ?? '').split(';'),
    signature: signature ?? '',
    signedAt,
    expiresIn,
  };
}

function readScope(
  credential: string,
): Pick<UnverifiedSignature, 'accessKeyId' | 'region' | 'service'> | null {
  const match = /^(.+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential);
  if (match === null) return null;
  const [, accessKeyId = '', region = '', service = ''] = match;
  return { accessKeyId, region, service };
}

/** The key that signs is made for one day. */
const isOfDay = (credential: string, signedAt: Date): boolean =>
  credential.split('/').at(-4) === signedAt.toISOString().slice(0, 10).replaceAll('-', '');

/** `20260131T235959Z` */
function readDate(text: string | undefined): Date | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (match === null) return null;
  const [, year, month, day, hour, minute, second] = match;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}
