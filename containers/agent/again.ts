import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import type { Box } from '../../workspace/supervisor/box.ts';
import { newReading, nextRun } from './adapters/reading.ts';
import { AGENT_ADAPTERS } from './adapters/registry.ts';
import { putSession } from './kept-session.ts';
import type { Prepared } from './places.ts';
import { runSession, type Session, type SessionOptions, together } from './session.ts';

/**
 * The first run of a box: goes on with the session of the box before, where there is one and the CLI finds it; else with the task, which says
 * what was decided, in the checkout as that box has left it.
 */
export async function runFirst(
  assignment: AgentAssignment,
  box: Box,
  prepared: Prepared,
  options: SessionOptions,
): Promise<Session> {
  const { resume } = AGENT_ADAPTERS[assignment.adapter.kind];
  const { resumed } = assignment;
  if (!resume || !resumed || !(await putSession(assignment, prepared, box)))
    return runSession(assignment, box, prepared, options);
  const argv = resume(prepared.invocation.argv, resumed.session, resumed.message);
  const run = await runSession(assignment, box, prepared, {
    ...options,
    goesOn: { reading: newReading(), argv },
  });
  // It has not come to asking a model: it knows nothing of the session, or no more than its name.
  const isLost = run.result.end === 'exited' && run.result.exitCode !== 0 && run.reading?.turns === 0;
  return isLost && !run.asks ? runSession(assignment, box, prepared, options) : run;
}

/**
 * Another run of an agent that had ended. A CLI that can go on with a session is told in it; any other program starts anew in the
 * checkout as it stands, with what it is told after its task.
 */
export async function runAgain(
  message: string,
  before: Session,
  assignment: AgentAssignment,
  box: Box,
  prepared: Prepared,
  options: SessionOptions,
): Promise<Session> {
  const { resume } = AGENT_ADAPTERS[assignment.adapter.kind];
  const reading = before.reading ?? newReading();
  const { session } = reading;
  const { addEarlier } = nextRun(reading);
  const goesOn = resume && session !== null;
  const place = goesOn ? prepared : await prepared.restated(message);
  const argv = goesOn ? resume(place.invocation.argv, session, message) : place.invocation.argv;
  const run = await runSession(assignment, box, place, { ...options, goesOn: { reading, argv } });
  addEarlier();
  return { ...run, result: together(before.result, run.result) };
}
