import type { FailureCode } from '../../../shared/contract/failure/failure-class.ts';
import type { ProcessResult } from '../../../workspace/process/run-process.ts';
import type { ChallengerEnd } from './challenge-patch.ts';

/** What the CLI of a challenger has told of its run. */
export interface ChallengerRunState {
  readonly failure: { readonly class: FailureCode } | null;
  /** Its final event was read. */
  readonly hasEnded: boolean;
  /** Its final event came in time. */
  readonly isFinished: boolean;
}

/**
 * Says how a challenger ended.
 * @param runState what its CLI has told of its run, and whether its final event came in time; null: it is a command, which tells nothing
 */
export function describeChallengerEnd(
  { end, exitCode, startError }: Pick<ProcessResult, 'end' | 'exitCode' | 'startError'>,
  runState: ChallengerRunState | null,
): ChallengerEnd {
  const isContained = end !== 'uncontained';
  if (end === 'timed_out')
    return { outcome: 'timed_out', why: 'the challenger did not end within its time limit', isContained };
  if (runState?.failure?.class === 'provider_spend_limit')
    return { outcome: 'budget_spent', why: 'the gateway ended its calls at the budget', isContained };
  // A CLI that does not exit after its final event is stopped, and its answer counts.
  const isStoppedAfterEnd = end === 'aborted' && runState?.isFinished === true;
  if (!isStoppedAfterEnd && (end !== 'exited' || exitCode !== 0)) {
    const how =
      end === 'exited' ? `exited with code ${exitCode}` : `${end}${startError ? ` (${startError})` : ''}`;
    return { outcome: 'no_answer', why: `the challenger ${how.replaceAll('_', ' ')}`, isContained };
  }
  // Some CLIs exit with 0 after a failure. Its reason can quote the model, and with it a test: only its class is named.
  if (runState?.failure)
    return {
      outcome: 'no_answer',
      why: `the challenger failed (${runState.failure.class.replaceAll('_', ' ')})`,
      isContained,
    };
  return runState === null || runState.hasEnded
    ? { outcome: null, why: '', isContained }
    : { outcome: 'no_answer', why: 'the challenger ended before its last event', isContained };
}
