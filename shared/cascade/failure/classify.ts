import type { Attempt, FailureClass } from '../../task/attempt.ts';
import { failureClassOf } from '../failure-class.ts';
import { type FailureMode, SEED_CLASS_OF, SEED_FACTS, type SeedClass } from './classes.ts';

/** Says with which rules a failure was classified. */
export const CLASSIFIER_VERSION = 1;

/** What is known of a failure beside words. All of it may be missing. */
export interface Envelope {
  /** Status of the provider's last answer. */
  readonly http_status?: number | null;
  /** The provider's own type or code of the error. */
  readonly provider_code?: string | null;
  /** What a box or the gateway of ours has made of it. */
  readonly code?: FailureClass | null;
  readonly timed_out?: boolean;
  readonly signal?: string | null;
  readonly exit_code?: number | null;
  /** What the failing program said; never the prose of a model. */
  readonly text?: string;
}

export interface Classified {
  readonly class: SeedClass;
  readonly retryable: boolean;
  readonly mode: FailureMode;
  readonly recovery: string;
  /** The rule that matched, with what it matched on. */
  readonly rule: string;
  readonly version: number;
}

function ofStatus(status: number): SeedClass | null {
  if (status === 401 || status === 403) return 'provider_auth';
  if (status === 402) return 'provider_spend_limit';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate_limited';
  if (status >= 500 && status <= 599) return 'provider_transient';
  return null;
}

const CODES: readonly (readonly [SeedClass, RegExp])[] = [
  ['provider_spend_limit', /^(?:billing_error|insufficient_quota|budget_exceeded|credit_balance_too_low)$/],
  ['rate_limited', /^(?:rate_limit_error|rate_limit_exceeded|resource_exhausted|too_many_requests)$/],
  [
    'provider_auth',
    /^(?:authentication_error|permission_error|invalid_api_key|unauthenticated|permission_denied)$/,
  ],
  [
    'provider_transient',
    /^(?:overloaded_error|api_error|server_error|unavailable|internal|econnreset|econnrefused|enotfound|eai_again)$/,
  ],
  ['timeout', /^(?:timeout_error|etimedout|deadline_exceeded)$/],
  ['missing_target_path', /^(?:enoent|not_found_path)$/],
];

/** In this order: what cannot be mended by trying again first, since its text often names a limit or a status, too. */
const WORDS: readonly (readonly [SeedClass, RegExp])[] = [
  [
    'provider_spend_limit',
    /\b(?:http )?402\b|spend(?:ing)? limit|insufficient (?:credits|quota|funds)|billing/,
  ],
  ['rate_limited', /\b(?:http )?429\b|too many requests|rate[ -]?limit/],
  [
    'provider_auth',
    /\bhttp 40[13]\b|\b401 unauthorized\b|\b403 forbidden\b|unauthorized|invalid (?:x-)?api[ -]key/,
  ],
  ['policy_blocked', /tool call blocked|policy whitelist|not allowed by policy|forbidden by policy/],
  ['permission_required', /requires approval|sandbox_permissions|require_escalated|permission denied/],
  [
    'invalid_tool_args',
    /tool arguments could not be parsed|failed to parse arguments as json|arguments were of the wrong type|invalid arguments/,
  ],
  [
    'missing_target_path',
    /file not found|no such file or directory|target file or directory does not exist|use glob to search/,
  ],
  [
    'provider_transient',
    /\bhttp 5\d\d\b|\b5(?:00|02|03|29)\b|internal server error|bad gateway|service unavailable|overloaded|network error|econnreset|econnrefused|socket hang up/,
  ],
  ['timeout', /timed? ?out|\b504\b|etimedout|deadline exceeded/],
];

const TEXT_WINDOW = 4_000;

function match(envelope: Envelope): readonly [SeedClass, string] {
  const { http_status, provider_code, code, timed_out, signal, exit_code, text = '' } = envelope;
  const byStatus = http_status == null ? null : ofStatus(http_status);
  const named =
    provider_code == null ? undefined : CODES.find(([, each]) => each.test(provider_code.toLowerCase()));
  // A spent limit comes as 429 or 403, too: the provider's own code says which it is.
  if (named?.[0] === 'provider_spend_limit') return [named[0], `provider_code ${provider_code}`];
  const ours = code == null ? null : SEED_CLASS_OF[code];
  if (ours === 'provider_spend_limit') return [ours, `code ${code}`];
  if (byStatus) return [byStatus, `http_status ${http_status}`];
  if (named) return [named[0], `provider_code ${provider_code}`];
  if (ours) return [ours, `code ${code}`];
  if (timed_out) return ['timeout', 'timed_out'];
  if (signal) return ['provider_transient', `signal ${signal}`];
  if (exit_code === 124) return ['timeout', 'exit_code 124'];
  const tail = text.slice(-TEXT_WINDOW).toLowerCase();
  for (const [of, words] of WORDS) {
    const found = words.exec(tail);
    if (found) return [of, `text "${found[0]}"`];
  }
  return ['unknown', 'nothing matched'];
}

/** What a failure is: by what is known in structure first, by words last. */
export function classify(envelope: Envelope): Classified {
  const [of, rule] = match(envelope);
  return { class: of, ...SEED_FACTS[of], rule, version: CLASSIFIER_VERSION };
}

/** The failure of an attempt; null where it brought work to judge. */
export function failureOf(
  attempt: Pick<Attempt, 'report' | 'witnessed' | 'verification_failure'>,
): Classified | null {
  const code = failureClassOf(attempt);
  const { report, witnessed, verification_failure } = attempt;
  if (code === null && report?.status !== 'failed') return null;
  return classify({
    code,
    http_status: report?.status === 'failed' ? (witnessed?.trouble?.status ?? null) : null,
    text: verification_failure?.message ?? report?.summary ?? '',
  });
}
