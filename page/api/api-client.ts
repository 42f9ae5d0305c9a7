import { ApiUnavailableError, errorFromResponse } from './api-errors.ts';

/** What was read, and the tag to ask with whether it has changed. */
export interface ApiReadResult<T> {
  readonly body: T;
  readonly etag: string | null;
}

/** The API as the page calls it: same origin, one token, kept in this object and nowhere else. */
export interface ApiClient {
  /** Returns null when nothing has changed since `etag` was given out. @throws ApiUnavailableError, TokenExpiredError, ApiProblemError */
  read<T>(path: string, etag?: string | null): Promise<ApiReadResult<T> | null>;
  /** @param version that the task must still have. @throws ApiUnavailableError, TokenExpiredError, ApiProblemError */
  send<T>(path: string, body: object, version?: number): Promise<T>;
}

/** Milliseconds after which a request counts as unanswered. */
const PATIENCE = 25_000;

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

export function createApiClient(
  token: string,
  fetcher: typeof fetch = (...args) => fetch(...args),
): ApiClient {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetcher(path, {
        ...init,
        headers: { accept: 'application/json', authorization: `Bearer ${token}`, ...init.headers },
        // The tag decides, not what a browser has kept.
        cache: 'no-store',
        signal: AbortSignal.timeout(PATIENCE),
      });
    } catch {
      throw new ApiUnavailableError('Nothing answers at this address.');
    }
  };
  return {
    async read<T>(path: string, etag: string | null = null) {
      const response = await ask(path, { headers: etag === null ? {} : { 'if-none-match': etag } });
      if (response.status === 304) return null;
      const body = await jsonOf(response);
      if (!response.ok) throw errorFromResponse(response.status, body);
      if (body === null) throw new ApiUnavailableError('What answers at this address is not Assay.');
      return { body: body as T, etag: response.headers.get('etag') };
    },
    async send<T>(path: string, body: object, version?: number) {
      const response = await ask(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
        },
        body: JSON.stringify(body),
      });
      const answer = await jsonOf(response);
      if (!response.ok) throw errorFromResponse(response.status, answer);
      return answer as T;
    },
  };
}
