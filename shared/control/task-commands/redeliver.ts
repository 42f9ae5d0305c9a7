import type { Attempt } from '../../contract/task/attempt.ts';
import { findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import { isDeliverableVerdict } from './deliver.ts';
import { findLaunchGiveUpReason } from './launch-limits.ts';
import { applyTaskEvent, type TaskChange, toEpochSeconds, toIsoTime } from './task-change.ts';

/**
 * Returns the judged attempt whose work a new round can deliver without an agent: its verdict has passed exactly this tree on the base
 * commit of the round, and its deliveries were lost. Null: an agent must work.
 */
export function findRedeliverableAttempt(task: Task): Attempt | null {
  const last = task.attempts.at(-1);
  if (task.status !== 'open' || task.runner !== 'managed' || task.plan || !last) return null;
  // Of the round before, where the platform gave up on delivering: what a remote refused, or an operator failed, is done again.
  if (
    last.number !== task.first_budgeted_attempt - 1 ||
    findLaunchGiveUpReason(last.deliver, 'deliver') === null
  )
    return null;
  const judged = findJudgedAttempt(task, last);
  const { artifact, verdict } = judged;
  const isPassed =
    last.decision?.action === 'accept' && verdict !== null && isDeliverableVerdict(task, verdict);
  if (!isPassed || !artifact || artifact.patch_bytes === 0) return null;
  const isSame =
    verdict.tree === artifact.tree &&
    verdict.base_commit === artifact.base_commit &&
    artifact.base_commit === task.base_commit;
  return isSame ? judged : null;
}

/** Starts an attempt that only delivers the work of `judged`. Nothing runs in it, and it is not judged again. */
export function startRedelivery(task: Task, judged: Attempt, now: Date): TaskChange {
  const at = toIsoTime(now);
  const reason = `delivered again from attempt ${judged.number}`;
  const attempt: Attempt = {
    number: (task.attempts.at(-1)?.number ?? 0) + 1,
    model: judged.model,
    tier: judged.tier,
    effort: judged.effort,
    ...(judged.adapter && { adapter: judged.adapter }),
    route: { rule: 'redelivery', reason },
    redelivery: { source_attempt: judged.number },
    outcome: null,
    started_at: at,
    ended_at: null,
    lease_holder: judged.lease_holder,
    lease_until: toEpochSeconds(now),
    progress: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
    cost_usd: 0,
    reported_usage: null,
    metered_usage: null,
    report: {
      status: 'completed',
      summary: reason,
      failure_code: null,
      output_tail: '',
      retry_after_s: null,
      at,
    },
    artifact: judged.artifact,
    verification: null,
    verification_failure: null,
    verdict: null,
    decision: { action: 'accept', reason, next_model: null, next_tier: null, at },
    agent: null,
    gates: null,
    deliver: null,
  };
  return applyTaskEvent(task, 'redeliver', now, { attempts: [...task.attempts, attempt] });
}
