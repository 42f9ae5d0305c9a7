import type { FailureCode } from '../../contract/failure/failure-class.ts';
import { remedyForCode } from '../../contract/failure/failure-classes.ts';
import { getFailureClassOfHttpStatus } from '../../contract/failure/http-status.ts';
import { type JsonObject, toJsonObject } from '../../lib/json-object.ts';

/** What a provider could not do, and until when it wants to be left alone. */
export interface ProviderFailure {
  readonly code: FailureCode;
  /** Of its answer; null: there was none, or it broke off. */
  readonly status: number | null;
  /** Milliseconds since 1970; null: it did not say. */
  readonly retryAtMs: number | null;
}

/** How a call ended for its provider: well, in trouble, or without anybody knowing, as when the client goes away. */
export type ProviderCallOutcome = 'well' | 'unknown' | ProviderFailure;

/** After so many calls in a row that the provider could not do, an attempt gets no more: waiting is the cascade's. */
export const MAX_CONSECUTIVE_PROVIDER_FAILURES = 5;

/** Longest wait in milliseconds that is believed: what asks for more is broken, or is no rate limit. */
const LONGEST_MS = 8 * 86_400_000;

/** There was no answer, or it broke off. */
export const BROKEN_CONNECTION_FAILURE: ProviderFailure = {
  code: 'provider_transient',
  status: null,
  retryAtMs: null,
};

function parse(text: string): JsonObject {
  try {
    return toJsonObject(JSON.parse(text));
  } catch {
    return {};
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `6m0s`, `120ms` or `34.07s`, as OpenAI's headers and Google's details have them; null: it is none. */
export function parseDurationMs(text: string): number | null {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

const seconds = (text: string | null, unitMs: number): number | null =>
  text !== null && /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) * unitMs : null;

const instant = (text: string | null): number | null => {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
};

/** What a limit counts, in the headers of both vendors that tell what is left of it. */
const COUNTED = ['requests', 'tokens', 'input-tokens', 'output-tokens'];

/** When the limits that are used up begin anew; of those that are not, nothing is asked. */
function resets(headers: Headers, now: number): number[] {
  return COUNTED.flatMap((counted) => {
    const found: (number | null)[] = [];
    if (headers.get(`anthropic-ratelimit-${counted}-remaining`) === '0')
      found.push(instant(headers.get(`anthropic-ratelimit-${counted}-reset`)));
    if (headers.get(`x-ratelimit-remaining-${counted}`) === '0') {
      const wait = parseDurationMs(headers.get(`x-ratelimit-reset-${counted}`) ?? '');
      found.push(wait === null ? null : now + wait);
    }
    return found.filter((at) => at !== null);
  });
}

/** Google says it among the details of an error. */
function retryAtFromDetails(body: JsonObject, now: number): number | null {
  const details = toJsonObject(body['error'])['details'];
  for (const detail of Array.isArray(details) ? details.map(toJsonObject) : []) {
    const wait = parseDurationMs(String(detail['retryDelay'] ?? ''));
    if (wait !== null) return now + wait;
  }
  return null;
}

/** Until when: by the header that HTTP has for it, else by the vendors' own. In milliseconds since 1970; null: nothing was said. */
function retryAtOf(headers: Headers, body: JsonObject, now: number): number | null {
  const after = headers.get('retry-after');
  const wait = seconds(headers.get('retry-after-ms'), 1) ?? seconds(after, 1_000);
  const said = wait === null ? (instant(after) ?? retryAtFromDetails(body, now)) : now + wait;
  const until = said ?? Math.max(0, ...resets(headers, now));
  return until > now ? Math.round(Math.min(until, now + LONGEST_MS)) : null;
}

const isQuota = (error: JsonObject): boolean => [error['code'], error['type']].includes('insufficient_quota');

/**
 * How an answer that is no success has ended for its provider. What the request itself is to blame for is no trouble. Of a quota that is
 * used up no waiting helps, whatever the status says.
 */
export function classifyCallResult(
  status: number,
  headers: Headers,
  text: string,
  now: Date,
): ProviderCallOutcome {
  const body = parse(text);
  const found = getFailureClassOfHttpStatus(status);
  if (found === 'provider_spend_limit' || (found === 'rate_limited' && isQuota(toJsonObject(body['error']))))
    return { code: 'provider_spend_limit', status, retryAtMs: null };
  if (found === null || remedyForCode(found) !== 'later') return 'well';
  return { code: found, status, retryAtMs: retryAtOf(headers, body, now.getTime()) };
}
