import type { FailureCode } from '../../contract/failure/failure-class.ts';
import {
  FAILURE_CLASS_POLICIES,
  FAILURE_CODE_POLICIES,
  type Remedy,
  remedyForCode,
} from '../../contract/failure/failure-classes.ts';
import type { FailureClass, FailureMode } from '../../contract/failure/failure-record.ts';
import { failureClassOfStatus } from '../../contract/failure/http-status.ts';
import type { AgentExit } from '../../contract/task/attempt.ts';
import { FAILURE_TEXT_PATTERNS, PROVIDER_CODE_PATTERNS } from './failure-patterns.ts';

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
  readonly remedy: Remedy;
  /** The finer word of ours where it told the class, or where nothing did; else the class. */
  readonly code: string;
  /** The rule that matched, with what it matched on. */
  readonly rule: string;
  readonly version: number;
}

/** Characters at the end of what was said that are looked at: what a program said along the way is not why it ended. */
const TEXT_WINDOW = 4_000;
/** Exit code of timeout(1). */
const TIMED_OUT_EXIT = 124;

const classOfHttp = (status: number | undefined): FailureClass | null => {
  const code = failureClassOfStatus(status ?? null);
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
  const crashed = [signal ? 'provider_transient' : null, `signal ${signal}`] as const;
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

/** What a failure is: by what is known in structure first, by words last. */
export function classifyFailure(envelope: FailureEvidence): ClassifiedFailure {
  const { code } = envelope;
  const [of, rule] = classifyByStructure(envelope) ??
    classifyByText(envelope.text ?? '') ?? ['unknown', 'nothing matched'];
  const isOurs = code != null && (FAILURE_CODE_POLICIES[code].class === of || of === 'unknown');
  return {
    class: of,
    ...FAILURE_CLASS_POLICIES[of],
    ...(isOurs && { remedy: remedyForCode(code) }),
    code: isOurs ? code : of,
    rule,
    version: CLASSIFIER_VERSION,
  };
}
