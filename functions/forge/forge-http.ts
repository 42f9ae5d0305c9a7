import { ForgeError } from '../../shared/control/forge/forge.ts';

const TIMEOUT_MS = 10_000;
const MAX_CHARACTERS = 4_194_304;

export interface ForgeResponse {
  readonly status: number;
  readonly body: unknown;
}
/** Asks a forge. Statuses of `known` are answers; any other that is no success is thrown. @throws ForgeError */
export type ForgeRequester = (
  method: string,
  path: string,
  body?: object,
  known?: readonly number[],
) => Promise<ForgeResponse>;

/** How GitHub names its secondary rate limits, which it answers with 403 and not always with `retry-after`. */
const SECONDARY_LIMIT = /\bsecondary rate limit|\babuse detection/i;

/** What a forge may answer otherwise in a moment: it is busy, or has limited us. GitHub says so with 403, too. */
const isTransient = (status: number, headers: Headers, text: string): boolean =>
  status === 429 ||
  status >= 500 ||
  (status === 403 &&
    (headers.has('retry-after') ||
      headers.get('x-ratelimit-remaining') === '0' ||
      SECONDARY_LIMIT.test(text)));

/** Seconds after a rate limit that says nothing of its end: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const LIMIT_SECONDS = 60;

/** Returns how long no call is made after this answer, in seconds; null where the forge has not limited us. */
function retryAfterSeconds(status: number, headers: Headers, now: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (seconds >= 0) return seconds;
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  const isExhausted =
    headers.get('x-ratelimit-remaining') === '0' || headers.get('ratelimit-remaining') === '0';
  return isExhausted && reset > 0 ? Math.max(1, Math.ceil(reset - now / 1_000)) : LIMIT_SECONDS;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/** Speaks with one API. What the forge says of an error is not repeated: it could hold anything. */
export const createForgeRequester =
  (api: string, headers: Readonly<Record<string, string>>): ForgeRequester =>
  async (method, path, body, known = []) => {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${api}${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...headers,
          'user-agent': 'assay',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = (await answer.text()).slice(0, MAX_CHARACTERS);
    } catch (error) {
      throw new ForgeError(`the forge cannot be reached: ${reasonOf(error)}`, null, true);
    }
    const { status } = answer;
    if (answer.ok || known.includes(status)) return { status, body: parsed(text) };
    const transient = isTransient(status, answer.headers, text);
    throw new ForgeError(
      `the forge answers ${status} to ${method} ${path.split('?', 1)[0]}`,
      status,
      transient,
      transient ? retryAfterSeconds(status, answer.headers, Date.now()) : null,
    );
  };

/** All pages of a list, up to a bound: what lies behind it nobody has written in good faith. */
export async function fetchAllForgePages(
  ask: ForgeRequester,
  path: string,
  most = 10,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  const join = path.includes('?') ? '&' : '?';
  for (let page = 1; page <= most; page++) {
    const { body } = await ask('GET', `${path}${join}per_page=100&page=${page}`);
    const rows: readonly unknown[] = Array.isArray(body) ? body : [];
    all.push(...rows);
    if (rows.length < 100) break;
  }
  return all;
}
