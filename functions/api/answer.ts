import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { bounded, PROBLEMS, type Problem } from '../../shared/api/problem.ts';
import { type FieldError, Refusal, type RefusalCode } from '../../shared/contract/refusal.ts';
import { MethodRefusal } from './unknown-route.ts';

/** What a route's handler answers; `version` becomes the ETag, together with `beat`, which changes what is shown and not the version. */
export interface Answer<Body = unknown> {
  readonly body: Body;
  readonly status?: number;
  readonly version?: number;
  /** Of a task that gives signs of life: until when its lease runs. */
  readonly beat?: number | undefined;
  /** The ETag of what has no version. */
  readonly tag?: string;
  readonly headers?: Record<string, string>;
}

export const etag = (version: number, beat?: number): string =>
  beat === undefined ? `"${version}"` : `"${version}.${beat}"`;

/** The ETag of an answer; undefined: it has none. */
export const tagOf = ({ version, beat, tag }: Answer): string | undefined =>
  version === undefined ? tag && `"${tag}"` : etag(version, beat);

export const json = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** An RFC 9457 problem document. */
export function problem(
  code: RefusalCode,
  detail: string,
  requestId: string,
  errors: readonly FieldError[] = [],
): APIGatewayProxyStructuredResultV2 {
  const { status, title } = PROBLEMS[code];
  const document: Problem = {
    type: `urn:assay:problem:${code}`,
    title,
    status,
    code,
    request_id: requestId,
    ...bounded(detail, errors),
  };
  const retry: Record<string, string> = code === 'busy' ? { 'retry-after': '1' } : {};
  const challenge: Record<string, string> =
    code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {};
  return {
    ...json(status, document, { ...retry, ...challenge }),
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...retry,
      ...challenge,
    },
  };
}

/** The problem for anything thrown. What we did not foresee is told by its request id only. */
export function problemOf(error: unknown, requestId: string): APIGatewayProxyStructuredResultV2 {
  if (!(error instanceof Refusal))
    return problem('internal', `quote request ${requestId} when you report this`, requestId);
  const made = problem(error.code, error.message, requestId, error.errors);
  if (!(error instanceof MethodRefusal)) return made;
  return { ...made, headers: { ...made.headers, allow: error.allow } };
}
