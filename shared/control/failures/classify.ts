import { CODES, type Remedy, remedyOf, SEED_FACTS } from '../../contract/failure/classes.ts';
import type { FailureMode, SeedClass } from '../../contract/failure/failed-how.ts';
import type { FailureClass } from '../../contract/failure/failure-class.ts';
import { classOfStatus } from '../../contract/failure/status.ts';
import type { AgentEnd } from '../../contract/task/attempt.ts';
import { PROVIDER_CODES, WORDS } from './rules.ts';

/** Says with which rules a failure was classified. */
export const CLASSIFIER_VERSION = 2;

/** What is known of a failure. All of it may be missing. */
export interface Envelope extends Omit<AgentEnd, 'words'> {
  /** What a box or the gateway of ours has made of it. */
  readonly code?: FailureClass | null;
  /** What the failing program said; never the prose of a model. */
  readonly text?: string;
}

export interface Classified {
  readonly class: SeedClass;
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

const classOfHttp = (status: number | undefined): SeedClass | null => {
  const code = classOfStatus(status ?? null);
  return code === null ? null : CODES[code].class;
};

const classOfProvider = (code: string | undefined): SeedClass | null =>
  code === undefined ? null : (PROVIDER_CODES.find(([, each]) => each.test(code.toLowerCase()))?.[0] ?? null);

/** What is known in structure, what says most first. */
function byStructure(envelope: Envelope): readonly [SeedClass, string] | null {
  const { http_status, error_code, code, timed_out, signal, exit_code } = envelope;
  const status = [classOfHttp(http_status), `http_status ${http_status}`] as const;
  const named = [classOfProvider(error_code), `error_code ${error_code}`] as const;
  const crashed = [signal ? 'provider_transient' : null, `signal ${signal}`] as const;
  const ours = [code ? CODES[code].class : null, `code ${code}`] as const;
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

function byWords(text: string): readonly [SeedClass, string] | null {
  const tail = text.slice(-TEXT_WINDOW).toLowerCase();
  for (const [of, words] of WORDS) {
    const found = words.exec(tail);
    if (found) return [of, `text "${found[0]}"`];
  }
  return null;
}

/** What a failure is: by what is known in structure first, by words last. */
export function classify(envelope: Envelope): Classified {
  const { code } = envelope;
  const [of, rule] = byStructure(envelope) ?? byWords(envelope.text ?? '') ?? ['unknown', 'nothing matched'];
  const isOurs = code != null && (CODES[code].class === of || of === 'unknown');
  return {
    class: of,
    ...SEED_FACTS[of],
    ...(isOurs && { remedy: remedyOf(code) }),
    code: isOurs ? code : of,
    rule,
    version: CLASSIFIER_VERSION,
  };
}
