import * as z from 'zod';
import type { RefusalCode } from '../contract/refusal.ts';
import { type ApiCaller, type RouteDefinition, takesIdempotencyKey } from './routes.ts';

const BOXES: ReadonlySet<ApiCaller> = new Set(['agent', 'gates', 'challenger', 'deliver']);

/** What is refused of a request before its use case is asked, and what any use case may come to: told from what the route takes. */
function refusalCodesOfShape(route: RouteDefinition): RefusalCode[] {
  const codes: RefusalCode[] = ['internal', 'busy'];
  if (!route.callers.includes('anyone')) codes.push('unauthenticated', 'forbidden');
  if (route.path.includes('{id}')) codes.push('not_found');
  if (route.path.includes('{provider}')) codes.push('not_found');
  if (route.path.includes('{role}')) codes.push('invalid');
  // A header that cannot be read is refused like a field.
  if (takesIdempotencyKey(route)) codes.push('invalid', 'idempotency_mismatch');
  if (route.body) codes.push('body_not_json', 'body_too_large', 'invalid');
  if (route.query) codes.push('invalid');
  if (route.query instanceof z.ZodObject && 'cursor' in route.query.shape) codes.push('bad_cursor');
  if (route.takesIfMatch) codes.push('invalid', 'version_mismatch');
  // Reads, too: a box's token ends with its attempt.
  if (route.path.includes('{id}') && route.callers.some((caller) => BOXES.has(caller)))
    codes.push('stale_lease');
  return codes;
}

/** Every refusal that a route may answer. `test/functions/refusals.test.ts` compares it with what the handlers can come to. */
export const refusalCodesOf = (route: RouteDefinition): RefusalCode[] => [
  ...new Set([...refusalCodesOfShape(route), ...(route.refusalCodes ?? [])]),
];
