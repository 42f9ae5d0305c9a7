import type { CascadeStepResult } from '../../contract/messages/step-messages.ts';
import type { Task } from '../../contract/task/task.ts';
import { type CascadeStage, determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { START_GRACE_SECONDS } from '../../control/task-commands/deadline.ts';
import { buildCascadeStepResult } from '../../control/task-commands/execution-start.ts';
import type { DeadlineStore } from '../../store/deadlines.ts';

export interface DeferredRetryContext {
  readonly deadlines: Pick<DeadlineStore, 'postpone'>;
}

/** Seconds that an execution waits by itself, once. Whoever looks at deadlines does so once a minute. */
const SHORT_SECONDS = 60;

/**
 * A step is to be done in so many seconds, because somebody wants to be left alone. That is the deadline of the task, at which another
 * execution is started; where it is soon, and this one `mayWait`, it does.
 */
export async function deferCascadeStepRetry(
  task: Task,
  { seconds, mayWait }: { readonly seconds: number; readonly mayWait: boolean },
  now: Date,
  { deadlines }: DeferredRetryContext,
): Promise<CascadeStepResult> {
  const isShort = mayWait && seconds <= SHORT_SECONDS;
  const due = seconds + (isShort ? START_GRACE_SECONDS : 0);
  await deadlines.postpone(task, new Date(now.getTime() + due * 1_000));
  const stage: CascadeStage = isShort ? determineCascadeStage(task) : 'waiting';
  return { ...buildCascadeStepResult(task, stage), ...(isShort && { wait_s: seconds }) };
}
