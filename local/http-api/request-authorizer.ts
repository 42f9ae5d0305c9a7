import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import type { LambdaHost } from '../shared-types.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from '../template/identity.ts';
import { createAuthorizerEvent, type GatewayRequest } from './proxy-event.ts';
import { type Authorizer, parseIdentitySource, type RouteMatch } from './routes.ts';

/** Result of a route's authorizer: the context for the function, or the status of the refusal. */
export type RouteAuthorizationResult =
  | { readonly allowed: true; readonly context: UnknownRecord | null }
  | { readonly allowed: false; readonly status: 401 | 403 | 500 };

export type RequestAuthorizer = (
  request: GatewayRequest,
  match: RouteMatch,
) => Promise<RouteAuthorizationResult>;

interface Cached {
  readonly authorization: RouteAuthorizationResult;
  readonly until: number;
}

/** Cached answers above which expired ones are removed. */
const MANY = 10_000;

export function createRequestAuthorizer(
  lambda: LambdaHost,
  apiId: string,
  now = Date.now,
): RequestAuthorizer {
  const cache = new Map<string, Cached>();
  const arn = `arn:aws:execute-api:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:${apiId}`;

  async function ask(
    authorizer: Authorizer,
    request: GatewayRequest,
    match: RouteMatch,
    identity: readonly string[],
  ): Promise<RouteAuthorizationResult> {
    const event = createAuthorizerEvent(request, match, apiId, arn, identity);
    const { payload, error } = await lambda.invoke(authorizer.functionName, event);
    if (error !== undefined || !isRecord(payload) || typeof payload['isAuthorized'] !== 'boolean') {
      return { allowed: false, status: 500 };
    }
    if (!payload['isAuthorized']) return { allowed: false, status: 403 };
    const context = payload['context'];
    return { allowed: true, context: isRecord(context) ? context : {} };
  }

  return async (request, match) => {
    const { authorizer } = match.route;
    if (authorizer === null) return { allowed: true, context: null };
    const identity = authorizer.identitySources.map((source) => select(source, request));
    // API Gateway does not call the authorizer for a request without the identity.
    if (!identity.every((value) => value !== '')) return { allowed: false, status: 401 };
    if (authorizer.ttlSeconds === 0 || identity.length === 0)
      return ask(authorizer, request, match, identity);
    const key = JSON.stringify([authorizer.id, identity]);
    const known = cache.get(key);
    if (known !== undefined && known.until > now()) return known.authorization;
    const authorization = await ask(authorizer, request, match, identity);
    const isAnswer = authorization.allowed || authorization.status === 403;
    if (cache.size >= MANY) for (const [each, { until }] of cache) if (until <= now()) cache.delete(each);
    if (isAnswer) cache.set(key, { authorization, until: now() + authorizer.ttlSeconds * 1000 });
    return authorization;
  };
}

function select(source: string, request: GatewayRequest): string {
  const { kind, name } = parseIdentitySource(source);
  if (kind === 'header') return request.headers[name.toLowerCase()] ?? '';
  return new URLSearchParams(request.rawQuery).get(name) ?? '';
}
