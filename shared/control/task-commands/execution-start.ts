import type { CascadeExecutionInput, CascadeStepResult } from '../../contract/messages/step-messages.ts';
import type { Task } from '../../contract/task/task.ts';
import { hashSubmitterName } from '../admission/admission-control.ts';
import { type CascadeStage, determineCascadeStage } from './cascade-stage.ts';

/** Where a task waits for what others bring: a box its report, the janitor its verdict. */
const EXTERNAL_WAIT_STAGES: ReadonlySet<CascadeStage> = new Set<CascadeStage>([
  'run_agent',
  'run_gates',
  'challenge',
  'verify',
  'deliver',
]);
/** Where an execution has nothing to do. */
const IDLE_STAGES: ReadonlySet<CascadeStage> = new Set<CascadeStage>([
  'held',
  'waiting',
  'superseded',
  'ended',
]);

/** Where a task stands, as the cascade carries it from state to state. */
export const buildCascadeStepResult = (task: Task, stage: CascadeStage): CascadeStepResult => ({
  stage,
  attempt: task.attempts.at(-1)?.number ?? 0,
  priority: task.priority,
  submitter: hashSubmitterName(task),
});

/** Is there a step of the cascade to be done for a task as it is now, or something to be waited for that the cascade asks for? */
export const isCascadeExecutionNeeded = (task: Task): boolean =>
  task.run > 0 && !IDLE_STAGES.has(determineCascadeStage(task));

/** What an execution is started with: it goes on where the task stands. */
export const buildCascadeExecutionInput = (task: Task): CascadeExecutionInput => ({
  task_id: task.id,
  run: task.run,
  ...buildCascadeStepResult(task, determineCascadeStage(task)),
});

/**
 * Does one write of a task start an execution of the cascade? A new run does, and what ends a wait: an execution ends where its task has to
 * wait, and whoever brings what it has waited for makes the next one start. What an execution writes itself it goes on from by itself.
 */
export function shouldStartCascadeExecution(before: Task | null, after: Task): boolean {
  if (!isCascadeExecutionNeeded(after)) return false;
  if (after.run > (before?.run ?? 0)) return true;
  const was = before && determineCascadeStage(before);
  return was !== null && EXTERNAL_WAIT_STAGES.has(was) && was !== determineCascadeStage(after);
}
