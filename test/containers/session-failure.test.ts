import { expect, it } from 'vitest';
import { createAgentRunState } from '../../containers/agent/adapters/run-state.ts';
import type { AgentSession } from '../../containers/agent/agent-session.ts';
import { determineAgentFailure } from '../../containers/agent/session-failure.ts';
import { stub } from '../support/stub.ts';

const TEXT = "You've hit your usage limit. Try again in 8 days.";
const session = (runState: AgentSession['runState']): AgentSession => ({
  result: stub<AgentSession['result']>({
    end: 'exited',
    exitCode: 1,
    signal: null,
    output: TEXT,
    durationMs: 10,
    startError: null,
  }),
  ...{ runState, watchdogStop: null, isFinished: false, approvalRequest: null },
});

it('takes a usage limit from the reason that a CLI gives, and not from the end of its output', () => {
  const state = { ...createAgentRunState(), sessionId: 's1' };
  expect(determineAgentFailure(session(state), 'codex')?.class).toBe('agent_crashed');
  const failure = { class: 'agent_failed', reason: TEXT } as const;
  expect(determineAgentFailure(session({ ...state, failure }), 'codex')?.class).toBe('rate_limited');
});

it('says that memory ran out where the kernel has killed the agent for it', () => {
  const { result, ...rest } = session(null);
  const killed = { ...rest, result: { ...result, end: 'signalled' as const, exitCode: null, output: '' } };
  const failureOf = (signal: NodeJS.Signals, isOutOfMemory: boolean) =>
    determineAgentFailure({ ...killed, result: { ...killed.result, signal }, isOutOfMemory }, 'agent');
  expect(failureOf('SIGKILL', true)).toEqual({
    class: 'agent_crashed',
    reason: 'the agent was ended by SIGKILL: the container is out of memory',
  });
  expect(failureOf('SIGKILL', false)?.reason).toBe('the agent was ended by SIGKILL');
});
