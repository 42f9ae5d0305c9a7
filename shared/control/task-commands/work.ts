import type { Usage } from '../../contract/models/usage.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Artifact, Attempt, Report } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { firstOf } from '../../lib/cut.ts';
import { type Change, change, epochSeconds, nowIso, runningAttempt, withAttempt } from './change.ts';

/** Characters of the agent's summary kept on the task; the transcript has the rest. */
const KEPT_SUMMARY = 4_000;

function liveLease(task: Task, number: number, now: Date): Attempt {
  const attempt = runningAttempt(task, number);
  if (attempt.report)
    throw new Refusal('stale_lease', `attempt ${number} of task ${task.id} has already reported`);
  if (attempt.lease_until < epochSeconds(now))
    throw new Refusal(
      'stale_lease',
      `the lease of attempt ${number} of task ${task.id} ran out at ${new Date(attempt.lease_until * 1_000).toISOString()}`,
    );
  return attempt;
}

/** Extends the lease; the first sign of life moves the task to `in_progress`. */
export function keepAlive(
  task: Task,
  number: number,
  leaseSeconds: number,
  now: Date,
  progress: Attempt['progress'] = null,
): Change {
  const attempt = liveLease(task, number, now);
  const event = task.status === 'claimed' ? 'begin' : 'keep';
  return change(task, event, now, {
    attempts: withAttempt(task, {
      lease_until: epochSeconds(now) + leaseSeconds,
      progress: progress ?? attempt.progress,
    }),
  });
}

export interface Handed {
  readonly report: Omit<Report, 'at'>;
  readonly artifact: Artifact | null;
  readonly usage: Usage | null;
  readonly model: string | null;
  readonly costUsd: number | null;
}

/** True when `handed` is what this attempt has reported before: a repeat gets the same answer. */
const isRepeat = (attempt: Attempt, handed: Handed): boolean =>
  attempt.report?.status === handed.report.status &&
  attempt.artifact?.tree === handed.artifact?.tree &&
  attempt.artifact?.patch_sha256 === handed.artifact?.patch_sha256;

/** The agent has finished and says how. Its word is a claim: the task goes to review either way. An external task's cascade starts here. */
export function report(task: Task, number: number, handed: Handed, now: Date): Change | null {
  const earlier = task.attempts.find((each) => each.number === number);
  if (earlier?.report && isRepeat(earlier, handed)) return null;
  const attempt = liveLease(task, number, now);
  const facts = {
    report: { ...handed.report, summary: firstOf(handed.report.summary, KEPT_SUMMARY), at: nowIso(now) },
    artifact: handed.artifact,
    usage: handed.usage,
    model: handed.model ?? attempt.model,
    cost_usd: handed.costUsd,
  };
  return change(task, 'report', now, {
    attempts: withAttempt(task, facts),
    run: task.runner === 'external' ? task.run + 1 : task.run,
  });
}
