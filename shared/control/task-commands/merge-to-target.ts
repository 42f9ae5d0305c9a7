import { Refusal } from '../../contract/refusal.ts';
import type { Attempt, PatchArtifact } from '../../contract/task/attempt.ts';
import {
  type BaseCommitAndTree,
  currentAttempt,
  findJudgedAttempt,
  type Task,
} from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { requireSameBaseCommit } from './base-commit.ts';
import { recordDeliveryRefusal } from './deliver.ts';
import { determineAttemptOutcome } from './record-cascade-decision.ts';
import {
  applyTaskEvent,
  replaceCurrentAttempt,
  requireRunningAttempt,
  type TaskChange,
  toIsoTime,
} from './task-change.ts';

/** How often, in one round, work is put on top of a target that has moved before a person has to look: each time costs a run of the gates. */
export const MAX_MERGES_PER_ROUND = 8;

/** Work on top of what its target has become. */
export interface MergedTree extends Pick<PatchArtifact, 'tree' | 'patch_sha256' | 'patch_bytes'> {
  readonly target_commit: string;
}
export interface MergeConflict {
  readonly target_commit: string;
  readonly files: readonly string[];
}

const countMerges = ({ attempts, first_budgeted_attempt }: Task): number =>
  attempts.filter(({ number, merge }) => merge && number >= first_budgeted_attempt).length;

/** An attempt in which nobody works: what it has is there from the start. */
function mergeAttempt(
  of: Attempt,
  onto: string,
  said: Pick<Attempt, 'artifact'> & { readonly summary: string },
  now: Date,
): Attempt {
  const at = toIsoTime(now);
  const status = said.artifact ? ('completed' as const) : ('failed' as const);
  return {
    number: of.number + 1,
    model: of.model,
    tier: of.tier,
    effort: of.effort,
    ...(of.adapter && { adapter: of.adapter }),
    route: { rule: 'merge', reason: `the work of attempt ${of.number}, put onto ${onto}` },
    merge: { source_attempt: of.number, target_commit: onto },
    outcome: null,
    started_at: at,
    ended_at: null,
    lease_holder: of.lease_holder,
    lease_until: of.lease_until,
    progress: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
    cost_usd: 0,
    reported_usage: null,
    metered_usage: null,
    report: {
      status,
      summary: said.summary,
      failure_code: status === 'failed' ? 'patch_does_not_apply' : null,
      output_tail: '',
      retry_after_s: null,
      at,
    },
    artifact: said.artifact,
    verification: null,
    verification_failure: null,
    verdict: null,
    decision: null,
    agent: null,
    gates: null,
    deliver: null,
  };
}

/**
 * The target has moved: the task is bound to what it has become, and the cascade goes on from there in a run of its own. What was said of the earlier base and tree stays
 * with the earlier attempt, and counts for nothing else. Null: it was said before.
 */
function rebindToTarget(
  task: Task,
  number: number,
  { base_commit, tree }: BaseCommitAndTree,
  target: string,
  next: (attempt: Attempt) => Pick<Attempt, 'artifact'> & { readonly summary: string },
  now: Date,
): TaskChange | null {
  const present = currentAttempt(task);
  if (present?.merge?.source_attempt === number && present.merge.target_commit === target) return null;
  const attempt = requireRunningAttempt(task, number);
  const base = requireSameBaseCommit(task, base_commit);
  if (task.delivery_mode !== 'merge_queue')
    throw new Refusal('conflict', `task ${task.id} is not delivered onto its target`);
  if (task.delivery?.state !== 'pushing' || task.delivery.tree !== tree)
    throw new Refusal('conflict', `no leave was given to push tree ${tree}`);
  if (target === base)
    throw new Refusal('invalid', `/onto ${target} is the base that the work is bound to`, [
      { pointer: '/onto', message: 'is the base that the work is bound to' },
    ]);
  if (countMerges(task) >= MAX_MERGES_PER_ROUND)
    return recordDeliveryRefusal(
      task,
      number,
      { base_commit: base, tree },
      `${task.base_ref} has moved ${MAX_MERGES_PER_ROUND} times while the work was judged; retry it when less is going on`,
      now,
    );
  const over = replaceCurrentAttempt(task, {
    outcome: determineAttemptOutcome(
      { ...attempt, verdict: findJudgedAttempt(task, attempt).verdict },
      { action: 'accept' },
    ),
    ended_at: toIsoTime(now),
  });
  return applyTaskEvent(task, 'review', now, {
    attempts: [...over, mergeAttempt(attempt, target, next(attempt), now)],
    base_commit: target,
    delivery: null,
    review: null,
    run: task.run + 1,
  });
}

/** The work lies on top of what the target has become: gates run on that, and nothing of it is known yet. */
export const recordMerge = (
  task: Task,
  number: number,
  work: BaseCommitAndTree,
  merged: MergedTree & { readonly patch_key: string },
  now: Date,
): TaskChange | null =>
  rebindToTarget(
    task,
    number,
    work,
    merged.target_commit,
    (attempt) => ({
      artifact: {
        base_commit: merged.target_commit,
        tree: merged.tree,
        patch_key: merged.patch_key,
        patch_sha256: merged.patch_sha256,
        patch_bytes: merged.patch_bytes,
        transcript_key: null,
      },
      summary: `the work of attempt ${attempt.number}, merged onto ${merged.target_commit}`,
    }),
    now,
  );

/** The work and what the target has become change the same lines. It is done again on that, by who did it, and is told where. */
export const recordMergeConflict = (
  task: Task,
  number: number,
  work: BaseCommitAndTree,
  conflict: MergeConflict,
  now: Date,
): TaskChange | null =>
  rebindToTarget(
    task,
    number,
    work,
    conflict.target_commit,
    () => ({
      artifact: null,
      summary: truncateText(
        `the work conflicts with what ${task.base_ref} has become (${conflict.target_commit}), in ${conflict.files.join(', ') || 'files that git does not name'}`,
        4_000,
      ),
    }),
    now,
  );
