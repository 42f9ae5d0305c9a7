import type { BoxKind } from '../../contract/box-kind.ts';
import type { Launch } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { type Change, change, epochSeconds, nowIso, runningAttempt, withAttempt } from './change.ts';
import { givenUp, MOST_EXCUSED } from './launches.ts';
import { ended } from './settle.ts';

/** Seconds that a container may take to start (image pull, network interface) before its agent's first sign of life is overdue. */
export const START_SECONDS = 300;

/** Does the platform run a box of this kind for the task? An outside agent's work is in nobody's. */
export const isOurs = ({ runner }: Pick<Task, 'runner'>, kind: BoxKind): boolean =>
  kind !== 'agent' || runner === 'managed';

/** What a box of `kind` still has to bring: when it is there already, nothing needs to be launched. */
export function alreadyReported(task: Task, number: number, kind: BoxKind): boolean {
  const attempt = task.attempts.find((each) => each.number === number);
  if (!attempt || attempt.number !== task.attempts.at(-1)?.number || attempt.outcome !== null) return true;
  if (kind === 'agent') return attempt.report !== null;
  if (kind === 'gates') return attempt.verification !== null || attempt.verification_failure !== null;
  return task.delivery?.state === 'delivered' || task.delivery?.state === 'refused';
}

const eventOf = (kind: BoxKind): 'keep' | 'review' => (kind === 'agent' ? 'keep' : 'review');

/** Records a box before it is started, so that a repeated message finds it and starts nothing twice. Null: it is recorded already. */
export function recordLaunch(
  task: Task,
  number: number,
  kind: BoxKind,
  launch: Launch,
  now: Date,
): Change | null {
  const attempt = runningAttempt(task, number);
  if (attempt[kind]?.number === launch.number) return null;
  // The agent's lease runs from the start of its box: waiting in a queue is nobody's silence.
  const lease = kind === 'agent' ? { lease_until: epochSeconds(now) + START_SECONDS } : {};
  return change(task, eventOf(kind), now, { attempts: withAttempt(task, { [kind]: launch, ...lease }) });
}

/** The box could not be started just now: it counts as launched only after `seconds`, so that nobody takes it for lost meanwhile. */
export function postponeLaunch(
  task: Task,
  number: number,
  kind: BoxKind,
  seconds: number,
  now: Date,
): Change | null {
  const attempt = task.attempts.at(-1);
  const launch = attempt?.[kind];
  if (!attempt || !launch || attempt.number !== number || alreadyReported(task, number, kind)) return null;
  const lease = kind === 'agent' ? { lease_until: epochSeconds(now) + seconds + START_SECONDS } : {};
  return change(task, eventOf(kind), now, {
    attempts: withAttempt(task, {
      [kind]: { ...launch, launched_at: nowIso(new Date(now.getTime() + seconds * 1_000)) },
      ...lease,
    }),
  });
}

/** ECS will never start this agent's box as it is asked for: no retry and no model mends that. Null: the attempt is over already. */
export function launchRefused(task: Task, number: number, why: string, now: Date): Change | null {
  if (alreadyReported(task, number, 'agent')) return null;
  return change(task, 'fail', now, {
    attempts: withAttempt(task, { outcome: 'infra_failed', ended_at: nowIso(now) }),
    ...ended(now),
    failure: { code: 'launch_refused', message: why },
  });
}

/** Marks the last box of this kind as one after which no other is started. */
export function noFurtherLaunch(task: Task, number: number, kind: BoxKind, now: Date): Change | null {
  const launch = task.attempts.at(-1)?.[kind];
  if (!launch || givenUp(launch) || alreadyReported(task, number, kind)) return null;
  return change(task, eventOf(kind), now, {
    attempts: withAttempt(task, { [kind]: { ...launch, lost: true, excused: MOST_EXCUSED } }),
  });
}
