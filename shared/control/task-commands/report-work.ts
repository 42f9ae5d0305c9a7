import type { TokenUsage } from '../../contract/models/usage.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { AgentReport, Attempt, PatchArtifact } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toEpochSeconds,
  toIsoTime,
} from './task-change.ts';

/** Characters of the agent's summary kept on the task; the transcript has the rest. */
const KEPT_SUMMARY = 4_000;

function requireLiveLease(task: Task, number: number, now: Date): Attempt {
  const attempt = requireRunningAttempt(task, number);
  if (attempt.report)
    throw new Refusal('stale_lease', `attempt ${number} of task ${task.id} has already reported`);
  if (attempt.lease_until < toEpochSeconds(now))
    throw new Refusal(
      'stale_lease',
      `the lease of attempt ${number} of task ${task.id} ran out at ${new Date(attempt.lease_until * 1_000).toISOString()}`,
    );
  return attempt;
}

/** Extends the lease; the first sign of life moves the task to `in_progress`. */
export function renewLease(
  task: Task,
  number: number,
  leaseSeconds: number,
  now: Date,
  progress: Attempt['progress'] = null,
): TaskChange {
  const attempt = requireLiveLease(task, number, now);
  const event = task.status === 'claimed' ? 'begin' : 'keep';
  return applyTaskEvent(task, event, now, {
    attempts: replaceCurrentAttempt(task, {
      lease_until: toEpochSeconds(now) + leaseSeconds,
      progress: progress ?? attempt.progress,
    }),
  });
}

export interface ReportedWork {
  readonly report: Omit<AgentReport, 'at'>;
  readonly artifact: PatchArtifact | null;
  readonly usage: TokenUsage | null;
  readonly model: string | null;
  readonly costUsd: number | null;
}

/** True when `handed` is what this attempt has reported before: a repeat gets the same answer. */
const isRepeat = (attempt: Attempt, handed: ReportedWork): boolean =>
  attempt.report?.status === handed.report.status &&
  attempt.artifact?.tree === handed.artifact?.tree &&
  attempt.artifact?.patch_sha256 === handed.artifact?.patch_sha256;

/** The agent has finished and says how. Its word is a claim: the task goes to review either way. An external task's cascade starts here. */
export function recordAgentReport(
  task: Task,
  number: number,
  handed: ReportedWork,
  now: Date,
): TaskChange | null {
  const earlier = task.attempts.find((each) => each.number === number);
  if (earlier?.report && isRepeat(earlier, handed)) return null;
  const attempt = requireLiveLease(task, number, now);
  const facts = {
    report: {
      ...handed.report,
      summary: truncateText(handed.report.summary, KEPT_SUMMARY),
      at: toIsoTime(now),
    },
    artifact: handed.artifact,
    usage: handed.usage,
    model: handed.model ?? attempt.model,
    cost_usd: handed.costUsd,
  };
  return applyTaskEvent(task, 'report', now, {
    attempts: replaceCurrentAttempt(task, facts),
    run: task.runner === 'external' ? task.run + 1 : task.run,
  });
}
