import type { BoxKind, Launch } from '../attempt.ts';
import type { Task } from '../task.ts';
import { type Change, change, runningAttempt, withAttempt } from './change.ts';

/** What a box of `kind` still has to bring: when it is there already, nothing needs to be launched. */
export function alreadyReported(task: Task, number: number, kind: BoxKind): boolean {
  const attempt = task.attempts.find((each) => each.number === number);
  if (!attempt || attempt.number !== task.attempts.at(-1)?.number || attempt.outcome !== null) return true;
  if (kind === 'agent') return attempt.report !== null;
  if (kind === 'gates') return attempt.verification !== null || attempt.verification_failure !== null;
  return task.delivery?.state === 'delivered' || task.delivery?.state === 'refused';
}

const eventOf = (kind: BoxKind): 'keep' | 'review' => (kind === 'agent' ? 'keep' : 'review');

/**
 * Records a box before it is started, so that a repeated message finds it and starts nothing twice. A later message of the same box
 * (a restarted cascade) only brings a newer task token. Null: this very message was handled before.
 */
export function recordLaunch(
  task: Task,
  number: number,
  kind: BoxKind,
  launch: Launch,
  now: Date,
): Change | null {
  const attempt = runningAttempt(task, number);
  const present = attempt[kind];
  if (present && present.number === launch.number) {
    if (present.task_token === launch.task_token) return null;
    return change(task, eventOf(kind), now, {
      attempts: withAttempt(task, { [kind]: { ...present, task_token: launch.task_token } }),
    });
  }
  return change(task, eventOf(kind), now, { attempts: withAttempt(task, { [kind]: launch }) });
}
