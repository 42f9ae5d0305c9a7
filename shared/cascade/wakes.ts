import { type Attempt, BOX_KINDS, type BoxKind } from '../task/attempt.ts';
import { currentAttempt, type Task } from '../task/task.ts';
import { type Stage, stageOf } from './stage.ts';

export interface Wake {
  readonly task_token: string;
  readonly stage: Stage;
}

function isDone(task: Task, attempt: Attempt, kind: BoxKind): boolean {
  if (attempt.outcome !== null) return true;
  if (kind === 'agent') return attempt.report !== null || task.status === 'auth_required';
  if (kind === 'gates') return attempt.verification !== null || attempt.verification_failure !== null;
  return task.delivery?.state === 'delivered' || task.delivery?.state === 'refused';
}

/** States that waited for boxes of the attempt before, where a newer run has taken over with another one: that of a merge. */
function leftBehind(before: Task | null, after: Task): Wake[] {
  const left = before && currentAttempt(before);
  if (!left || after.run <= before.run || left.number === currentAttempt(after)?.number) return [];
  return BOX_KINDS.flatMap((kind) => {
    const token = left[kind]?.task_token;
    return token && !isDone(before, left, kind) ? [{ task_token: token, stage: 'superseded' as const }] : [];
  });
}

/**
 * Which waiting states of the cascade one write of a task wakes. A box's state is woken when the box has reported or was given up,
 * or when its token arrived after that; all are woken when the run has moved on, so that the older execution ends.
 */
export function wakes(before: Task | null, after: Task): Wake[] {
  const attempt = currentAttempt(after);
  if (!attempt) return [];
  const earlier = before?.attempts.find((each) => each.number === attempt.number) ?? null;
  const stage = stageOf(after);
  const woken = BOX_KINDS.flatMap((kind): Wake[] => {
    const token = attempt[kind]?.task_token;
    if (!token) return [];
    const superseded = before !== null && after.run > before.run && earlier?.[kind]?.task_token === token;
    const doneNow = isDone(after, attempt, kind);
    const doneBefore =
      before !== null &&
      earlier !== null &&
      isDone(before, earlier, kind) &&
      earlier[kind]?.task_token === token;
    // The state that the task is in now is for the newer execution to go on from; this one ends.
    if (superseded) return [{ task_token: token, stage: 'superseded' }];
    return doneNow && !doneBefore ? [{ task_token: token, stage }] : [];
  });
  return [...leftBehind(before, after), ...woken];
}
