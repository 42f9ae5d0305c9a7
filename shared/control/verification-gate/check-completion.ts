import type { CheckOutcome } from '../../contract/check-outcome.ts';
import { MAX_MISSING_ITEM_LENGTH } from '../../contract/run-record/verification-gate-record.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { VerificationGateCriteria } from './criteria.ts';

/** What a command has come to in the agent's checkout. */
export interface CommandResult {
  readonly command: string;
  readonly outcome: CheckOutcome;
  readonly detail: string;
}

/** What is there when an agent says that it is done. */
export interface CompletionObservation {
  readonly hasFileChanges: boolean;
  readonly testResults: readonly CommandResult[];
  /** Null: nothing is to be compiled. */
  readonly compilationResult: CommandResult | null;
}

/** How often an agent was told of each kind of thing that was missing. */
export interface AgentNudgeCounts {
  readonly tests: number;
  readonly compilation: number;
}
export const NO_AGENT_NUDGE_COUNTS: AgentNudgeCounts = { tests: 0, compilation: 0 };

/** Something that was to be there: in words, with what a command has printed. */
export interface MissingItem {
  readonly kind: keyof AgentNudgeCounts;
  readonly message: string;
  readonly detail: string | null;
}

export interface CompletionDecision {
  /** `could_not_run`: nothing is known to be missing, and something could not be looked at. */
  readonly decision: 'satisfied' | 'nudge' | 'forced' | 'could_not_run';
  readonly missing: readonly MissingItem[];
  readonly couldNotRun: readonly string[];
  /** After this decision. */
  readonly nudges: AgentNudgeCounts;
}

/** An agent can mend what fails, and what does not come to its end; not what could not be run. */
const isMissing = ({ outcome }: CommandResult): boolean => outcome === 'failed' || outcome === 'timed_out';
const hasNotRun = (ran: CommandResult): boolean => ran.outcome !== 'passed' && !isMissing(ran);

const describeResult = ({ command, outcome }: CommandResult): string =>
  `${outcome === 'timed_out' ? 'does not come to its end' : 'does not end well'}: ${command}`;

/**
 * Whether an agent that wants to stop may. Each kind of thing has a limit of its own, and a kind that has reached it counts no
 * further; when all that is missing has reached its limit, the agent is let go by force, which is no pass.
 */
export function decideAgentCompletion(
  criteria: Pick<
    VerificationGateCriteria,
    'require_file_changes' | 'max_attempts' | 'compilation_max_attempts'
  >,
  { hasFileChanges, testResults, compilationResult }: CompletionObservation,
  nudges: AgentNudgeCounts,
): CompletionDecision {
  const compiled = compilationResult ? [compilationResult] : [];
  const missing: MissingItem[] = [
    ...(criteria.require_file_changes && !hasFileChanges
      ? [{ kind: 'tests' as const, message: 'no file was changed', detail: null }]
      : []),
    ...testResults.filter(isMissing).map((ran) => ({
      kind: 'tests' as const,
      message: `a required test ${describeResult(ran)}`,
      detail: ran.detail,
    })),
    ...compiled.filter(isMissing).map((ran) => ({
      kind: 'compilation' as const,
      message: `compilation ${describeResult(ran)}`,
      detail: ran.detail,
    })),
  ];
  const couldNotRun = [...testResults, ...compiled]
    .filter(hasNotRun)
    .map(({ command, outcome }) => truncateText(`${outcome}: ${command}`, MAX_MISSING_ITEM_LENGTH));
  const found = { missing, couldNotRun };
  if (missing.length === 0)
    return { ...found, decision: couldNotRun.length === 0 ? 'satisfied' : 'could_not_run', nudges };
  const limits: AgentNudgeCounts = {
    tests: criteria.max_attempts,
    compilation: criteria.compilation_max_attempts,
  };
  const told = (of: keyof AgentNudgeCounts): boolean =>
    nudges[of] < limits[of] && missing.some((each) => each.kind === of);
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
