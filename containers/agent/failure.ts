import type { AgentEnd } from '../../shared/contract/task/attempt.ts';
import { classify } from '../../shared/control/failures/classify.ts';
import type { RunResult } from '../../workspace/process/run.ts';
import type { Failure, Reading } from './adapters/reading.ts';
import type { Session } from './session.ts';
import type { Stopped } from './watch.ts';

/** Why an agent failed: what the system knows comes first, then what the agent says. Null when it did not fail. */
export function failureOf(session: Session, program: string): Failure | null {
  const { result, reading, stopped } = session;
  if (stopped) return failureOfStop(stopped, reading);
  if (result.end === 'timed_out')
    return {
      class: 'timeout',
      reason: `the agent was stopped after ${Math.round(result.durationMs / 1000)} s`,
    };
  if (result.end === 'not_started') return { class: 'config_invalid', reason: notStarted(result, program) };
  return reading === null ? ofCommand(result) : ofEvents(result, reading);
}

function failureOfStop(stopped: Stopped, reading: Reading | null): Failure {
  switch (stopped.why) {
    case 'waiting':
      return {
        class: reading?.waitingClass ?? 'provider_transient',
        reason: `the agent did nothing but wait and was stopped: ${stopped.for}`,
      };
    case 'silent': {
      const told = (reading?.nudges ?? 0) > 0 ? ', also after it was told to go on' : '';
      return {
        class: 'timeout',
        reason: `the agent said nothing for ${stopped.seconds} s${told}, and was stopped`,
      };
    }
    case 'turns':
      return { class: 'turn_limit', reason: `the agent was stopped after ${stopped.limit} turns` };
  }
}

function notStarted({ startError }: RunResult, program: string): string {
  if (startError === 'E2BIG')
    return 'the prompt is too long for an argument; let the adapter use {prompt_file}';
  if (startError === 'ENOENT') return `the adapter's program ${program} is not installed in the agent box`;
  return `the adapter's program ${program} could not be started (${startError})`;
}

const howOf = ({ end, signal, exitCode }: RunResult): string =>
  end === 'signalled' ? `was ended by ${signal}` : `exited with ${exitCode}`;

function ofCommand(result: RunResult): Failure | null {
  if (result.end === 'exited' && result.exitCode === 0) return null;
  const crashed = result.end === 'signalled';
  return { class: crashed ? 'agent_crashed' : 'agent_failed', reason: `the agent ${howOf(result)}` };
}

/**
 * How the program ended, and what it said of that in structure. What a command has printed is its own, what a CLI gives as its reason
 * is; what follows from either, the cascade decides.
 */
export function endOf({ result, reading }: Session, failure: Failure | null): AgentEnd {
  const { end, exitCode, signal, startError } = result;
  const code = failure?.errorCode ?? startError;
  return {
    ...(exitCode !== null && { exit_code: exitCode }),
    ...(end === 'signalled' && signal !== null && { signal }),
    ...(end === 'timed_out' && { timed_out: true }),
    ...(failure?.status !== undefined && { http_status: failure.status }),
    ...(failure && code !== null && { error_code: code.slice(0, 100) }),
    // That it is blocked, the model says.
    ...(failure &&
      failure.class !== 'agent_blocked' && { words: reading === null ? 'output_tail' : 'summary' }),
  };
}

/** Does it pass by itself, as the cascade would take it? */
export const passes = (session: Session, failure: Failure): boolean => {
  const { words, ...end } = endOf(session, failure);
  const text = words === 'output_tail' ? session.result.output : failure.reason;
  return classify({ ...end, code: failure.class, text: words ? text : '' }).remedy === 'later';
};

/** Exit codes of the CLIs say little: 0 comes with refusals, too. Only the last event counts; without one it broke off. */
function ofEvents(result: RunResult, reading: Reading): Failure | null {
  if (reading.failure) return reading.failure;
  if (reading.ended) return null;
  return {
    // A CLI that never began has refused its command line or its settings.
    class: result.end === 'exited' && reading.session === null ? 'config_invalid' : 'agent_crashed',
    reason: `the agent ${howOf(result)} before its last event: ${result.output.trim().slice(-500)}`,
  };
}
