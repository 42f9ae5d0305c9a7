import middy from '@middy/core';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ROUTES, type Route, type RouteName, routeKey } from '../../shared/api/routes.ts';
import { Refusal } from '../../shared/refusal.ts';
import { logger } from '../kit/logger.ts';
import { type Answer, etag, json, problemOf } from './answer.ts';
import { type ApiEvent, type ApiRequest, readRequest } from './request.ts';
import { isReserved, routeWithoutSlash } from './unknown-route.ts';

export type RouteHandler = (request: ApiRequest) => Promise<Answer>;

/** Every thrown thing becomes a problem document, here and nowhere else. */
const problems = (): middy.MiddlewareObj<ApiEvent, APIGatewayProxyStructuredResultV2> => ({
  onError: (request) => {
    const requestId = request.event.requestContext?.requestId ?? 'unknown';
    if (!(request.error instanceof Refusal))
      logger.error('request failed', {
        request_id: requestId,
        route: request.event.routeKey,
        error: request.error as Error,
      });
    request.response = problemOf(request.error, requestId);
  },
});

/** A request without a route of its own, as one of the route that it is about. */
const withRoute = (event: ApiEvent): ApiEvent => ({
  ...event,
  ...routeWithoutSlash(event.requestContext.http.method, event.rawPath, Object.values(ROUTES)),
});

/** Makes one function of several routes. A route of another function, or none, is not found. */
export function serve(
  handlers: Partial<Record<RouteName, RouteHandler>>,
): middy.MiddyfiedHandler<ApiEvent, APIGatewayProxyStructuredResultV2> {
  const table = new Map<string, { route: Route; handle: RouteHandler }>();
  for (const [name, handle] of Object.entries(handlers)) {
    const route = ROUTES[name as RouteName];
    table.set(routeKey(route), { route, handle });
  }
  return middy<ApiEvent, APIGatewayProxyStructuredResultV2>()
    .use(problems())
    .handler(async (given) => {
      // API Gateway takes `GET /tasks/batch` for a task of that name.
      const strays = given.routeKey === '$default' || isReserved(given.pathParameters?.['id']);
      const event = strays ? withRoute(given) : given;
      const found = table.get(event.routeKey);
      if (!found)
        throw new Refusal('not_found', `there is no route ${event.routeKey}, or not with a slash at its end`);
      const request = readRequest(event, found.route);
      const answer = await found.handle(request);
      const tag = answer.version === undefined ? undefined : etag(answer.version);
      if (tag !== undefined && found.route.method === 'GET' && request.ifNoneMatch === tag)
        return { statusCode: 304, headers: { etag: tag } };
      return json(answer.status ?? found.route.status ?? 200, answer.body, {
        ...answer.headers,
        ...(tag === undefined ? {} : { etag: tag }),
      });
    });
}
