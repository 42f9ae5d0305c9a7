import type { FailureClass } from '../../contract/failure/failure-record.ts';

/** Codes of providers, of CLIs and of the operating system, in small letters. */
export const PROVIDER_CODE_PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
  ['provider_spend_limit', /^(?:billing_error|insufficient_quota|budget_exceeded|credit_balance_too_low)$/],
  [
    'rate_limited',
    /^(?:rate_limit|rate_limit_error|rate_limit_exceeded|resource_exhausted|too_many_requests)$/,
  ],
  [
    'provider_auth',
    /^(?:authentication_error|authentication_failed|permission_error|invalid_api_key|unauthenticated|permission_denied|fatalauthenticationerror)$/,
  ],
  [
    'provider_transient',
    /^(?:overloaded|overloaded_error|api_error|server_error|unavailable|internal|econnreset|econnrefused|enotfound|eai_again)$/,
  ],
  ['timeout', /^(?:timeout_error|etimedout|deadline_exceeded|error_max_turns|fatalturnlimitederror)$/],
  ['missing_target_path', /^(?:enoent|not_found_path)$/],
];

/** In this order: what cannot be mended by trying again first, since its text often names a limit or a status, too. Small letters. */
export const FAILURE_TEXT_PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
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
