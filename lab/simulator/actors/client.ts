import type { RouteName } from '../../../shared/api/routes.ts';
import type { ApiAnswer, ApiRequest } from '../cloud.ts';
import type { HttpResult } from '../engines/bucket.ts';
import type { Simulation } from '../simulation.ts';

/** The API refused: an answer, not a failure to get one. */
export class Refused extends Error {
  readonly answer: ApiAnswer;
  constructor(route: string, answer: ApiAnswer) {
    super(`${route} was refused with ${answer.status}: ${String(answer.body['detail'] ?? '')}`);
    this.answer = answer;
  }
}

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** As shared/api/http.ts: again after a pause that doubles. */
async function patiently<T extends { readonly status: number }>(
  of: Simulation,
  tries: number,
  request: () => Promise<T>,
): Promise<T> {
  let problem: unknown = new Error('no try');
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await of.world.clock.sleep(250 * 2 ** (attempt - 1));
    try {
      const answer = await request();
      if (!isTransient(answer.status)) return answer;
      problem = new Error(`HTTP ${answer.status}`);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/** Calls a route until there is an answer. Throws `Refused` for one that is no success. */
export async function call(
  of: Simulation,
  route: RouteName,
  request: ApiRequest,
  tries = 6,
): Promise<ApiAnswer> {
  const answer = await patiently(of, tries, () => of.cloud.api(route, request));
  if (answer.status >= 300) throw new Refused(route, answer);
  return answer;
}

export const fetched = (
  of: Simulation,
  method: 'GET' | 'PUT' | 'DELETE',
  url: string,
  body?: string,
  headers?: Record<string, string>,
): Promise<HttpResult> => patiently(of, 6, () => of.cloud.presigned(method, url, body, headers));
