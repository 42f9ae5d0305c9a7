import { changedFiles } from '../../contract/evidence/changed.ts';
import { failingIn, MOST_NAMED } from '../../contract/evidence/failing.ts';
import { type Evidence, type Facts, isPutBack, type Verdict } from '../../contract/evidence/schema.ts';
import type { FailureClass } from '../../contract/failure/failure-class.ts';
import { Refusal } from '../../contract/refusal.ts';
import { describeSignal } from '../../contract/submission/signals.ts';
import type { VerificationRecord } from '../../contract/task/attempt.ts';
import { unheardOf } from '../../contract/task/judging-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import { firstOf } from '../../lib/cut.ts';
import { JUDGING_CLAIM_SECONDS } from '../../reviews/judging/limits.ts';
import { boundBase } from './base.ts';
import {
  attemptNumbered,
  type Change,
  change,
  nowIso,
  refuseSelfReview,
  runningAttempt,
  withAttempt,
} from './change.ts';
import { stageOf } from './stage.ts';

/** Checks kept on the task, worst first, and characters of each detail: the item is capped at 400 KB, the whole evidence is on S3. */
const KEPT_CHECKS = 30;
const KEPT_DETAIL = 500;
/** Characters of all facts of one gate, as JSON, and of one text among them. */
const KEPT_FACTS = 1_000;
const KEPT_TEXT = 200;
/** Kept before all others, because people ask for them. */
const FIRST_FACTS = ['tool', 'tool_version', 'actor', 'reason', 'bypassed_task', 'until', 'exit_code'];

const worstFirst = <T extends { outcome: string }>(checks: readonly T[]): T[] =>
  checks.length <= KEPT_CHECKS
    ? [...checks]
    : [
        ...checks.filter((each) => each.outcome !== 'passed'),
        ...checks.filter((each) => each.outcome === 'passed'),
      ].slice(0, KEPT_CHECKS);

const putBackFirst = (files: Evidence['protected_files']): Evidence['protected_files'] =>
  [...files].sort((a, b) => Number(isPutBack(b)) - Number(isPutBack(a))).slice(0, KEPT_CHECKS);

function keptFacts(facts: Facts): Facts {
  const names = [...FIRST_FACTS.filter((name) => name in facts), ...Object.keys(facts)];
  const kept: Facts = {};
  let room = KEPT_FACTS;
  for (const name of new Set(names)) {
    const value = facts[name] ?? null;
    const short = typeof value === 'string' ? firstOf(value, KEPT_TEXT) : value;
    const size = JSON.stringify([name, short]).length;
    if (size > room) continue;
    kept[name] = short;
    room -= size;
  }
  return kept;
}

function summarise(evidence: Evidence, key: string, now: Date): VerificationRecord {
  const failing = failingIn(evidence);
  const { files, more } = changedFiles(evidence);
  return {
    key,
    tree: evidence.tree,
    base_commit: evidence.base_commit,
    signals: worstFirst(evidence.signals).map(({ type, signal, kind, outcome, detail }) => ({
      type,
      kind,
      subject: firstOf(describeSignal(signal), KEPT_DETAIL),
      outcome,
      detail: firstOf(detail, KEPT_DETAIL),
    })),
    gates: worstFirst(evidence.gates).map((gate) => ({
      name: gate.name,
      kind: gate.kind,
      outcome: gate.outcome,
      required: gate.required,
      blocked: gate.blocked,
      cached: gate.cached,
      duration_ms: gate.duration_ms,
      ...(gate.began_ms !== undefined && { began_ms: gate.began_ms }),
      detail: firstOf(gate.detail, KEPT_DETAIL),
      findings: gate.findings.length,
      facts: keptFacts(gate.metadata),
      ...(gate.screenshots && { screenshots: gate.screenshots }),
    })),
    protected_files: putBackFirst(evidence.protected_files).map(
      ({ path, class: kind, used, allowed_by }) => ({
        path: firstOf(path, KEPT_TEXT),
        class: kind,
        used,
        allowed_by: allowed_by === null ? null : firstOf(allowed_by, KEPT_TEXT),
      }),
    ),
    put_back: evidence.protected_files.filter(isPutBack).length,
    ...(failing.length > 0 && { failing: failing.slice(0, MOST_NAMED) }),
    ...(failing.length > MOST_NAMED && { failing_more: failing.length - MOST_NAMED }),
    files: [...files],
    ...(more > 0 && { files_more: more }),
    duration_ms: evidence.duration_ms,
    at: nowIso(now),
  };
}

/** Evidence counts for the base that the task is bound to and the tree that the attempt handed in, and for no other pair. A repeat changes nothing. */
export function recordEvidence(
  task: Task,
  number: number,
  evidence: Evidence,
  key: string,
  now: Date,
): Change | null {
  const earlier = attemptNumbered(task, number);
  if (earlier.verification) return null;
  const attempt = runningAttempt(task, number);
  boundBase(task, evidence.base_commit, '/evidence/base_commit');
  if (attempt.artifact?.tree !== evidence.tree)
    throw new Refusal(
      'invalid',
      `the evidence is about tree ${evidence.tree}, the attempt handed in ${attempt.artifact?.tree ?? 'nothing'}`,
      [{ pointer: '/evidence/tree', message: 'is not the tree of this attempt' }],
    );
  return change(task, 'review', now, {
    attempts: withAttempt(task, { verification: summarise(evidence, key, now), verification_failure: null }),
    ...(task.plan && { plan: { ...task.plan, proposal: evidence.plan ?? null } }),
  });
}

/** The gates box could not gather evidence. */
export function recordVerificationFailure(
  task: Task,
  number: number,
  failureClass: FailureClass,
  message: string,
  now: Date,
): Change | null {
  const earlier = attemptNumbered(task, number);
  if (earlier.verification || earlier.verification_failure) return null;
  runningAttempt(task, number);
  return change(task, 'review', now, {
    attempts: withAttempt(task, {
      verification_failure: { failure_class: failureClass, message, at: nowIso(now) },
    }),
  });
}

/** Does the attempt wait for the verdict of this run? */
export const awaitsVerdict = (task: Task, number: number, run: number): boolean =>
  stageOf(task, run) === 'verify' && task.attempts.at(-1)?.number === number;

/**
 * The one that asks models about an attempt says so before: they cost money each time. Null: nobody waits for a verdict of this run, or
 * somebody asks them already. Whoever has said so itself, and tries `again` because it has not heard of that, may ask.
 */
export function claimJudging(
  task: Task,
  number: number,
  run: number,
  { by, again, micro }: { readonly by: string; readonly again: boolean; readonly micro?: number | undefined },
  now: Date,
): Change | null {
  if (!awaitsVerdict(task, number, run)) return null;
  const attempt = runningAttempt(task, number);
  const { judging } = attempt;
  const isOwn = again && judging?.by === by;
  if (judging?.run === run && !isOwn && Date.parse(judging.until) > now.getTime()) return null;
  const until = nowIso(new Date(now.getTime() + JUDGING_CLAIM_SECONDS * 1_000));
  const times = (attempt.asked?.times ?? attempt.repeated?.times ?? 0) + 1;
  // Whoever said so before and has not come back may have asked.
  const asked = judging?.run === run && isOwn ? attempt.asked : { times, unheard: unheardOf(attempt) };
  return change(task, 'review', now, {
    attempts: withAttempt(task, {
      judging: { run, until, by, ...(micro !== undefined && { micro }) },
      ...(asked && { asked }),
    }),
  });
}

/** The janitor's word, bound to base and tree of the evidence. Written once. */
export function recordVerdict(task: Task, number: number, verdict: Verdict, now: Date): Change | null {
  const { judging, ...attempt } = runningAttempt(task, number);
  if (attempt.verdict) return null;
  if (attempt.verification?.tree !== verdict.tree)
    throw new Refusal(
      'conflict',
      `the verdict is about tree ${verdict.tree}, the evidence about ${attempt.verification?.tree ?? 'nothing'}`,
    );
  boundBase(task, verdict.base_commit);
  const evaluators = (verdict.judgements ?? []).flatMap(({ grading }) => grading?.handoff?.to_agent_id ?? []);
  for (const evaluator of evaluators) refuseSelfReview(task, attempt, evaluator);
  // What it cost is not known: until then, what it may have cost counts.
  const asked =
    verdict.judging_cost_usd === null && attempt.asked && judging?.micro !== undefined
      ? { asked: { ...attempt.asked, unheard: unheardOf({ ...attempt, judging }) } }
      : {};
  const attempts = [...task.attempts.slice(0, -1), { ...attempt, ...asked, verdict }];
  const recorded = change(task, 'review', now, { attempts });
  return task.runner === 'external' && evaluators.length > 0 ? { ...recorded, judges: evaluators } : recorded;
}
