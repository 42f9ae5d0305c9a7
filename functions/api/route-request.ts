import type { APIGatewayProxyEventV2WithLambdaAuthorizer } from 'aws-lambda';
import * as z from 'zod';
import { checkJsonLimits } from '../../shared/api/json-shape.ts';
import { createInvalidFieldsRefusal, parseOrRefuse } from '../../shared/api/problem.ts';
import {
  type ApiCaller,
  PATH_PARAMETERS,
  type PathParameters,
  type RouteDefinition,
  takesIdempotencyKey,
} from '../../shared/api/routes.ts';
import { rolesWithRight } from '../../shared/contract/access/rights.ts';
import { parseBearerToken } from '../../shared/contract/access/tokens.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { findMostSpecificScope } from '../../shared/contract/repository/repository-url.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { type LaunchTokenAccess, requireLaunchTokenAccess } from '../../shared/contract/task/token-access.ts';
import type { CallerIdentity } from './caller-identity.ts';

export type ApiGatewayEvent = APIGatewayProxyEventV2WithLambdaAuthorizer<Partial<CallerIdentity>>;

/** Who asks, and what stands in the headers, whatever the route. */
export interface ApiRequestContext {
  readonly caller: ApiCaller;
  /** Name of the operator, or `<kind> of <task>/<attempt>`. */
  readonly principal: string;
  /** Attempt of a box's token; 0 for operators. */
  readonly attempt: number;
  /** Refuses a task to a token that has ended, or that is for other repositories. */
  readonly guardTask: (task: Task) => void;
  /** Is the token good for every repository? */
  readonly isUnrestricted: boolean;
  /** Is the token good for this repository? */
  readonly canAccess: (repository: string) => boolean;
  readonly ifMatch: number | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly idempotencyKey: string | null;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body's very bytes, where the route's caller is known by a signature over them; else empty. */
  readonly rawBody: Buffer;
  /** The bearer token; what is made from it is never stored or logged. Null without one. */
  readonly bearerToken: string | null;
}

/** A request after everything about it was checked against its route, whose schemas say what is in it. */
export interface ParsedRouteRequest<R extends RouteDefinition = RouteDefinition> extends ApiRequestContext {
  readonly params: PathParameters<R['path']>;
  readonly query: R extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly body: R extends { readonly body: infer B extends z.ZodType } ? z.output<B> : undefined;
}

const header = (event: ApiGatewayEvent, name: string): string | undefined =>
  event.headers?.[name] ?? event.headers?.[name.toLowerCase()];

/** A report can be repeated, a read is for who still has something to look at, all else is for who is at work. */
const neededFor = (route: RouteDefinition): LaunchTokenAccess =>
  route.isFinalReport ? 'repeat' : route.method === 'GET' ? 'read' : 'live';

/** What the authorizer has said may be kept for a while; the end of a token holds in the meantime, too. */
const isOver = (identity: Partial<CallerIdentity> | undefined): boolean => {
  const end = Number(identity?.ends_at ?? 0);
  return end !== 0 && end * 1_000 <= Date.now();
};

function servedBy(identity: Partial<CallerIdentity> | undefined): (repository: string) => boolean {
  if (!identity?.repositories) return () => true;
  const scopes = (JSON.parse(identity.repositories) as string[]).map((url) => ({ url }));
  return (repository) => findMostSpecificScope(scopes, repository) !== null;
}

function guardOf(
  identity: Partial<CallerIdentity> | undefined,
  serves: ApiRequestContext['canAccess'],
  route: RouteDefinition,
): (task: Task) => void {
  const caller = identity?.caller ?? 'anyone';
  if (caller === 'anyone') return () => {};
  if (caller === 'operator')
    return ({ id, repository }) => {
      // As for a task that there is not: that it is there is nothing that this token may know.
      if (!serves(repository)) throw new Refusal('not_found', `there is no task ${id}`);
    };
  const holder = { caller, attempt: Number(identity?.attempt ?? 0), launch: Number(identity?.launch ?? 0) };
  return (task) => requireLaunchTokenAccess(task, holder, neededFor(route));
}

function caller(
  event: ApiGatewayEvent,
  route: RouteDefinition,
): Pick<
  ApiRequestContext,
  'caller' | 'principal' | 'attempt' | 'guardTask' | 'canAccess' | 'isUnrestricted'
> {
  const identity = event.requestContext.authorizer?.lambda;
  const kind = identity?.caller ?? 'anyone';
  if (!route.callers.includes('anyone')) {
    if (kind === 'anyone' || isOver(identity))
      throw new Refusal('unauthenticated', 'send a valid token as "Authorization: Bearer <token>"', [
        { pointer: 'header:authorization', message: 'is missing, over or not a valid token' },
      ]);
    if (!route.callers.includes(kind))
      throw new Refusal(
        'forbidden',
        `this call is for ${route.callers.join(' or ')}; the token is for ${kind}`,
      );
    const roles: readonly string[] = route.right === undefined ? [] : rolesWithRight(route.right);
    if (kind === 'operator' && !roles.includes(identity?.role ?? ''))
      throw new Refusal(
        'forbidden',
        `this call needs a token of the role ${roles.join(' or ')}; this one is of the role ${identity?.role}`,
      );
    if (route.isDeploymentWide && identity?.repositories)
      throw new Refusal(
        'forbidden',
        'this is about the work of all repositories; the token is for some of them',
      );
    if (kind !== 'operator' && event.pathParameters?.['id'] !== identity?.task_id)
      throw new Refusal('forbidden', `the token is good for task ${identity?.task_id} only`, [
        { pointer: '{id}', message: "is another task than the token's" },
      ]);
  }
  const serves = servedBy(identity);
  return {
    caller: kind,
    principal: identity?.principal ?? 'anonymous',
    attempt: Number(identity?.attempt ?? 0),
    guardTask: guardOf(identity, serves, route),
    isUnrestricted: !identity?.repositories,
    canAccess: serves,
  };
}

function body(event: ApiGatewayEvent, route: RouteDefinition): unknown {
  if (!route.body) return undefined;
  const text =
    event.body === undefined
      ? ''
      : event.isBase64Encoded
        ? Buffer.from(event.body, 'base64').toString('utf8')
        : event.body;
  if (Buffer.byteLength(text) > MAX_REQUEST_BODY_BYTES)
    throw new Refusal(
      'body_too_large',
      `the body is ${Buffer.byteLength(text)} bytes; ${MAX_REQUEST_BODY_BYTES} is the most`,
    );
  let value: unknown = {};
  if (text.trim() !== '') {
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new Refusal(
        'body_not_json',
        `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`,
        [{ pointer: '', message: 'is not JSON' }],
      );
    }
  }
  checkJsonLimits(value);
  return parseOrRefuse(route.body, value);
}

function version(value: string | undefined): number | undefined {
  if (value === undefined || value === '*') return undefined;
  const match = /^(?:W\/)?"?(\d{1,15})(?:\.\d{1,15})?"?$/.exec(value.trim());
  if (!match)
    throw new Refusal('invalid', 'If-Match must be a version as given in ETag, e.g. "3"', [
      { pointer: 'header:if-match', message: 'must be a version as given in ETag' },
    ]);
  return Number(match[1]);
}

function params(event: ApiGatewayEvent): Record<keyof typeof PATH_PARAMETERS, string> {
  const read = (name: keyof typeof PATH_PARAMETERS): string => {
    const value = event.pathParameters?.[name];
    if (value === undefined) return '';
    const result = PATH_PARAMETERS[name].safeParse(value);
    // An id that could not have been given out names nothing.
    if (!result.success)
      throw new Refusal(
        name === 'role' ? 'invalid' : 'not_found',
        `{${name}} ${z.prettifyError(result.error)}`,
        [{ pointer: `{${name}}`, message: result.error.issues[0]?.message ?? 'is invalid' }],
      );
    return result.data;
  };
  return { id: read('id'), role: read('role'), letter: read('letter'), provider: read('provider') };
}

function query(event: ApiGatewayEvent, route: RouteDefinition): unknown {
  if (!route.query) return undefined;
  const result = route.query.safeParse(event.queryStringParameters ?? {});
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ pointer: `?${key}`, message: 'is not a known parameter' }))
      : [{ pointer: `?${issue.path.join('.')}`, message: issue.message }],
  );
  throw createInvalidFieldsRefusal(errors);
}

/** Checks a request against its route: who calls, path, query, headers, body; in that order, so that a stranger learns nothing of the rest. */
export function parseRouteRequest<R extends RouteDefinition>(
  event: ApiGatewayEvent,
  route: R,
): ParsedRouteRequest<R> {
  const key = takesIdempotencyKey(route) ? header(event, 'idempotency-key') : undefined;
  if (key !== undefined && (key.length === 0 || key.length > 255))
    throw new Refusal('invalid', 'Idempotency-Key must be 1 to 255 characters', [
      { pointer: 'header:idempotency-key', message: 'must be 1 to 255 characters' },
    ]);
  const read = {
    ...caller(event, route),
    params: params(event),
    query: query(event, route),
    ifMatch: route.takesIfMatch ? version(header(event, 'if-match')) : undefined,
    ifNoneMatch: header(event, 'if-none-match'),
    idempotencyKey: key ?? null,
    bearerToken: parseBearerToken(header(event, 'authorization')),
    headers: route.isSigned
      ? Object.fromEntries(
          Object.entries(event.headers ?? {}).map(([name, each]) => [name.toLowerCase(), each]),
        )
      : {},
    rawBody: route.isSigned
      ? Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
      : Buffer.alloc(0),
    body: body(event, route),
  };
  // The one place where a type is claimed: that schemas give what they say of a route that is known to the caller only.
  return read as ApiRequestContext as ParsedRouteRequest<R>;
}
