import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import {
  type ApiFunctionName,
  type ApiRouteNameOfFunction,
  ROUTE_NAMES,
  ROUTES,
  type RouteDefinition,
  type RouteName,
  routeKey,
} from '../../shared/api/routes.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { logger } from '../runtime/logger.ts';
import {
  type ApiRouteResponse,
  computeResponseEtag,
  createProblemFromError,
  jsonResponse,
} from './response.ts';
import { type ApiGatewayEvent, type ParsedRouteRequest, parseRouteRequest } from './route-request.ts';
import { isReservedTaskId, matchRouteWithoutTrailingSlash } from './unmatched-route.ts';

type RouteNamed<N extends RouteName> = (typeof ROUTES)[N];
type Handler<N extends RouteName> = (
  request: ParsedRouteRequest<RouteNamed<N>>,
) => Promise<ApiRouteResponse<z.output<RouteNamed<N>['response']>>>;
/** One handler for each route of a function, typed by the route table as the client is. */
type Handlers<N extends RouteName = RouteName> = { readonly [Name in N]: Handler<Name> };

interface HandledRoute {
  readonly route: RouteDefinition;
  readonly ifNoneMatch: string | undefined;
  readonly answer: ApiRouteResponse;
}

/** Every thrown thing becomes a problem document, here and nowhere else. */
const problems = (): middy.MiddlewareObj<ApiGatewayEvent, APIGatewayProxyStructuredResultV2> => ({
  onError: (request) => {
    const requestId = request.event.requestContext?.requestId ?? 'unknown';
    if (!(request.error instanceof Refusal))
      logger.error('request failed', {
        request_id: requestId,
        route: request.event.routeKey,
        error: request.error,
      });
    request.response = createProblemFromError(request.error, requestId);
  },
});

/** A request without a route of its own, as one of the route that it is about. */
const withRoute = (event: ApiGatewayEvent): ApiGatewayEvent => ({
  ...event,
  ...matchRouteWithoutTrailingSlash(event.requestContext.http.method, event.rawPath, Object.values(ROUTES)),
});

/** What answers one route: reads the request, then asks the handler. */
const served =
  <N extends RouteName>(name: N, handlers: Partial<Handlers>) =>
  async (event: ApiGatewayEvent): Promise<HandledRoute | null> => {
    const handle = handlers[name];
    const request = parseRouteRequest(event, ROUTES[name]);
    return handle && { route: ROUTES[name], ifNoneMatch: request.ifNoneMatch, answer: await handle(request) };
  };

/** Makes one function of its routes. A route of another function, or none, is not found. */
export function createApiHandler<F extends ApiFunctionName>(
  of: F,
  handlers: Handlers<ApiRouteNameOfFunction<F>>,
): middy.MiddyfiedHandler<ApiGatewayEvent, APIGatewayProxyStructuredResultV2> {
  const names = ROUTE_NAMES.filter((name) => ROUTES[name].function === of);
  const table = new Map(names.map((name) => [routeKey(ROUTES[name]), served(name, handlers)]));
  return middy<ApiGatewayEvent, APIGatewayProxyStructuredResultV2>()
    .use(problems())
    .handler(async (given) => {
      // API Gateway takes `GET /tasks/batch` for a task of that name.
      const strays = given.routeKey === '$default' || isReservedTaskId(given.pathParameters?.['id']);
      const event = strays ? withRoute(given) : given;
      const found = await table.get(event.routeKey)?.(event);
      if (!found)
        throw new Refusal('not_found', `there is no route ${event.routeKey}, or not with a slash at its end`);
      const { route, ifNoneMatch, answer } = found;
      const tag = computeResponseEtag(answer);
      if (tag !== undefined && route.method === 'GET' && ifNoneMatch === tag)
        return { statusCode: 304, headers: { etag: tag } };
      return jsonResponse(answer.status ?? route.status ?? 200, answer.body, {
        ...answer.headers,
        ...(tag === undefined ? {} : { etag: tag }),
      });
    });
}
