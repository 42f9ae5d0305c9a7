import { type RouteDefinition, routeKey } from '../../shared/api/routes.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { RESERVED_TASK_IDS } from '../../shared/contract/submission/schema.ts';

/** A path of ours with a method that it does not take; RFC 9110 wants the others named. */
export class MethodNotAllowedRefusal extends Refusal {
  readonly allow: string;

  constructor(method: string, path: string, allowed: readonly string[]) {
    super('method_not_allowed', `${path} takes ${allowed.join(' and ')}, not ${method}`);
    this.allow = allowed.join(', ');
  }
}

/** Whether a word of the API's own paths stands where a task's id would: no task is meant. */
export const isReservedTaskId = (id: string | undefined): boolean =>
  RESERVED_TASK_IDS.some((word) => word === id);

function parametersOf(route: RouteDefinition, path: readonly string[]): Record<string, string> | null {
  const segments = route.path.split('/').slice(1);
  if (segments.length !== path.length) return null;
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = path[index] ?? '';
    if (segment.startsWith('{') && value !== '') found[segment.slice(1, -1)] = value;
    else if (segment !== value) return null;
  }
  return isReservedTaskId(found['id']) ? null : found;
}

function decoded(path: string): string[] | null {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return null;
  }
}

/**
 * What a request that API Gateway knows no route for is about: a route whose path was written with a slash at its end, as the seed
 * writes `/status/`. @throws Refusal that says what is wrong with method or path.
 */
export function matchRouteWithoutTrailingSlash(
  method: string,
  rawPath: string,
  routes: readonly RouteDefinition[],
): { readonly routeKey: string; readonly pathParameters: Record<string, string> } {
  const path = decoded(rawPath.replace(/(?<=[^/])\/$/, ''));
  const found = routes.flatMap((route) => {
    const pathParameters = path && parametersOf(route, path);
    return pathParameters ? [{ route, pathParameters }] : [];
  });
  const match = found.find(({ route }) => route.method === method);
  if (match) return { routeKey: routeKey(match.route), pathParameters: match.pathParameters };
  const shown = rawPath.slice(0, 200);
  if (found.length > 0)
    throw new MethodNotAllowedRefusal(
      method,
      shown,
      [...new Set(found.map(({ route }) => route.method))].sort(),
    );
  throw new Refusal('not_found', `there is no route ${method} ${shown}`);
}
