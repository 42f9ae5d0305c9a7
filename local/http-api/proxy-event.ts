import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { UnknownRecord } from '../resource-properties.ts';
import { LOCAL_ACCOUNT_ID } from '../template/identity.ts';
import type { RouteMatch } from './routes.ts';

/** A request as API Gateway sees it, before it becomes an event. */
export interface GatewayRequest {
  readonly id: string;
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly rawQuery: string;
  /** Names in lower case, repeated headers joined by commas. */
  readonly headers: Readonly<Partial<Record<string, string>>>;
  readonly cookies: readonly string[];
  readonly sourceIp: string;
  readonly protocol: string;
  readonly at: Date;
}

export function readGatewayRequest(request: IncomingMessage, at: Date): GatewayRequest {
  const [path = '/', rawQuery = ''] = splitOnce(request.url ?? '/', '?');
  const { cookie, ...others } = request.headersDistinct;
  return {
    // API Gateway's request ids are 16 characters long.
    id: randomBytes(12).toString('base64url'),
    method: request.method ?? 'GET',
    path,
    rawQuery,
    headers: Object.fromEntries(
      Object.entries(others).map(([name, values]) => [name, values?.join(',') ?? '']),
    ),
    cookies: (cookie ?? []).flatMap((header) => header.split(';')).map((part) => part.trim()),
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    protocol: `HTTP/${request.httpVersion}`,
    at,
  };
}

const splitOnce = (text: string, separator: string): readonly string[] => {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
};

/** Content types whose bodies are passed as text; all others are passed as base64. */
const TEXT = /^(text\/|application\/(json|javascript|xml|[\w.+-]+\+(json|xml))(;|$))/i;

function queryParameters(rawQuery: string): Readonly<Record<string, string>> | undefined {
  if (rawQuery === '') return undefined;
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  return Object.fromEntries([...parameters].map(([name, values]) => [name, values.join(',')]));
}

/** `21/Nov/2026:23:05:09 +0000`, as in access logs. */
function clfTime(at: Date): string {
  const [, day, month, year, time] = at.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** The common part of events for functions and for authorizers. */
function common(
  request: GatewayRequest,
  { route, pathParameters }: RouteMatch,
  apiId: string,
): UnknownRecord {
  const query = queryParameters(request.rawQuery);
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: request.path,
    rawQueryString: request.rawQuery,
    ...(request.cookies.length === 0 ? {} : { cookies: request.cookies }),
    headers: request.headers,
    ...(query === undefined ? {} : { queryStringParameters: query }),
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    requestContext: {
      accountId: LOCAL_ACCOUNT_ID,
      apiId,
      domainName: request.headers['host'] ?? '',
      domainPrefix: apiId,
      http: {
        method: request.method,
        path: request.path,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: request.id,
      routeKey: route.routeKey,
      stage: '$default',
      time: clfTime(request.at),
      timeEpoch: request.at.getTime(),
    },
  };
}

/**
 * Creates the event of payload format 2.0 for a function. `authorizer` is the context of the authorizer's
 * answer.
 */
export function createProxyFunctionEvent(
  request: GatewayRequest,
  match: RouteMatch,
  apiId: string,
  body: Buffer,
  authorizer: UnknownRecord | null,
): UnknownRecord {
  const event = common(request, match, apiId);
  const isText = TEXT.test(request.headers['content-type'] ?? 'text/plain');
  return {
    ...event,
    requestContext: {
      ...(event['requestContext'] as UnknownRecord),
      ...(authorizer === null ? {} : { authorizer: { lambda: authorizer } }),
    },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Creates the event of payload format 2.0 for an authorizer. */
export const createAuthorizerEvent = (
  request: GatewayRequest,
  match: RouteMatch,
  apiId: string,
  arn: string,
  identity: readonly string[],
): UnknownRecord => ({
  ...common(request, match, apiId),
  type: 'REQUEST',
  routeArn: `${arn}/$default/${request.method}${request.path}`,
  identitySource: identity,
});
