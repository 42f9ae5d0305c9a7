import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import {
  type ApiFunction,
  ROUTE_NAMES,
  ROUTES,
  type RouteDefinition,
  type RouteName,
  type RouteNameOf,
  routeKey,
} from '../../shared/api/routes.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { logger } from '../runtime/logger.ts';
import { jsonResponse, problemFromError, type RouteResponse, responseEtag } from './response.ts';
import { type ApiEvent, parseRouteRequest, type RouteRequest } from './route-request.ts';
import { isReservedId, matchRouteWithoutSlash } from './unmatched-route.ts';

type RouteNamed<N extends RouteName> = (typeof ROUTES)[N];
type Handler<N extends RouteName> = (
  request: RouteRequest<RouteNamed<N>>,
) => Promise<RouteResponse<z.output<RouteNamed<N>['response']>>>;
/** One handler for each route of a function, typed by the route table as the client is. */
type Handlers<N extends RouteName = RouteName> = { readonly [Name in N]: Handler<Name> };

interface HandledRoute {
  readonly route: RouteDefinition;
  readonly ifNoneMatch: string | undefined;
  readonly answer: RouteResponse;
}

/** Every thrown thing becomes a problem document, here and nowhere else. */
const problems = (): middy.MiddlewareObj<ApiEvent, APIGatewayProxyStructuredResultV2> => ({
  onError: (request) => {
    const requestId = request.event.requestContext?.requestId ?? 'unknown';
    if (!(request.error instanceof Refusal))
      logger.error('request failed', {
        request_id: requestId,
        route: request.event.routeKey,
        error: request.error,
      });
    request.response = problemFromError(request.error, requestId);
  },
});

/** A request without a route of its own, as one of the route that it is about. */
const withRoute = (event: ApiEvent): ApiEvent => ({
  ...event,
  ...matchRouteWithoutSlash(event.requestContext.http.method, event.rawPath, Object.values(ROUTES)),
});

/** What answers one route: reads the request, then asks the handler. */
const served =
  <N extends RouteName>(name: N, handlers: Partial<Handlers>) =>
  async (event: ApiEvent): Promise<HandledRoute | null> => {
    const handle = handlers[name];
    const request = parseRouteRequest(event, ROUTES[name]);
    return handle && { route: ROUTES[name], ifNoneMatch: request.ifNoneMatch, answer: await handle(request) };
  };

/** Makes one function of its routes. A route of another function, or none, is not found. */
export function createApiHandler<F extends ApiFunction>(
  of: F,
  handlers: Handlers<RouteNameOf<F>>,
): middy.MiddyfiedHandler<ApiEvent, APIGatewayProxyStructuredResultV2> {
  const names = ROUTE_NAMES.filter((name) => ROUTES[name].function === of);
  const table = new Map(names.map((name) => [routeKey(ROUTES[name]), served(name, handlers)]));
  return middy<ApiEvent, APIGatewayProxyStructuredResultV2>()
    .use(problems())
    .handler(async (given) => {
      // API Gateway takes `GET /tasks/batch` for a task of that name.
      const strays = given.routeKey === '$default' || isReservedId(given.pathParameters?.['id']);
      const event = strays ? withRoute(given) : given;
      const found = await table.get(event.routeKey)?.(event);
      if (!found)
        throw new Refusal('not_found', `there is no route ${event.routeKey}, or not with a slash at its end`);
      const { route, ifNoneMatch, answer } = found;
      const tag = responseEtag(answer);
      if (tag !== undefined && route.method === 'GET' && ifNoneMatch === tag)
        return { statusCode: 304, headers: { etag: tag } };
      return jsonResponse(answer.status ?? route.status ?? 200, answer.body, {
        ...answer.headers,
        ...(tag === undefined ? {} : { etag: tag }),
      });
    });
}
