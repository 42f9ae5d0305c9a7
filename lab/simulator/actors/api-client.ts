import type { RouteName } from '../../../shared/api/routes.ts';
import type { HttpResponse } from '../engines/simulated-bucket.ts';
import type { SimulatedRequest, SimulatedResponse } from '../simulated-cloud.ts';
import type { Simulation } from '../simulation.ts';

/** The API refused: an answer, not a failure to get one. */
export class ApiRefusedError extends Error {
  readonly answer: SimulatedResponse;
  constructor(route: string, answer: SimulatedResponse) {
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
export async function callRoute(
  of: Simulation,
  route: RouteName,
  request: SimulatedRequest,
  tries = 6,
): Promise<SimulatedResponse> {
  const answer = await patiently(of, tries, () => of.cloud.requestApi(route, request));
  if (answer.status >= 300) throw new ApiRefusedError(route, answer);
  return answer;
}

export const fetchPresigned = (
  of: Simulation,
  method: 'GET' | 'PUT' | 'DELETE',
  url: string,
  body?: string,
  headers?: Record<string, string>,
): Promise<HttpResponse> => patiently(of, 6, () => of.cloud.requestPresigned(method, url, body, headers));
