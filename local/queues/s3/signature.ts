import { type Claim, isFailure, readClaim, type S3Request } from './claim.ts';
import { failure, type S3Failure } from './failure.ts';
import { CONTENT_HASH, canonicalPath, type Signer, sign } from './sign.ts';

export interface SignatureOptions extends Signer {
  readonly now?: () => number;
}

/** How far a clock may be off, in milliseconds. */
const SKEW_MS = 900_000;

/** What S3 answers to a request whose signature does not hold; null when it does. The body is not looked at. */
export async function refuseSignature(
  request: S3Request,
  options: SignatureOptions,
): Promise<S3Failure | null> {
  const claim = readClaim(request);
  if (isFailure(claim)) return claim;
  const refused =
    refuseScope(claim, options) ??
    refuseTime(claim, options.now?.() ?? Date.now()) ??
    refuseUnsigned(request, claim);
  if (refused !== null) return refused;
  const path = canonicalPath(request.url);
  if (path === null) return failure(400, 'InvalidURI', "Couldn't parse the specified URI.");
  const expected = await sign(request, claim, path, options);
  if (expected === claim.signature) return null;
  return failure(
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    { AWSAccessKeyId: claim.accessKeyId, SignatureProvided: claim.signature },
  );
}

function refuseScope(claim: Claim, { credentials, region }: SignatureOptions): S3Failure | null {
  if (claim.accessKeyId !== credentials.accessKeyId) {
    return failure(
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
    ? failure(400, 'AuthorizationHeaderMalformed', `The authorization header is malformed; ${wrong}`, {
        Region: region,
      })
    : failure(
        400,
        'AuthorizationQueryParametersError',
        `Error parsing the X-Amz-Credential parameter; ${wrong}`,
      );
}

function refuseTime({ signedAt, expiresIn }: Claim, now: number): S3Failure | null {
  const ServerTime = new Date(now).toISOString();
  const age = now - signedAt.getTime();
  if (expiresIn === null) {
    if (Math.abs(age) <= SKEW_MS) return null;
    return failure(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      { RequestTime: signedAt.toISOString(), ServerTime, MaxAllowedSkewMilliseconds: SKEW_MS },
    );
  }
  const Expires = new Date(signedAt.getTime() + expiresIn * 1000).toISOString();
  if (age < -SKEW_MS)
    return failure(403, 'AccessDenied', 'Request is not valid yet', { Expires, ServerTime });
  if (age <= expiresIn * 1000) return null;
  return failure(403, 'AccessDenied', 'Request has expired', {
    'X-Amz-Expires': expiresIn,
    Expires,
    ServerTime,
  });
}

/** What tells S3 what to do must be signed: whoever holds a URL cannot add to what it permits. */
function refuseUnsigned({ headers }: S3Request, { signedHeaders, expiresIn }: Claim): S3Failure | null {
  const must = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const unsigned = ['host', ...must].filter((name) => !signedHeaders.includes(name));
  if (unsigned.length > 0) {
    const message = 'There were headers present in the request which were not signed';
    return failure(403, 'AccessDenied', message, { HeadersNotSigned: unsigned.join(', ') });
  }
  if (expiresIn === null && headers[CONTENT_HASH] === undefined) {
    return failure(400, 'InvalidRequest', `Missing required header for this request: ${CONTENT_HASH}`);
  }
  return null;
}
