import {
  CONTENT_HASH_HEADER,
  canonicalPath,
  computeSignature,
  type SigningCredentials,
} from './compute-signature.ts';
import { createS3Error, type S3Error } from './s3-error.ts';
import {
  isS3Error,
  readUnverifiedSignature,
  type S3Request,
  type UnverifiedSignature,
} from './signature-claim.ts';

export interface SignatureOptions extends SigningCredentials {
  readonly now?: () => number;
}

/** Largest clock skew in milliseconds. */
const SKEW_MS = 900_000;

/** Verifies the signature of a request, without its body. Returns S3's error, or null. */
export async function checkSignature(request: S3Request, options: SignatureOptions): Promise<S3Error | null> {
  const claim = readUnverifiedSignature(request);
  if (isS3Error(claim)) return claim;
  const refused =
    refuseScope(claim, options) ??
    refuseTime(claim, options.now?.() ?? Date.now()) ??
    refuseUnsigned(request, claim);
  if (refused !== null) return refused;
  const path = canonicalPath(request.url);
  if (path === null) return createS3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
  const expected = await computeSignature(request, claim, path, options);
  if (expected === claim.signature) return null;
  return createS3Error(
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    { AWSAccessKeyId: claim.accessKeyId, SignatureProvided: claim.signature },
  );
}

function refuseScope(claim: UnverifiedSignature, { credentials, region }: SignatureOptions): S3Error | null {
  if (claim.accessKeyId !== credentials.accessKeyId) {
    return createS3Error(
      403,
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
      { AWSAccessKeyId: claim.accessKeyId },
    );
  }
  const wrong =
    claim.region !== region
      ? `the region '${claim.region}' is wrong; expecting '${region}'`
      : claim.service !== 's3'
        ? `incorrect service "${claim.service}". This endpoint belongs to "s3".`
        : null;
  if (wrong === null) return null;
  return claim.expiresIn === null
    ? createS3Error(400, 'AuthorizationHeaderMalformed', `The authorization header is malformed; ${wrong}`, {
        Region: region,
      })
    : createS3Error(
        400,
        'AuthorizationQueryParametersError',
        `Error parsing the X-Amz-Credential parameter; ${wrong}`,
      );
}

function refuseTime({ signedAt, expiresIn }: UnverifiedSignature, now: number): S3Error | null {
  const ServerTime = new Date(now).toISOString();
  const age = now - signedAt.getTime();
  if (expiresIn === null) {
    if (Math.abs(age) <= SKEW_MS) return null;
    return createS3Error(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      { RequestTime: signedAt.toISOString(), ServerTime, MaxAllowedSkewMilliseconds: SKEW_MS },
    );
  }
  const Expires = new Date(signedAt.getTime() + expiresIn * 1000).toISOString();
  if (age < -SKEW_MS)
    return createS3Error(403, 'AccessDenied', 'Request is not valid yet', { Expires, ServerTime });
  if (age <= expiresIn * 1000) return null;
  return createS3Error(403, 'AccessDenied', 'Request has expired', {
    'X-Amz-Expires': expiresIn,
    Expires,
    ServerTime,
  });
}

/**
 * Headers that change what S3 does must be signed, so that the holder of a URL cannot extend what it permits.
 */
function refuseUnsigned(
  { headers }: S3Request,
  { signedHeaders, expiresIn }: UnverifiedSignature,
): S3Error | null {
  const must = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const unsigned = ['host', ...must].filter((name) => !signedHeaders.includes(name));
  if (unsigned.length > 0) {
    const message = 'There were headers present in the request which were not signed';
    return createS3Error(403, 'AccessDenied', message, { HeadersNotSigned: unsigned.join(', ') });
  }
  if (expiresIn === null && headers[CONTENT_HASH_HEADER] === undefined) {
    return createS3Error(
      400,
      'InvalidRequest',
      `Missing required header for this request: ${CONTENT_HASH_HEADER}`,
    );
  }
  return null;
}
