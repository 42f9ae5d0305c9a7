import { measureItemBytes, measureValueBytes } from '../../lib/item-size.ts';
import { TRUNCATION_MARK, truncateToBytes } from '../../lib/truncate.ts';
import type { Verdict, VerdictReason } from '../evidence/schema.ts';
import type { GradingRecord } from '../rubric/grading-record.ts';
import type { MiddlewareRecord } from '../run-record/middleware-record.ts';
import type { WorkflowOutcome } from '../workflow/workflow-outcome.ts';
import type { Attempt, AttemptChallenge } from './attempt.ts';
import { currentAttempt, type Task } from './task.ts';

/** DynamoDB's limit on an item, in bytes. */
export const MAX_ITEM_BYTES = 409_600;
/** What keys and index attributes add to a task in the table; all are made of ids, times and words. */
const KEY_BYTES = 4_000;
/** Most bytes that a task may take as it is written. */
export const MAX_STORED_TASK_BYTES = MAX_ITEM_BYTES - KEY_BYTES;
/**
 * Most bytes of a request as a new task. The rest is for the attempts to come: `test/shared/contract/task/shrink-task.test.ts` shows that the shortest
 * form of as many as a task can have goes into it.
 */
export const MAX_NEW_TASK_BYTES = 186_000;
/** A task that has had as many attempts gets no further round: what decided each of them must stay in the item. */
export const MAX_ATTEMPTS_BEFORE_RETRY = 20;

/** How much is left of an attempt: bytes of each text, entries of each list. */
interface ShrinkStep {
  readonly text: number;
  readonly list: number;
}
const SHRINK_STEPS: readonly ShrinkStep[] = [
  { text: 2_000, list: 30 },
  { text: 500, list: 15 },
  { text: 150, list: 5 },
  { text: 0, list: 0 },
];

const OMITTED_REASON: VerdictReason = {
  code: 'cut',
  subject: null,
  message: 'there were more; the evidence has them',
};

function shrinkReasons(all: readonly VerdictReason[], { text, list }: ShrinkStep): VerdictReason[] {
  const kept = all
    .filter(({ code }) => code !== OMITTED_REASON.code)
    .slice(0, list)
    .map(({ code, subject, message }) => ({
      code: truncateToBytes(code, Math.max(100, text)),
      subject: subject === null ? null : truncateToBytes(subject, text),
      message: truncateToBytes(message, text),
    }));
  return kept.length < all.length ? [...kept, OMITTED_REASON] : kept;
}

/** Files stay with their whole paths or not at all: a part of a path names nothing. */
function shrinkFiles(
  { files_with_findings: files, files_omitted: more = 0 }: NonNullable<Attempt['verification']>,
  { text, list }: ShrinkStep,
): Pick<NonNullable<Attempt['verification']>, 'files_with_findings' | 'files_omitted'> {
  const kept = files.filter(({ path }) => Buffer.byteLength(path) <= text).slice(0, list);
  const left = more + files.length - kept.length;
  return { files_with_findings: kept, ...(left > 0 && { files_omitted: left }) };
}

function shrinkVerification(
  record: NonNullable<Attempt['verification']>,
  { text, list }: ShrinkStep,
): NonNullable<Attempt['verification']> {
  return {
    ...record,
    signals: record.signals.slice(0, list).map((each) => ({
      ...each,
      type: truncateToBytes(each.type, 100),
      subject: truncateToBytes(each.subject, text),
      detail: truncateToBytes(each.detail, text),
    })),
    gates: record.gates.slice(0, list).map(({ screenshots, ...each }) => ({
      ...each,
      name: truncateToBytes(each.name, 100),
      detail: truncateToBytes(each.detail, text),
      facts: text >= 500 ? each.facts : {},
      // All of a gate's or none: with some of them it would look as if there were no others.
      ...(screenshots && text >= 500 ? { screenshots } : {}),
    })),
    protected_files: record.protected_files.slice(0, list).map((each) => ({
      ...each,
      path: truncateToBytes(each.path, text),
      allowed_by: each.allowed_by === null ? null : truncateToBytes(each.allowed_by, text),
    })),
    ...shrinkFiles(record, { text, list }),
    failed_checks: record.failed_checks.slice(0, list).map((each) => ({
      check: truncateToBytes(each.check, Math.max(50, text)),
      message: truncateToBytes(each.message, text),
    })),
    truncated: true,
  };
}

/** Grades stay; what was handed over is named by its digest. */
const shrinkGrading = (grading: GradingRecord, text: number): GradingRecord => ({
  ...grading,
  handoff: text >= 500 ? grading.handoff : null,
});

/** How a workflow went, with its words cut. Where it ended stays: it decides how often work is done again. */
const shrinkWorkflow = (workflow: WorkflowOutcome, { text, list }: ShrinkStep): WorkflowOutcome => ({
  ...workflow,
  routes: workflow.routes.slice(-Math.max(1, list)).map((each) => ({
    ...each,
    target: list === 0 ? null : each.target,
    skipped_nodes: each.skipped_nodes.slice(0, list),
  })),
  review_pipeline: {
    ...workflow.review_pipeline,
    stages_completed: workflow.review_pipeline.stages_completed.slice(0, list),
    stage_results: Object.fromEntries(
      Object.entries(workflow.review_pipeline.stage_results)
        .slice(0, list)
        .map(([stage, { verdict, reason }]) => [
          stage,
          { verdict, reason: reason === null ? null : truncateToBytes(reason, text) },
        ]),
    ),
  },
});

/** Judgements with their words cut; what all of them cost stays with the verdict, and each has its row in the records. */
const shrinkJudgements = (all: NonNullable<Verdict['judgements']>, { text, list }: ShrinkStep) =>
  all.slice(0, list).map((each) => ({
    ...each,
    subject: truncateToBytes(each.subject, text),
    reasons: each.reasons.slice(0, list).map((reason) => truncateToBytes(reason, text)),
    injections: each.injections.slice(0, list).map((what) => truncateToBytes(what, text)),
    request_reason: truncateToBytes(each.request_reason, text),
    ...(each.grading && { grading: shrinkGrading(each.grading, text) }),
  }));

/** What middleware has found, cut: the first things that it names, and with the last measure neither names nor facts. */
const shrinkMiddleware = (record: MiddlewareRecord, { text, list }: ShrinkStep): MiddlewareRecord => {
  const found = record.findings
    .slice(0, list)
    .map((each) => ({ ...each, detail: truncateToBytes(each.detail, text) }));
  const more = (record.findings_omitted ?? 0) + record.findings.length - found.length;
  return {
    ...record,
    findings: found,
    ...(more > 0 && { findings_omitted: more }),
    facts: list === 0 ? {} : record.facts,
  };
};

const shrinkVerdict = (verdict: Verdict, measure: ShrinkStep): Verdict => ({
  ...verdict,
  reasons: shrinkReasons(verdict.reasons, measure),
  ...(verdict.judgements && { judgements: shrinkJudgements(verdict.judgements, measure) }),
  ...(verdict.workflow && { workflow: shrinkWorkflow(verdict.workflow, measure) }),
});

/** Returns a challenge with the texts of its pending verdict and of its effect cut. */
function shrinkChallenge(challenge: AttemptChallenge, measure: ShrinkStep): AttemptChallenge {
  const { pending_verdict: verdict, effect } = challenge;
  const [reason = null] = effect?.reason ? shrinkReasons([effect.reason], { ...measure, list: 1 }) : [];
  return {
    ...challenge,
    pending_verdict: verdict && shrinkVerdict(verdict, measure),
    effect: effect && { ...effect, reason },
  };
}

/** An attempt with its words cut. Numbers, outcomes, hashes, keys, costs, lease and tokens stay; so does what its decision will be made from. */
function shrinkAttempt(attempt: Attempt, measure: ShrinkStep, isCurrent: boolean): Attempt {
  const { text, list } = measure;
  const { progress, report, verification, verification_failure: failure, verdict, decision } = attempt;
  const undecided = isCurrent && decision === null;
  return {
    ...attempt,
    ...(attempt.route && {
      route: { ...attempt.route, reason: truncateToBytes(attempt.route.reason, text) },
    }),
    progress: progress && { ...progress, message: truncateToBytes(progress.message, text) },
    report:
      report && !undecided
        ? {
            ...report,
            summary: truncateToBytes(report.summary, text),
            output_tail: truncateToBytes(report.output_tail, text),
            ...(report.logged_test_runs && {
              logged_test_runs: report.logged_test_runs.slice(0, list).map((run) => ({
                ...run,
                failed_tests: run.failed_tests.map((each) => truncateToBytes(each, text)).slice(0, list),
              })),
            }),
            ...(report.middleware && { middleware: shrinkMiddleware(report.middleware, measure) }),
            ...(report.verification_gate && {
              verification_gate: {
                ...report.verification_gate,
                reason: truncateToBytes(report.verification_gate.reason, text),
                missing: report.verification_gate.missing
                  .slice(0, measure.list)
                  .map((each) => truncateToBytes(each, text)),
              },
            }),
          }
        : report,
    verification: verification && shrinkVerification(verification, measure),
    verification_failure: failure && { ...failure, message: truncateToBytes(failure.message, text) },
    verdict: verdict && shrinkVerdict(verdict, measure),
    ...(attempt.challenge && { challenge: shrinkChallenge(attempt.challenge, measure) }),
    ...(attempt.reverification && {
      reverification: {
        ...attempt.reverification,
        reason: truncateToBytes(attempt.reverification.reason, text),
      },
    }),
    decision: decision && { ...decision, reason: truncateToBytes(decision.reason, Math.max(100, text)) },
    ...(attempt.failure && {
      failure: {
        ...attempt.failure,
        matched_rule: truncateToBytes(attempt.failure.matched_rule, Math.max(50, text)),
        ...(attempt.failure.normalized_message && {
          normalized_message: truncateToBytes(attempt.failure.normalized_message, text),
        }),
      },
    }),
  };
}

/** A list with its texts cut, and a mark at its end where there were more. */
function shrinkList(all: readonly string[], { text, list }: ShrinkStep): string[] {
  const kept = all.filter((each) => each !== TRUNCATION_MARK).slice(0, list);
  return [
    ...kept.map((each) => truncateToBytes(each, text)),
    ...(kept.length === all.length ? [] : [TRUNCATION_MARK]),
  ];
}

/** What is said of the task as a whole, cut. */
function shrinkTaskTexts(task: Task, measure: ShrinkStep): Task {
  const { hold, failure, delivery, review, blocked_reason: blocked } = task;
  const most = Math.max(500, measure.text);
  return {
    ...task,
    hold: hold && { ...hold, reasons: shrinkList(hold.reasons, measure) },
    failure: failure && { ...failure, message: truncateToBytes(failure.message, most) },
    ...(task.approvals && {
      approvals: task.approvals.map((each) => ({
        ...each,
        title: truncateToBytes(each.title, Math.max(100, measure.text)),
        description: truncateToBytes(each.description, measure.text),
        decision_reason: each.decision_reason && truncateToBytes(each.decision_reason, measure.text),
      })),
    }),
    delivery: delivery && { ...delivery, reason: delivery.reason && truncateToBytes(delivery.reason, most) },
    review: review && {
      ...review,
      reason: truncateToBytes(review.reason, most),
      ...(review.accepted_protected_files && {
        accepted_protected_files: shrinkList(review.accepted_protected_files, measure),
      }),
    },
    blocked_reason: blocked && { ...blocked, message: truncateToBytes(blocked.message, most) },
  };
}

/** Shortens one attempt after the other, the oldest first, until the task fits; then once more, to less. */
function shrinkEarlierAttempts(task: Task): Task {
  const attempts = [...task.attempts];
  let bytes = measureItemBytes(task);
  for (const measure of SHRINK_STEPS)
    for (let index = 0; index < attempts.length - 1 && bytes > MAX_STORED_TASK_BYTES; index++) {
      const attempt = attempts[index];
      if (!attempt) continue;
      const short = shrinkAttempt(attempt, measure, false);
      bytes += measureValueBytes(short) - measureValueBytes(attempt);
      attempts[index] = short;
    }
  return { ...task, attempts };
}

function shrinkCurrentAttempt(task: Task, measure: ShrinkStep): Task {
  const present = currentAttempt(task);
  if (measureItemBytes(task) <= MAX_STORED_TASK_BYTES) return task;
  const short = shrinkTaskTexts(task, measure);
  return present
    ? { ...short, attempts: [...task.attempts.slice(0, -1), shrinkAttempt(present, measure, true)] }
    : short;
}

/**
 * A task as it can be written. When it takes more than an item may, words of earlier attempts are cut first, the oldest before the
 * others, then those of the present one; where there is a whole text, it is on S3 under the keys that stay.
 */
export function shrinkTaskToItem(task: Task): Task {
  if (measureItemBytes(task) <= MAX_STORED_TASK_BYTES) return task;
  const [mild] = SHRINK_STEPS;
  const short = shrinkEarlierAttempts(mild ? shrinkCurrentAttempt(task, mild) : task);
  return SHRINK_STEPS.slice(1).reduce(shrinkCurrentAttempt, short);
}

/** A task in its shortest form. */
export const shrinkTaskFully = (task: Task): Task =>
  SHRINK_STEPS.slice(-1).reduce<Task>(
    (each, measure) => ({
      ...shrinkTaskTexts(each, measure),
      attempts: each.attempts.map((attempt, index) =>
        shrinkAttempt(attempt, measure, index === each.attempts.length - 1),
      ),
    }),
    task,
  );
