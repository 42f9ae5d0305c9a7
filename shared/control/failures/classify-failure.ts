import type { FailureCode } from '../../contract/failure/failure-class.ts';
import {
  FAILURE_CLASS_POLICIES,
  FAILURE_CODE_POLICIES,
  type FailureRemedy,
  remedyForCode,
} from '../../contract/failure/failure-classes.ts';
import type { FailureClass, FailureMode } from '../../contract/failure/failure-record.ts';
import { getFailureClassOfHttpStatus } from '../../contract/failure/http-status.ts';
import type { AgentExit } from '../../contract/task/attempt.ts';

/** Codes of providers, of CLIs and of the operating system, in small letters. */
const PROVIDER_CODE_PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
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
const FAILURE_TEXT_PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
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

/** Says with which rules a failure was classified. */
export const CLASSIFIER_VERSION = 2;

/** What is known of a failure. All of it may be missing. */
export interface FailureEvidence extends Omit<AgentExit, 'words'> {
  /** What a box or the gateway of ours has made of it. */
  readonly code?: FailureCode | null;
  /** What the failing program said; never the prose of a model. */
  readonly text?: string;
}

export interface ClassifiedFailure {
  readonly class: FailureClass;
  readonly retryable: boolean;
  readonly mode: FailureMode;
  readonly recovery: string;
  readonly remedy: FailureRemedy;
  /** The finer word of ours where it told the class, or where nothing did; else the class. */
  readonly code: string;
  /** The rule that matched, with what it matched on. */
  readonly matched_rule: string;
  readonly version: number;
}

/** Characters at the end of what was said that are looked at: what a program said along the way is not why it ended. */
const TEXT_WINDOW = 4_000;
/** Exit code of timeout(1). */
const TIMED_OUT_EXIT = 124;

const classOfHttp = (status: number | undefined): FailureClass | null => {
  const code = getFailureClassOfHttpStatus(status ?? null);
  return code === null ? null : FAILURE_CODE_POLICIES[code].class;
};

const classOfProvider = (code: string | undefined): FailureClass | null =>
  code === undefined
    ? null
    : (PROVIDER_CODE_PATTERNS.find(([, each]) => each.test(code.toLowerCase()))?.[0] ?? null);

/** What is known in structure, what says most first. */
function classifyByStructure(envelope: FailureEvidence): readonly [FailureClass, string] | null {
  const { http_status, error_code, code, timed_out, signal, exit_code } = envelope;
  const status = [classOfHttp(http_status), `http_status ${http_status}`] as const;
  const named = [classOfProvider(error_code), `error_code ${error_code}`] as const;
  const crashed = [signal ? 'unknown' : null, `signal ${signal}`] as const;
  const ours = [code ? FAILURE_CODE_POLICIES[code].class : null, `code ${code}`] as const;
  // A spent limit comes as 429 or 403, too: the provider's own code says which it is.
  if (named[0] === 'provider_spend_limit') return [named[0], named[1]];
  if (ours[0] !== null) {
    // Ours was made of what the provider said, where that says the same.
    const told = [status, named, crashed].find(([of]) => of === ours[0]) ?? ours;
    return [ours[0], told[1]];
  }
  for (const [of, rule] of [status, named]) if (of !== null) return [of, rule];
  if (timed_out) return ['timeout', 'timed_out'];
  if (crashed[0] !== null) return [crashed[0], crashed[1]];
  return exit_code === TIMED_OUT_EXIT ? ['timeout', `exit_code ${exit_code}`] : null;
}

function classifyByText(text: string): readonly [FailureClass, string] | null {
  const tail = text.slice(-TEXT_WINDOW).toLowerCase();
  for (const [of, words] of FAILURE_TEXT_PATTERNS) {
    const found = words.exec(tail);
    if (found) return [of, `text "${found[0]}"`];
  }
  return null;
}

/** Returns the policy of our own code beyond its class: a failure that is excused, or told to the next attempt, may be tried again. */
function applyCodePolicy(code: FailureCode): Partial<Pick<ClassifiedFailure, 'remedy' | 'retryable'>> {
  const remedy = remedyForCode(code);
  return { remedy, ...((remedy === 'excused' || remedy === 'same_tier') && { retryable: true }) };
}

/** What a failure is: by what is known in structure first, by words last. */
export function classifyFailure(envelope: FailureEvidence): ClassifiedFailure {
  const { code } = envelope;
  const [of, rule] = classifyByStructure(envelope) ??
    classifyByText(envelope.text ?? '') ?? ['unknown', 'nothing matched'];
  // A signal says more than that the agent has failed.
  const told = of === 'unknown' && envelope.signal ? 'agent_crashed' : code;
  const isOurs = told != null && (FAILURE_CODE_POLICIES[told].class === of || of === 'unknown');
  return {
    class: of,
    ...FAILURE_CLASS_POLICIES[of],
    ...(isOurs && applyCodePolicy(told)),
    code: isOurs ? told : of,
    matched_rule: rule,
    version: CLASSIFIER_VERSION,
  };
}
