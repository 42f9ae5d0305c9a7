import { WEB_PAGE_PATHS } from '../shared/api/page-paths.ts';
import { ROUTES, type RouteDefinition, routeKey } from '../shared/api/routes.ts';
import { LAUNCH_KINDS } from '../shared/contract/launch-kind.ts';

export interface RouteThrottle {
  /** Requests a second. */
  readonly rateLimit: number;
  /** Requests at once. */
  readonly burstLimit: number;
}

/**
 * Of the routes that boxes report to: a thousand boxes that beat each minute, and all of them reporting, are a tenth of it. Boxes wait
 * and try again when they meet it.
 */
const BOXES: RouteThrottle = { rateLimit: 200, burstLimit: 400 };
/** Of what people, scripts and outside agents call. */
const OPERATORS: RouteThrottle = { rateLimit: 100, burstLimit: 200 };
/** Of what needs no token or is no route: nobody's work waits for it. */
export const UNAUTHENTICATED_THROTTLE: RouteThrottle = { rateLimit: 20, burstLimit: 40 };

function throttleOf({ callers }: RouteDefinition): RouteThrottle {
  if (callers.includes('anyone')) return UNAUTHENTICATED_THROTTLE;
  return LAUNCH_KINDS.some((kind) => callers.includes(kind)) ? BOXES : OPERATORS;
}

/**
 * What each route takes, by its key. A bucket of its own for each: whoever floods one, with a token or without, takes nothing from the others.
 */
export const buildRouteThrottles = (): ReadonlyMap<string, RouteThrottle> =>
  new Map([
    ...Object.values(ROUTES).map((route): [string, RouteThrottle] => [routeKey(route), throttleOf(route)]),
    ...Object.values(WEB_PAGE_PATHS).map((path): [string, RouteThrottle] => [
      `GET ${path}`,
      UNAUTHENTICATED_THROTTLE,
    ]),
    ['$default', UNAUTHENTICATED_THROTTLE],
  ]);
