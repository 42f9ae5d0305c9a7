import type { CASCADE_NEXT_STAGES } from '../../contract/messages/step-messages.ts';
import { isTerminalStatus } from '../../contract/task/status.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { isBaseCommitUnresolved } from './base-commit.ts';
import { shouldDeliver } from './finish-task.ts';
import { findLaunchGiveUpReason } from './launch-limits.ts';

export type CascadeStage = (typeof CASCADE_NEXT_STAGES)[number];

/** Was leave to push given to boxes of which none came back? What they did with it, only the repository knows. */
const isDeliveryUnknown = (task: Task): boolean =>
  task.delivery?.state === 'pushing' &&
  findLaunchGiveUpReason(currentAttempt(task)?.deliver, 'deliver') !== null;

function stageInReview(task: Task): CascadeStage {
  const attempt = currentAttempt(task);
  if (!attempt) return 'settle';
  if (attempt.outcome !== null)
    return attempt.decision?.action === 'retry' || attempt.decision?.action === 'escalate'
      ? 'select_model'
      : 'settle';
  if (task.hold) return 'held';
  if (attempt.decision?.action === 'accept')
    return !shouldDeliver(task) ? 'settle' : isDeliveryUnknown(task) ? 'find_branch' : 'deliver';
  if (attempt.report?.status !== 'completed' || !attempt.artifact) return 'decide';
  if (attempt.verification_failure) return 'decide';
  if (!attempt.verification) return 'run_gates';
  if (attempt.challenge?.outcome === null) return 'challenge';
  return attempt.verdict ? 'decide' : 'verify';
}

/**
 * Where a task stands, as the cascade sees it: a pure function of the task, so an execution can be started at any time and goes on
 * from there. `run` is the execution's number; an older one has been superseded.
 */
export function determineCascadeStage(task: Task, run: number = task.run): CascadeStage {
  if (run !== task.run) return 'superseded';
  if (isTerminalStatus(task.status) || task.status === 'blocked') return 'ended';
  if (task.status === 'auth_required') return 'held';
  if (task.status === 'in_review') return stageInReview(task);
  if (task.status === 'open' && isBaseCommitUnresolved(task)) return 'resolve_base';
  if (task.runner === 'external') return 'ended';
  if (task.status === 'open') return task.waits_for === null ? 'select_model' : 'waiting';
  return 'run_agent';
}
