import type * as z from 'zod';
import { ClaimResponse, LeaseResponse } from '../../shared/api/report-schemas.ts';
import { TaskView } from '../../shared/api/task-schemas.ts';

/** One call of the API, as somebody who has no client of ours. */
export type ApiCall = <T extends z.ZodType>(
  method: 'GET' | 'POST',
  path: string,
  answer: T,
  body?: unknown,
) => Promise<z.output<T>>;

export const createApiCaller =
  (url: string, token: string): ApiCall =>
  async (method, path, answer, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return answer.parse(await response.json());
  };

/** Submits tasks that an agent from outside may claim. */
export async function submitExternalTasks(
  call: ApiCall,
  repository: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids)
    await call('POST', '/tasks', TaskView, { id, title: id, role: 'fuzzed', repository, runner: 'external' });
}

const BASE_WITHIN_MS = 60_000;

/** Claims a task as soon as the platform has resolved its base; its token is an agent's. */
export async function claimSubmittedTask(call: ApiCall, id: string): Promise<z.output<typeof ClaimResponse>> {
  const until = Date.now() + BASE_WITHIN_MS;
  while ((await call('GET', `/tasks/${id}`, TaskView)).base_commit === null) {
    if (Date.now() > until) throw new Error(`the base of ${id} was not resolved within ${BASE_WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return await call('POST', `/tasks/${id}/claim`, ClaimResponse, {});
}

/** Keeps the lease of an attempt as an agent does. Gives a function that ends it. */
export function keepLeaseAlive(call: ApiCall, id: string, everySeconds: number): () => void {
  const timer = setInterval(() => {
    // The attempt may be over by now: that is what some cases are for.
    call('POST', `/tasks/${id}/heartbeat`, LeaseResponse, {}).catch(() => clearInterval(timer));
  }, everySeconds * 1_000);
  return () => clearInterval(timer);
}
