import { summarizeChangedFiles } from '../../contract/evidence/changed-files.ts';
import { listFailedChecks, MAX_NAMED_FAILED_CHECKS } from '../../contract/evidence/failed-checks.ts';
import {
  type Evidence,
  type GateEvidence,
  type GateLedgerFacts,
  isRestoredProtectedFile,
  type Verdict,
} from '../../contract/evidence/schema.ts';
import type { FailureCode } from '../../contract/failure/failure-class.ts';
import { Refusal } from '../../contract/refusal.ts';
import { describeSignal } from '../../contract/submission/signals.ts';
import type { Attempt, VerificationRecord } from '../../contract/task/attempt.ts';
import { unsettledJudgingMicroUsd } from '../../contract/task/judging-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import { truncateText } from '../../lib/truncate.ts';
import { JUDGING_CLAIM_LEASE_SECONDS } from '../../reviews/judging/judging-limits.ts';
import { requireSameBaseCommit } from './base-commit.ts';
import { determineCascadeStage } from './cascade-stage.ts';
import {
  applyTaskEvent,
  refuseReviewOfOwnWork,
  replaceCurrentAttempt,
  requireAttempt,
  requireRunningAttempt,
  type TaskChange,
  toIsoTime,
} from './task-change.ts';

/** Checks kept on the task, worst first, and characters of each detail: the item is capped at 400 KB, the whole evidence is on S3. */
const MAX_STORED_CHECKS = 30;
const MAX_STORED_DETAIL = 500;
/** Characters of all facts of one gate, as JSON, and of one text among them. */
const MAX_STORED_FACTS = 1_000;
const MAX_STORED_TEXT = 200;
/** Kept before all others, because people ask for them. */
const FIRST_FACTS = ['tool', 'tool_version', 'actor', 'reason', 'bypassed_task', 'until', 'exit_code'];

const worstFirst = <T extends { outcome: string }>(checks: readonly T[]): T[] =>
  checks.length <= MAX_STORED_CHECKS
    ? [...checks]
    : [
        ...checks.filter((each) => each.outcome !== 'passed'),
        ...checks.filter((each) => each.outcome === 'passed'),
      ].slice(0, MAX_STORED_CHECKS);

const restoredFilesFirst = (files: Evidence['protected_files']): Evidence['protected_files'] =>
  [...files]
    .sort((a, b) => Number(isRestoredProtectedFile(b)) - Number(isRestoredProtectedFile(a)))
    .slice(0, MAX_STORED_CHECKS);

function keptFacts(facts: GateLedgerFacts): GateLedgerFacts {
  const names = [...FIRST_FACTS.filter((name) => name in facts), ...Object.keys(facts)];
  const kept: GateLedgerFacts = {};
  let room = MAX_STORED_FACTS;
  for (const name of new Set(names)) {
    const value = facts[name] ?? null;
    const short = typeof value === 'string' ? truncateText(value, MAX_STORED_TEXT) : value;
    const size = JSON.stringify([name, short]).length;
    if (size > room) continue;
    kept[name] = short;
    room -= size;
  }
  return kept;
}

/** Shortens the entry of a gate for the task's item. */
export const summarizeGateEvidence = (gate: GateEvidence): VerificationRecord['gates'][number] => ({
  name: gate.name,
  kind: gate.kind,
  outcome: gate.outcome,
  required: gate.required,
  blocked: gate.blocked,
  cached: gate.cached,
  duration_ms: gate.duration_ms,
  ...(gate.start_offset_ms !== undefined && { start_offset_ms: gate.start_offset_ms }),
  detail: truncateText(gate.detail, MAX_STORED_DETAIL),
  finding_count: gate.findings.length,
  facts: keptFacts(gate.facts),
  ...(gate.screenshots && { screenshots: gate.screenshots }),
});

function summarizeEvidence(evidence: Evidence, key: string, now: Date): VerificationRecord {
  const failing = listFailedChecks(evidence);
  const { files, more } = summarizeChangedFiles(evidence);
  return {
    key,
    tree: evidence.tree,
    base_commit: evidence.base_commit,
    signals: worstFirst(evidence.signals).map(({ type, signal, kind, outcome, detail, by_author }) => ({
      type,
      kind,
      subject: truncateText(
        `${by_author ? 'named by the author: ' : ''}${describeSignal(signal)}`,
        MAX_STORED_DETAIL,
      ),
      outcome,
      detail: truncateText(detail, MAX_STORED_DETAIL),
    })),
    gates: worstFirst(evidence.gates).map(summarizeGateEvidence),
    protected_files: restoredFilesFirst(evidence.protected_files).map(
      ({ path, kind, checked_version: used, allowed_by }) => ({
        path: truncateText(path, MAX_STORED_TEXT),
        kind,
        checked_version: used,
        allowed_by: allowed_by === null ? null : truncateText(allowed_by, MAX_STORED_TEXT),
      }),
    ),
    restored_file_count: evidence.protected_files.filter(isRestoredProtectedFile).length,
    failed_checks: failing
      .slice(0, MAX_NAMED_FAILED_CHECKS)
      .map(({ check, message }) => ({ check, message })),
    ...(failing.length > MAX_NAMED_FAILED_CHECKS && {
      failed_checks_omitted: failing.length - MAX_NAMED_FAILED_CHECKS,
    }),
    files_with_findings: files.map(({ path, findingCount, flakyTestCount }) => ({
      path,
      finding_count: findingCount,
      flaky_test_count: flakyTestCount,
    })),
    ...(more > 0 && { files_omitted: more }),
    duration_ms: evidence.duration_ms,
    at: toIsoTime(now),
  };
}

/** Evidence counts for the base that the task is bound to and the tree that the attempt handed in, and for no other pair. A repeat changes nothing. */
export function recordEvidence(
  task: Task,
  number: number,
  evidence: Evidence,
  key: string,
  now: Date,
): TaskChange | null {
  const earlier = requireAttempt(task, number);
  if (earlier.verification) return null;
  const attempt = requireRunningAttempt(task, number);
  requireSameBaseCommit(task, evidence.base_commit, '/evidence/base_commit');
  if (attempt.artifact?.tree !== evidence.tree)
    throw new Refusal(
      'invalid',
      `the evidence is about tree ${evidence.tree}, the attempt handed in ${attempt.artifact?.tree ?? 'nothing'}`,
      [{ pointer: '/evidence/tree', message: 'is not the tree of this attempt' }],
    );
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      verification: summarizeEvidence(evidence, key, now),
      verification_failure: null,
    }),
    ...(task.plan && { plan: { ...task.plan, proposal: evidence.plan ?? null } }),
  });
}

/** The gates box could not gather evidence. */
export function recordVerificationFailure(
  task: Task,
  number: number,
  failureClass: FailureCode,
  message: string,
  now: Date,
): TaskChange | null {
  const earlier = requireAttempt(task, number);
  if (earlier.verification || earlier.verification_failure) return null;
  requireRunningAttempt(task, number);
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      verification_failure: { failure_code: failureClass, message, at: toIsoTime(now) },
    }),
  });
}

/** Does the attempt wait for the verdict of this run? */
export const isAwaitingVerdict = (task: Task, number: number, run: number): boolean =>
  determineCascadeStage(task, run) === 'verify' && task.attempts.at(-1)?.number === number;

/**
 * The one that asks models about an attempt says so before: they cost money each time. Null: nobody waits for a verdict of this run, or
 * somebody asks them already. Whoever has said so itself, and tries `again` because it has not heard of that, may ask.
 */
export function claimAttemptJudging(
  task: Task,
  number: number,
  run: number,
  execution: {
    readonly execution_id: string;
    readonly is_retry: boolean;
    readonly micro?: number | undefined;
  },
  now: Date,
): TaskChange | null {
  if (!isAwaitingVerdict(task, number, run)) return null;
  const { execution_id, is_retry, micro } = execution;
  const attempt = requireRunningAttempt(task, number);
  const { judging_claim: judging } = attempt;
  const isOwn = is_retry && judging?.execution_id === execution_id;
  if (judging?.run === run && !isOwn && Date.parse(judging.expires_at) > now.getTime()) return null;
  const until = toIsoTime(new Date(now.getTime() + JUDGING_CLAIM_LEASE_SECONDS * 1_000));
  const times = (attempt.judging_rounds?.count ?? attempt.reverification?.count ?? 0) + 1;
  // Whoever said so before and has not come back may have asked.
  const asked =
    judging?.run === run && isOwn
      ? attempt.judging_rounds
      : { count: times, unsettled_micro_usd: unsettledJudgingMicroUsd(attempt) };
  return applyTaskEvent(task, 'review', now, {
    attempts: replaceCurrentAttempt(task, {
      judging_claim: {
        run,
        expires_at: until,
        execution_id,
        ...(micro !== undefined && { max_micro_usd: micro }),
      },
      ...(asked && { judging_rounds: asked }),
    }),
  });
}

/** Ends the claim of who asked models for a verdict. Where what they cost is not known, the most that they may have cost counts. */
export function endJudgingClaim(present: Attempt, { judging_cost_usd }: Verdict): Attempt {
  const { judging_claim: claim, ...attempt } = present;
  if (judging_cost_usd !== null || !attempt.judging_rounds || claim?.max_micro_usd === undefined)
    return attempt;
  const unsettled_micro_usd = unsettledJudgingMicroUsd(present);
  return { ...attempt, judging_rounds: { ...attempt.judging_rounds, unsettled_micro_usd } };
}

/** The janitor's word, bound to base and tree of the evidence. Written once. */
export function recordVerdict(task: Task, number: number, verdict: Verdict, now: Date): TaskChange | null {
  const attempt = requireRunningAttempt(task, number);
  if (attempt.verdict) return null;
  if (attempt.verification?.tree !== verdict.tree)
    throw new Refusal(
      'conflict',
      `the verdict is about tree ${verdict.tree}, the evidence about ${attempt.verification?.tree ?? 'nothing'}`,
    );
  requireSameBaseCommit(task, verdict.base_commit);
  const evaluators = (verdict.judgements ?? []).flatMap(({ grading }) => grading?.handoff?.to_agent_id ?? []);
  for (const evaluator of evaluators) refuseReviewOfOwnWork(task, attempt, evaluator);
  const attempts = [...task.attempts.slice(0, -1), { ...endJudgingClaim(attempt, verdict), verdict }];
  const recorded = applyTaskEvent(task, 'review', now, { attempts });
  return task.runner === 'external' && evaluators.length > 0
    ? { ...recorded, reviewers: evaluators }
    : recorded;
}
