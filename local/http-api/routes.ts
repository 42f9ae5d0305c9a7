import { createResourcePropertyReader, type PropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';

/** A Lambda authorizer of kind REQUEST with simple responses. */
export interface Authorizer {
  readonly id: string;
  readonly functionName: string;
  /** Selection expressions, e.g. `$request.header.Authorization`. The request must have all of them. */
  readonly identitySources: readonly string[];
  /** Seconds for which its answer is cached for the same identity; 0: not at all. */
  readonly ttlSeconds: number;
}

/** A route of the template. */
export interface ApiRoute {
  /** `GET /tasks/{id}`, or `$default`. */
  readonly routeKey: string;
  readonly method: string;
  readonly segments: readonly string[];
  readonly functionName: string;
  readonly timeoutMs: number;
  readonly authorizer: Authorizer | null;
}

export interface RouteMatch {
  readonly route: ApiRoute;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** API Gateway waits no longer than this, in milliseconds. */
const MAX_INTEGRATION_MS = 30_000;

/** Reads the routes of the template. @throws Error that names the unsupported property. */
export function readApiRoutes(resources: readonly ResolvedResource[]): readonly ApiRoute[] {
  const byId = new Map(resources.map((resource) => [resource.logicalId, resource]));
  const find = (id: string, where: string): PropertyReader => {
    const resource = byId.get(id);
    if (resource === undefined) throw new Error(`${where} refers to ${id}, which is not in the template`);
    return createResourcePropertyReader(resource);
  };
  return resources
    .filter(({ type }) => type === 'AWS::ApiGatewayV2::Route')
    .map((resource) => {
      const route = createResourcePropertyReader(resource);
      route.only('ApiId', 'AuthorizationType', 'AuthorizerId', 'RouteKey', 'Target', 'OperationName');
      const [kind, integrationId = ''] = route.text('Target').split('/');
      if (kind !== 'integrations') throw new Error(`${route.where}: the target ${kind} is not known`);
      const routeKey = route.text('RouteKey');
      const [method = '', path = ''] = routeKey === '$default' ? ['ANY', '/{proxy+}'] : routeKey.split(' ');
      return {
        routeKey,
        method,
        segments: path.split('/').slice(1),
        ...readIntegration(find(integrationId, route.where)),
        authorizer: readAuthorization(route, find),
      };
    });
}

function readIntegration(integration: PropertyReader): Pick<ApiRoute, 'functionName' | 'timeoutMs'> {
  if (
    integration.text('IntegrationType') !== 'AWS_PROXY' ||
    integration.text('PayloadFormatVersion') !== '2.0'
  ) {
    throw new Error(`${integration.where}: only AWS_PROXY with payload 2.0 is known`);
  }
  const timeoutMs = Math.min(integration.number('TimeoutInMillis', MAX_INTEGRATION_MS), MAX_INTEGRATION_MS);
  return { functionName: lambdaIn(integration.text('IntegrationUri')), timeoutMs };
}

function readAuthorization(
  route: PropertyReader,
  find: (id: string, where: string) => PropertyReader,
): Authorizer | null {
  const type = route.text('AuthorizationType', 'NONE');
  if (type === 'NONE') return null;
  if (type !== 'CUSTOM') throw new Error(`${route.where}: authorization by ${type} is not known`);
  const id = route.text('AuthorizerId');
  const authorizer = find(id, route.where);
  const known =
    authorizer.text('AuthorizerType') === 'REQUEST' &&
    authorizer.text('AuthorizerPayloadFormatVersion', '') === '2.0' &&
    authorizer.flag('EnableSimpleResponses', false);
  if (!known)
    throw new Error(`${authorizer.where}: only REQUEST with payload 2.0 and simple responses is known`);
  const identitySources = authorizer.list('IdentitySource').map(String);
  for (const source of identitySources) parseIdentitySource(source);
  return {
    id,
    functionName: lambdaIn(authorizer.text('AuthorizerUri')),
    identitySources,
    // API Gateway's own default.
    ttlSeconds: authorizer.number('AuthorizerResultTtlInSeconds', 300),
  };
}

/** Parses a selection expression. @throws Error if it is not supported. */
export function parseIdentitySource(expression: string): {
  readonly kind: 'header' | 'querystring';
  readonly name: string;
} {
  const [, kind, name] = /^\$request\.(header|querystring)\.(.+)$/.exec(expression) ?? [];
  if ((kind !== 'header' && kind !== 'querystring') || name === undefined) {
    throw new Error(`the identity source ${expression} is not known`);
  }
  return { kind, name };
}

/** The function's ARN in an integration's or authorizer's URI, which may be the ARN itself. */
const lambdaIn = (uri: string): string => /arn:aws:lambda:[^/]+/.exec(uri)?.[0] ?? uri;

/** Decodes a path segment. Returns null if it cannot be decoded: then it matches no parameter. */
function decodedSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

const isParameter = (segment: string): boolean => segment.startsWith('{');
const isGreedy = (segment: string | undefined): boolean => segment?.endsWith('+}') ?? false;

function match(route: ApiRoute, method: string, path: readonly string[]): RouteMatch | null {
  if (route.method !== 'ANY' && route.method !== method) return null;
  const { segments } = route;
  const greedy = isGreedy(segments.at(-1));
  if (greedy ? path.length < segments.length : path.length !== segments.length) return null;
  const pathParameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = isGreedy(segment) ? path.slice(index).join('/') : (path[index] ?? '');
    if (!isParameter(segment)) {
      if (segment !== value) return null;
      continue;
    }
    if (value === '' && route.routeKey !== '$default') return null;
    const name = segment.replaceAll(/[{}+]/g, '');
    if (route.routeKey === '$default') continue;
    const decoded = decodedSegment(value);
    if (decoded === null) return null;
    pathParameters[name] = decoded;
  }
  return { route, pathParameters };
}

/**
 * Orders routes as API Gateway prefers them: fixed segments, then parameters, then greedy ones, `$default`
 * last.
 */
function bySpecificity(one: ApiRoute, other: ApiRoute): number {
  const rank = ({ routeKey, segments, method }: ApiRoute): string => {
    const parts = segments.map((segment) => {
      if (isGreedy(segment)) return '2';
      return isParameter(segment) ? '1' : '0';
    });
    return `${routeKey === '$default' ? 1 : 0}${parts.join('')}${method === 'ANY' ? 1 : 0}`;
  };
  return rank(one) < rank(other) ? -1 : 1;
}

/** Finds the route of a request; null when there is none. `path` is as it was sent, without the query. */
export function createRouter(
  routes: readonly ApiRoute[],
): (method: string, path: string) => RouteMatch | null {
  const ordered = routes.toSorted(bySpecificity);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const route of ordered) {
      const found = match(route, method, segments);
      if (found !== null) return found;
    }
    return null;
  };
}
