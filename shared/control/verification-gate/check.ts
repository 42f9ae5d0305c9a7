import type { Outcome } from '../../contract/outcome.ts';
import { MISSING_CHARACTERS } from '../../contract/run-record/verification-gate-record.ts';
import { firstOf } from '../../lib/cut.ts';
import type { VerificationCriteria } from './criteria.ts';

/** What a command has come to in the agent's checkout. */
export interface Ran {
  readonly command: string;
  readonly outcome: Outcome;
  readonly detail: string;
}

/** What is there when an agent says that it is done. */
export interface Seen {
  readonly changed: boolean;
  readonly tests: readonly Ran[];
  /** Null: nothing is to be compiled. */
  readonly compilation: Ran | null;
}

/** How often an agent was told of each kind of thing that was missing. */
export interface Nudges {
  readonly tests: number;
  readonly compilation: number;
}
export const NO_NUDGES: Nudges = { tests: 0, compilation: 0 };

/** Something that was to be there: in words, with what a command has printed. */
export interface Missing {
  readonly of: keyof Nudges;
  readonly what: string;
  readonly detail: string | null;
}

export interface Checked {
  /** `inert`: nothing is known to be missing, and something could not be looked at. */
  readonly decision: 'satisfied' | 'nudge' | 'forced' | 'inert';
  readonly missing: readonly Missing[];
  readonly unclear: readonly string[];
  /** After this decision. */
  readonly nudges: Nudges;
}

/** An agent can mend what fails, and what does not come to its end; not what could not be run. */
const isMissing = ({ outcome }: Ran): boolean => outcome === 'failed' || outcome === 'timed_out';
const isUnclear = (ran: Ran): boolean => ran.outcome !== 'passed' && !isMissing(ran);

const words = ({ command, outcome }: Ran): string =>
  `${outcome === 'timed_out' ? 'does not come to its end' : 'does not end well'}: ${command}`;

/**
 * Whether an agent that wants to stop may. Each kind of thing has a limit of its own, and a kind that has reached it counts no
 * further; when all that is missing has reached its limit, the agent is let go by force, which is no pass.
 */
export function check(
  criteria: Pick<VerificationCriteria, 'require_file_changes' | 'max_attempts' | 'compilation_max_attempts'>,
  { changed, tests, compilation }: Seen,
  nudges: Nudges,
): Checked {
  const compiled = compilation ? [compilation] : [];
  const missing: Missing[] = [
    ...(criteria.require_file_changes && !changed
      ? [{ of: 'tests' as const, what: 'no file was changed', detail: null }]
      : []),
    ...tests
      .filter(isMissing)
      .map((ran) => ({ of: 'tests' as const, what: `a required test ${words(ran)}`, detail: ran.detail })),
    ...compiled
      .filter(isMissing)
      .map((ran) => ({ of: 'compilation' as const, what: `compilation ${words(ran)}`, detail: ran.detail })),
  ];
  const unclear = [...tests, ...compiled]
    .filter(isUnclear)
    .map(({ command, outcome }) => firstOf(`${outcome}: ${command}`, MISSING_CHARACTERS));
  const found = { missing, unclear };
  if (missing.length === 0)
    return { ...found, decision: unclear.length === 0 ? 'satisfied' : 'inert', nudges };
  const limits: Nudges = { tests: criteria.max_attempts, compilation: criteria.compilation_max_attempts };
  const told = (of: keyof Nudges): boolean =>
    nudges[of] < limits[of] && missing.some((each) => each.of === of);
  if (!told('tests') && !told('compilation')) return { ...found, decision: 'forced', nudges };
  return {
    ...found,
    decision: 'nudge',
    nudges: {
      tests: nudges.tests + (told('tests') ? 1 : 0),
      compilation: nudges.compilation + (told('compilation') ? 1 : 0),
    },
  };
}
