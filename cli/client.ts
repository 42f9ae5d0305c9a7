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
import { createGatewayError, createProblemError } from './api-errors.ts';
import type { Connection } from './connection.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { START_STACK_COMMAND } from './installation.ts';

/** What a route takes: path parameters by name, `query`, `body`, and the headers that it declares. */
export type RouteRequest<R extends RouteDefinition> = PathParameters<R['path']> &
  (R extends { readonly query: infer Q extends z.ZodType } ? { readonly query?: z.input<Q> } : unknown) &
  (R extends { readonly body: infer B extends z.ZodType } ? { readonly body: z.input<B> } : unknown) &
  (R extends { readonly takesIfMatch: true }
    ? { /** Version that the task must still have. */ readonly ifMatch?: number | undefined }
    : unknown) &
  (R extends { readonly isIdempotent: true } | { readonly isClaim: true }
    ? { /** Default: a new one for each call. */ readonly idempotencyKey?: string | undefined }
    : unknown);

type Call<R extends RouteDefinition> = (
  request: RouteRequest<R>,
  options?: { readonly signal?: AbortSignal },
) => Promise<z.output<R['response']>>;

/** One method per route of the API, with its types. Throws {@link CliError}, with the server's own words where it gave some. */
export type ApiRouteClient = { readonly [N in RouteName]: Call<(typeof ROUTES)[N]> };

/** The request of any route, as the code below sees it. */
interface AnyRequest {
  readonly [parameter: string]: unknown;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Waits before each further try of a request that may be repeated, in milliseconds. */
const RETRY_WAITS = [100, 400, 1_000, 3_000] as const;
/** Waits when nobody answers at all, which is mostly a wrong address. */
const CONNECT_WAITS = RETRY_WAITS.slice(0, 3);
/** An answer of a gateway, too many requests, or ours that we are busy: what was asked for may have happened all the same. */
const PASSING: readonly number[] = [429, 502, 503, 504];

function urlOf(base: string, route: RouteDefinition, request: AnyRequest): URL {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(request[name] ?? '')),
  );
  const url = new URL(base.replace(/\/+$/, '') + path);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

function headersOf(token: string | undefined, request: AnyRequest): Record<string, string> {
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

const unreachable = (connection: Connection, cause: unknown): CliError => {
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

/** The client of one connection. `fetcher` stands in for `fetch` in tests. */
export function createApiRouteClient(connection: Connection, fetcher: typeof fetch = fetch): ApiRouteClient {
  const call = async (route: RouteDefinition, given: AnyRequest, signal?: AbortSignal): Promise<unknown> => {
    // One key for all tries of one call: an answer that was lost is had again, and nothing happens twice.
    const request = takesIdempotencyKey(route)
      ? { ...given, idempotencyKey: given.idempotencyKey ?? randomUUID() }
      : given;
    const repeatable = route.method === 'GET' || request.idempotencyKey !== undefined;
    for (let attempt = 0; ; attempt++) {
      const waits = repeatable ? RETRY_WAITS : [];
      let response: Response;
      try {
        response = await fetcher(urlOf(connection.url, route, request), {
          method: route.method,
          headers: headersOf(connection.token, request),
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        if (signal?.aborted) throw error;
        const wait = repeatable ? CONNECT_WAITS[attempt] : undefined;
        if (wait === undefined) throw unreachable(connection, error);
        await pause(wait, signal);
        continue;
      }
      const wait = waits[attempt];
      if (PASSING.includes(response.status) && wait !== undefined) {
        await response.body?.cancel();
        await pause(wait, signal);
        continue;
      }
      return answerOf(route, response, connection);
    }
  };
  return Object.fromEntries(
    Object.entries(ROUTES).map(([name, route]) => [
      name,
      (request: AnyRequest, options?: { signal?: AbortSignal }) => call(route, request, options?.signal),
    ]),
  ) as unknown as ApiRouteClient;
}

async function answerOf(
  route: RouteDefinition,
  response: Response,
  connection: Connection,
): Promise<unknown> {
  const body = await readJson(response);
  if (!response.ok) {
    const problem = ProblemDetails.safeParse(body);
    throw problem.success
      ? createProblemError(problem.data, connection, route.path)
      : (createGatewayError(response.status, body, connection) ??
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
    `${route.method} ${route.path} answered something that this version of assay does not understand.`,
    {
      hint: 'The CLI and the deployment are probably of different versions.',
      details: answer.error.issues
        .slice(0, 5)
        .map((issue) => ({ where: issue.path.join('.') || '(answer)', message: issue.message })),
    },
  );
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {});
