import type { RunResult } from '../../gates/process/run.ts';
import type { FailureClass } from '../../shared/task/attempt.ts';
import type { Failure, Reading } from './adapters/reading.ts';
import type { Session } from './session.ts';
import type { Stopped } from './watch.ts';

/** Texts of a failed command and what they mean; the first that matches counts. Lower case. Only for programs that report nothing else. */
const PATTERNS: readonly (readonly [FailureClass, RegExp])[] = [
  ['timeout', /timed out|timeout/],
  ['provider_spend_limit', /http 402|\b402 payment|spend limit exceeded|insufficient credits/],
  ['provider_auth', /http 40[13]|unauthorized|forbidden|invalid api key/],
  ['rate_limited', /http 429|\b429\b|too many requests|rate[ -]limit/],
  [
    'provider_transient',
    /http 50[0234]|http 529|internal server error|network error|overloaded|econnreset|econnrefused/,
  ],
];

/** How much of the end of the output is looked at: what an agent said along the way is not why it ended. */
const LOOKED_AT = 2_000;

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
  const text = result.output.slice(-LOOKED_AT).toLowerCase();
  const found = PATTERNS.find(([, pattern]) => pattern.test(text));
  return { class: found?.[0] ?? 'agent_failed', reason: `the agent ${howOf(result)}` };
}

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
