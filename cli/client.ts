import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import { ProblemDetails } from '../shared/api/problem.ts';
import {
  type PathParameters,
  ROUTES,
  type RouteDefinition,
  type RouteName,
  takesIdempotencyKey,
} from '../shared/api/routes.ts';
import { createApiGatewayError, createProblemDetailsError } from './api-errors.ts';
import type { ApiConnection } from './connection.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { START_STACK_COMMAND } from './installation.ts';

/** The request of a route: path parameters by name, `query`, `body`, and the headers that it declares. */
export type RouteRequestInput<R extends RouteDefinition> = PathParameters<R['path']> &
  (R extends { readonly query: infer Q extends z.ZodType } ? { readonly query?: z.input<Q> } : unknown) &
  (R extends { readonly body: infer B extends z.ZodType } ? { readonly body: z.input<B> } : unknown) &
  (R extends { readonly takesIfMatch: true }
    ? { /** Version that the task must still have. */ readonly ifMatch?: number | undefined }
    : unknown) &
  (R extends { readonly isIdempotent: true } | { readonly isClaim: true }
    ? { /** Default: a new one for each call. */ readonly idempotencyKey?: string | undefined }
    : unknown);

type Call<R extends RouteDefinition> = (
  request: RouteRequestInput<R>,
  options?: { readonly signal?: AbortSignal },
) => Promise<z.output<R['response']>>;

/** One method for each route of the API, with its types. Each throws {@link CliError}, with the detail of the server if it sent one. */
export type ApiRouteClient = { readonly [N in RouteName]: Call<(typeof ROUTES)[N]> };

/** The request of any route. */
interface AnyRequest {
  readonly [parameter: string]: unknown;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Backoff before each retry of a repeatable request, in milliseconds. */
const RETRY_DELAYS_MS = [100, 400, 1_000, 3_000] as const;
/** Backoff if the connection fails: usually the address is wrong, so there are fewer retries. */
const CONNECT_DELAYS_MS = RETRY_DELAYS_MS.slice(0, 3);
/** Temporary errors of a gateway or a busy server. The request may have taken effect all the same. */
const TEMPORARY_STATUSES: readonly number[] = [429, 502, 503, 504];

function buildUrl(base: string, route: RouteDefinition, request: AnyRequest): URL {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(request[name] ?? '')),
  );
  const url = new URL(base.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function buildHeaders(token: string | undefined, request: AnyRequest): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, application/problem+json' };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.ifMatch !== undefined) headers['if-match'] = `"${request.ifMatch}"`;
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  return headers;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const createUnreachableError = (connection: ApiConnection, cause: unknown): CliError => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : String(inner);
  return new CliError(
    CLI_EXIT_CODES.failed,
    'unreachable',
    `Nothing answers at ${connection.url} (${code}).`,
    {
      hint: `The address comes from ${connection.source}. Start the embedded stack with ${START_STACK_COMMAND}, or correct the address.`,
    },
  );
};

/** Creates the client of a connection. Tests replace `fetcher`. */
export function createApiRouteClient(
  connection: ApiConnection,
  fetcher: typeof fetch = fetch,
): ApiRouteClient {
  const call = async (route: RouteDefinition, given: AnyRequest, signal?: AbortSignal): Promise<unknown> => {
    // All retries of a call have the same key: a lost answer is sent again, and nothing happens twice.
    const request = takesIdempotencyKey(route)
      ? { ...given, idempotencyKey: given.idempotencyKey ?? randomUUID() }
      : given;
    const repeatable = route.method === 'GET' || request.idempotencyKey !== undefined;
    for (let attempt = 0; ; attempt++) {
      const delays = repeatable ? RETRY_DELAYS_MS : [];
      let response: Response;
      try {
        response = await fetcher(buildUrl(connection.url, route, request), {
          method: route.method,
          headers: buildHeaders(connection.token, request),
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        if (signal?.aborted) throw error;
        const wait = repeatable ? CONNECT_DELAYS_MS[attempt] : undefined;
        if (wait === undefined) throw createUnreachableError(connection, error);
        await pause(wait, signal);
        continue;
      }
      const wait = delays[attempt];
      if (TEMPORARY_STATUSES.includes(response.status) && wait !== undefined) {
        await response.body?.cancel();
        await pause(wait, signal);
        continue;
      }
      return readAnswer(route, response, connection);
    }
  };
  return Object.fromEntries(
    Object.entries(ROUTES).map(([name, route]) => [
      name,
      (request: AnyRequest, options?: { signal?: AbortSignal }) => call(route, request, options?.signal),
    ]),
  ) as unknown as ApiRouteClient;
}

async function readAnswer(
  route: RouteDefinition,
  response: Response,
  connection: ApiConnection,
): Promise<unknown> {
  const body = await readJson(response);
  if (!response.ok) {
    const problem = ProblemDetails.safeParse(body);
    throw problem.success
      ? createProblemDetailsError(problem.data, connection, route.path)
      : (createApiGatewayError(response.status, body, connection) ??
          new CliError(
            CLI_EXIT_CODES.failed,
            'not_assay',
            `${connection.url} answered ${response.status} ${response.statusText} without a problem document.`,
            { hint: `Is this the address of an Assay API? It comes from ${connection.source}.` },
          ));
  }
  const answer = route.response.safeParse(body);
  if (answer.success) return answer.data;
  throw new CliError(
    CLI_EXIT_CODES.failed,
    'bad_answer',
    `The answer of ${route.method} ${route.path} does not fit the schema of this version of assay.`,
    {
      hint: 'The command and the deployment probably have different versions.',
      details: answer.error.issues
        .slice(0, 5)
        .map((issue) => ({ where: issue.path.join('.') || '(answer)', message: issue.message })),
    },
  );
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {});
