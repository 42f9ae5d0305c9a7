import { isPatchRefusal } from '../../shared/contract/failure/failure-classes.ts';
import type { AgentExit } from '../../shared/contract/task/attempt.ts';
import { classifyFailure } from '../../shared/control/failures/classify-failure.ts';
import { findUsageLimit } from '../../shared/control/failures/usage-limit-text.ts';
import type { ProcessResult } from '../../workspace/process/run-process.ts';
import type { AgentFailure, AgentRunState } from './adapters/run-state.ts';
import type { AgentSession } from './agent-session.ts';
import type { WatchdogStopReason } from './watchdog.ts';

/** Why an agent failed: what the system knows comes first, then what the agent says. Null when it did not fail. */
export function determineAgentFailure(
  session: AgentSession,
  program: string,
  now: Date = new Date(),
): AgentFailure | null {
  const failure = determineFailureByEnd(session, program);
  if (failure === null || FINAL_CLASSES.includes(failure.class)) return failure;
  const until = session.runState?.limitResetAtMs ?? null;
  // The end of a CLI's output can be prose of the model, which names limits of anything.
  const words =
    session.runState === null
      ? session.result.output.slice(-LIMIT_TEXT_CHARS)
      : (session.runState.failure?.reason ?? '');
  const limit =
    until !== null && until > now.getTime()
      ? { retryAfterSeconds: Math.ceil((until - now.getTime()) / 1_000) }
      : findUsageLimit(words, now);
  if (limit === null) return failure;
  const seconds = limit.retryAfterSeconds ?? failure.retryAfterSeconds;
  return {
    ...failure,
    class: 'rate_limited',
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}

/** Failures that no limit of a provider explains. */
const FINAL_CLASSES: readonly AgentFailure['class'][] = ['timeout', 'turn_limit', 'agent_blocked', 'refused'];
/** Characters at the end of a command's output in which it may name a limit. */
const LIMIT_TEXT_CHARS = 4_000;

function determineFailureByEnd(session: AgentSession, program: string): AgentFailure | null {
  const { result, runState, watchdogStop } = session;
  if (session.isFinished && runState !== null) return eventsFailure(session, runState);
  if (watchdogStop) return watchdogFailure(watchdogStop, runState);
  if (result.end === 'timed_out')
    return {
      class: 'timeout',
      reason: `the agent was stopped after ${Math.round(result.durationMs / 1000)} s`,
    };
  if (result.end === 'not_started') return { class: 'config_invalid', reason: notStarted(result, program) };
  return runState === null ? commandFailure(session) : eventsFailure(session, runState);
}

function watchdogFailure(stopped: WatchdogStopReason, reading: AgentRunState | null): AgentFailure {
  switch (stopped.reason) {
    case 'waiting':
      return {
        class: reading?.waitFailureClass ?? 'provider_transient',
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

function notStarted({ startError }: ProcessResult, program: string): string {
  if (startError === 'E2BIG')
    return 'the prompt is too long for an argument; let the adapter use {prompt_file}';
  if (startError === 'ENOENT') return `the adapter's program ${program} is not installed in the agent box`;
  return `the adapter's program ${program} could not be started (${startError})`;
}

const howOf = ({ result: { end, signal, exitCode }, isOutOfMemory }: AgentSession): string =>
  end === 'signalled'
    ? `was ended by ${signal}${isOutOfMemory ? ': the container is out of memory' : ''}`
    : `exited with ${exitCode}`;

function commandFailure(session: AgentSession): AgentFailure | null {
  const { result } = session;
  if (result.end === 'exited' && result.exitCode === 0) return null;
  const crashed = result.end === 'signalled';
  return { class: crashed ? 'agent_crashed' : 'agent_failed', reason: `the agent ${howOf(session)}` };
}

/**
 * How the program ended, and what it said of that in structure. What a command has printed is its own, what a CLI gives as its reason
 * is; what follows from either, the cascade decides.
 */
export function buildAgentExit({ result, runState }: AgentSession, failure: AgentFailure | null): AgentExit {
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
      failure.class !== 'agent_blocked' && {
        failure_text_source: runState === null && !isPatchRefusal(failure.class) ? 'output_tail' : 'summary',
      }),
  };
}

/** Does it pass by itself, as the cascade would take it? */
export const isTransientAgentFailure = (session: AgentSession, failure: AgentFailure): boolean => {
  const { failure_text_source: words, ...end } = buildAgentExit(session, failure);
  const text = words === 'output_tail' ? session.result.output : failure.reason;
  return classifyFailure({ ...end, code: failure.class, text: words ? text : '' }).remedy === 'later';
};

/** Exit codes of the CLIs say little: 0 comes with refusals, too. Only the last event counts; without one it broke off. */
function eventsFailure(session: AgentSession, reading: AgentRunState): AgentFailure | null {
  const { result } = session;
  if (reading.failure) return reading.failure;
  if (reading.hasEnded) return null;
  return {
    // A CLI that never began has refused its command line or its settings.
    class: result.end === 'exited' && reading.sessionId === null ? 'config_invalid' : 'agent_crashed',
    reason: `the agent ${howOf(session)} before its last event: ${result.output.trim().slice(-500)}`,
  };
}
