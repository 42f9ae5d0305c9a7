import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { API_REFUSALS, type ProblemDetails, truncateProblemDetail } from '../../shared/api/problem.ts';
import { type FieldError, Refusal, type RefusalCode } from '../../shared/contract/refusal.ts';
import { MethodNotAllowedRefusal } from './unmatched-route.ts';

/** What a route's handler answers; `version` becomes the ETag, together with `beat`, which changes what is shown and not the version. */
export interface ApiRouteResponse<Body = unknown> {
  readonly body: Body;
  readonly status?: number;
  readonly version?: number;
  /** Of a task that gives signs of life: until when its lease runs. */
  readonly leaseUntil?: number | undefined;
  /** The ETag of what has no version. */
  readonly etag?: string;
  readonly headers?: Record<string, string>;
}

export const formatTaskEtag = (version: number, beat?: number): string =>
  beat === undefined ? `"${version}"` : `"${version}.${beat}"`;

/** The ETag of an answer; undefined: it has none. */
export const computeResponseEtag = ({
  version,
  leaseUntil,
  etag: tag,
}: ApiRouteResponse): string | undefined =>
  version === undefined ? tag && `"${tag}"` : formatTaskEtag(version, leaseUntil);

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** An RFC 9457 problem document. */
export function problemResponse(
  code: RefusalCode,
  detail: string,
  requestId: string,
  errors: readonly FieldError[] = [],
): APIGatewayProxyStructuredResultV2 {
  const { status, title } = API_REFUSALS[code];
  const document: ProblemDetails = {
    type: `urn:assay:problem:${code}`,
    title,
    status,
    code,
    request_id: requestId,
    ...truncateProblemDetail(detail, errors),
  };
  const retry: Record<string, string> =
    code === 'busy' || code === 'base_unresolved' ? { 'retry-after': '1' } : {};
  const challenge: Record<string, string> =
    code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  return {
    ...jsonResponse(status, document, { ...retry, ...challenge }),
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...retry,
      ...challenge,
    },
  };
}

/** The problem for anything thrown. What we did not foresee is told by its request id only. */
export function createProblemFromError(error: unknown, requestId: string): APIGatewayProxyStructuredResultV2 {
  if (!(error instanceof Refusal))
    return problemResponse('internal', `quote request ${requestId} when you report this`, requestId);
  const made = problemResponse(error.code, error.message, requestId, error.errors);
  if (!(error instanceof MethodNotAllowedRefusal)) return made;
  return { ...made, headers: { ...made.headers, allow: error.allow } };
}
