import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { beginNextAgentRun, createAgentRunState } from './adapters/run-state.ts';
import {
  type AgentSession,
  type AgentSessionOptions,
  mergeProcessResults,
  runAgentSession,
} from './agent-session.ts';
import { restoreSessionRecord } from './session-record.ts';
import type { PreparedWorkspace } from './workspace-layout.ts';

/**
 * The first run of a box: goes on with the session of the box before, where there is one and the CLI finds it; else with the task, which says
 * what was decided, in the checkout as that box has left it.
 */
export async function startOrResumeAgentSession(
  assignment: AgentAssignment,
  box: ContainerWorkContext,
  prepared: PreparedWorkspace,
  options: AgentSessionOptions,
): Promise<AgentSession> {
  const { resumeCommand } = AGENT_ADAPTERS[assignment.adapter.kind];
  const { resumed_session: resumed } = assignment;
  if (!resumeCommand || !resumed || !(await restoreSessionRecord(assignment, prepared, box)))
    return runAgentSession(assignment, box, prepared, options);
  const argv = resumeCommand(prepared.invocation.argv, resumed.session, resumed.message);
  const run = await runAgentSession(assignment, box, prepared, {
    ...options,
    resumeFrom: { reading: createAgentRunState(), argv },
  });
  // It has not come to asking a model: it knows nothing of the session, or no more than its name.
  const isLost = run.result.end === 'exited' && run.result.exitCode !== 0 && run.runState?.turns === 0;
  return isLost && !run.approvalRequest ? runAgentSession(assignment, box, prepared, options) : run;
}

/**
 * Another run of an agent that had ended. A CLI that can go on with a session is told in it; any other program starts anew in the
 * checkout as it stands, with what it is told after its task.
 */
export async function resumeAgentSession(
  message: string,
  before: AgentSession,
  assignment: AgentAssignment,
  box: ContainerWorkContext,
  prepared: PreparedWorkspace,
  options: AgentSessionOptions,
): Promise<AgentSession> {
  const { resumeCommand, reportsSessionTotals } = AGENT_ADAPTERS[assignment.adapter.kind];
  const reading = before.runState ?? createAgentRunState();
  const { sessionId } = reading;
  const goesOn = resumeCommand !== undefined && sessionId !== null;
  const { addEarlier } = beginNextAgentRun(reading, goesOn && reportsSessionTotals === true);
  const place = goesOn ? prepared : await prepared.withMessage(message);
  const argv = goesOn ? resumeCommand(place.invocation.argv, sessionId, message) : place.invocation.argv;
  const run = await runAgentSession(assignment, box, place, { ...options, resumeFrom: { reading, argv } });
  addEarlier();
  return { ...run, result: mergeProcessResults(before.result, run.result) };
}
