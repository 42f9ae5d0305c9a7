import { CUT, cut } from '../../lib/cut.ts';
import { itemBytes, valueBytes } from '../../lib/item-bytes.ts';
import type { Verdict, VerdictReason } from '../evidence/schema.ts';
import type { GradingRecord } from '../rubric/grading.ts';
import type { MiddlewareRecord } from '../run-record/middleware-record.ts';
import type { StageOutcome } from '../workflow/outcome.ts';
import type { Attempt } from './attempt.ts';
import { currentAttempt, type Task } from './task.ts';

/** DynamoDB's limit on an item, in bytes. */
export const ITEM_BYTES = 409_600;
/** What keys and index attributes add to a task in the table; all are made of ids, times and words. */
const KEY_BYTES = 4_000;
/** Most bytes that a task may take as it is written. */
export const TASK_BYTES = ITEM_BYTES - KEY_BYTES;
/**
 * Most bytes of a request as a new task. The rest is for the attempts to come: `test/shared/contract/task/fit.test.ts` shows that the shortest
 * form of as many as a task can have goes into it.
 */
export const MAX_TASK_BYTES = 186_000;
/** A task that has had as many attempts gets no further round: what decided each of them must stay in the item. */
export const MAX_ATTEMPTS_BEFORE_RETRY = 20;

/** How much is left of an attempt: bytes of each text, entries of each list. */
interface Measure {
  readonly text: number;
  readonly list: number;
}
const MEASURES: readonly Measure[] = [
  { text: 2_000, list: 30 },
  { text: 500, list: 15 },
  { text: 150, list: 5 },
  { text: 0, list: 0 },
];

const MORE: VerdictReason = { code: 'cut', subject: null, message: 'there were more; the evidence has them' };

function reasons(all: readonly VerdictReason[], { text, list }: Measure): VerdictReason[] {
  const kept = all
    .filter(({ code }) => code !== MORE.code)
    .slice(0, list)
    .map(({ code, subject, message }) => ({
      code: cut(code, Math.max(100, text)),
      subject: subject === null ? null : cut(subject, text),
      message: cut(message, text),
    }));
  return kept.length < all.length ? [...kept, MORE] : kept;
}

/** Files stay with their whole paths or not at all: a part of a path names nothing. */
function fewerFiles(
  { files = [], files_more: more = 0 }: NonNullable<Attempt['verification']>,
  { text, list }: Measure,
): Pick<NonNullable<Attempt['verification']>, 'files' | 'files_more'> {
  const kept = files.filter(({ path }) => Buffer.byteLength(path) <= text).slice(0, list);
  const left = more + files.length - kept.length;
  return { files: kept, ...(left > 0 && { files_more: left }) };
}

function shortVerification(
  record: NonNullable<Attempt['verification']>,
  { text, list }: Measure,
): NonNullable<Attempt['verification']> {
  return {
    ...record,
    signals: record.signals.slice(0, list).map((each) => ({
      ...each,
      type: cut(each.type, 100),
      subject: cut(each.subject, text),
      detail: cut(each.detail, text),
    })),
    gates: record.gates.slice(0, list).map(({ facts, screenshots, ...each }) => ({
      ...each,
      name: cut(each.name, 100),
      detail: cut(each.detail, text),
      ...(facts && text >= 500 ? { facts } : {}),
      // All of a gate's or none: with some of them it would look as if there were no others.
      ...(screenshots && text >= 500 ? { screenshots } : {}),
    })),
    ...(record.protected_files && {
      protected_files: record.protected_files.slice(0, list).map((each) => ({
        ...each,
        path: cut(each.path, text),
        allowed_by: each.allowed_by === null ? null : cut(each.allowed_by, text),
      })),
    }),
    ...(record.files && {
      ...fewerFiles(record, { text, list }),
    }),
    ...(record.failing && {
      failing: record.failing
        .slice(0, list)
        .map((each) => ({ check: cut(each.check, Math.max(50, text)), what: cut(each.what, text) })),
    }),
    shortened: true,
  };
}

/** Grades stay; what was handed over is named by its digest. */
const shortGrading = (grading: GradingRecord, text: number): GradingRecord => ({
  ...grading,
  handoff: text >= 500 ? grading.handoff : null,
});

/** How a workflow went, with its words cut. Where it ended stays: it decides how often work is done again. */
const shortWorkflow = (workflow: StageOutcome, { text, list }: Measure): StageOutcome => ({
  ...workflow,
  taken: workflow.taken.slice(-Math.max(1, list)).map((each) => ({
    ...each,
    to: list === 0 ? null : each.to,
    skipped: each.skipped.slice(0, list),
  })),
  review_pipeline: {
    ...workflow.review_pipeline,
    stages_completed: workflow.review_pipeline.stages_completed.slice(0, list),
    stage_results: Object.fromEntries(
      Object.entries(workflow.review_pipeline.stage_results)
        .slice(0, list)
        .map(([stage, { verdict, reason }]) => [
          stage,
          { verdict, reason: reason === null ? null : cut(reason, text) },
        ]),
    ),
  },
});

/** Judgements with their words cut; what all of them cost stays with the verdict, and each has its row in the records. */
const judgements = (all: NonNullable<Verdict['judgements']>, { text, list }: Measure) =>
  all.slice(0, list).map((each) => ({
    ...each,
    subject: cut(each.subject, text),
    reasons: each.reasons.slice(0, list).map((reason) => cut(reason, text)),
    injections: each.injections.slice(0, list).map((what) => cut(what, text)),
    because: cut(each.because, text),
    ...(each.grading && { grading: shortGrading(each.grading, text) }),
  }));

/** What middleware has found, cut: the first things that it names, and with the last measure neither names nor facts. */
const shortMiddleware = (record: MiddlewareRecord, { text, list }: Measure): MiddlewareRecord => {
  const found = record.found.slice(0, list).map((each) => ({ ...each, detail: cut(each.detail, text) }));
  const more = (record.more ?? 0) + record.found.length - found.length;
  return { ...record, found, ...(more > 0 && { more }), facts: list === 0 ? {} : record.facts };
};

/** An attempt with its words cut. Numbers, outcomes, hashes, keys, costs, lease and tokens stay; so does what its decision will be made from. */
function shortAttempt(attempt: Attempt, measure: Measure, isCurrent: boolean): Attempt {
  const { text, list } = measure;
  const { progress, report, verification, verification_failure: failure, verdict, decision } = attempt;
  const undecided = isCurrent && decision === null;
  return {
    ...attempt,
    ...(attempt.route && { route: { ...attempt.route, reason: cut(attempt.route.reason, text) } }),
    progress: progress && { ...progress, message: cut(progress.message, text) },
    report:
      report && !undecided
        ? {
            ...report,
            summary: cut(report.summary, text),
            output_tail: cut(report.output_tail, text),
            ...(report.logged && {
              logged: report.logged.slice(0, list).map((run) => ({
                ...run,
                failing: run.failing.map((each) => cut(each, text)).slice(0, list),
              })),
            }),
            ...(report.middleware && { middleware: shortMiddleware(report.middleware, measure) }),
            ...(report.verification_gate && {
              verification_gate: {
                ...report.verification_gate,
                because: cut(report.verification_gate.because, text),
                missing: report.verification_gate.missing
                  .slice(0, measure.list)
                  .map((each) => cut(each, text)),
              },
            }),
          }
        : report,
    verification: verification && shortVerification(verification, measure),
    verification_failure: failure && { ...failure, message: cut(failure.message, text) },
    verdict: verdict && {
      ...verdict,
      reasons: reasons(verdict.reasons, measure),
      ...(verdict.judgements && { judgements: judgements(verdict.judgements, measure) }),
      ...(verdict.workflow && { workflow: shortWorkflow(verdict.workflow, measure) }),
    },
    ...(attempt.repeated && {
      repeated: { ...attempt.repeated, reason: cut(attempt.repeated.reason, text) },
    }),
    decision: decision && { ...decision, reason: cut(decision.reason, Math.max(100, text)) },
    ...(attempt.failure && {
      failure: {
        ...attempt.failure,
        rule: cut(attempt.failure.rule, Math.max(50, text)),
        ...(attempt.failure.about && { about: cut(attempt.failure.about, text) }),
      },
    }),
  };
}

/** A list with its texts cut, and a mark at its end where there were more. */
function shortList(all: readonly string[], { text, list }: Measure): string[] {
  const kept = all.filter((each) => each !== CUT).slice(0, list);
  return [...kept.map((each) => cut(each, text)), ...(kept.length === all.length ? [] : [CUT])];
}

/** What is said of the task as a whole, cut. */
function shortWords(task: Task, measure: Measure): Task {
  const { hold, failure, delivery, review, blocked_reason: blocked } = task;
  const most = Math.max(500, measure.text);
  return {
    ...task,
    hold: hold && { ...hold, reasons: shortList(hold.reasons, measure) },
    failure: failure && { ...failure, message: cut(failure.message, most) },
    ...(task.approvals && {
      approvals: task.approvals.map((each) => ({
        ...each,
        title: cut(each.title, Math.max(100, measure.text)),
        description: cut(each.description, measure.text),
        decision_reason: each.decision_reason && cut(each.decision_reason, measure.text),
      })),
    }),
    delivery: delivery && { ...delivery, reason: delivery.reason && cut(delivery.reason, most) },
    review: review && {
      ...review,
      reason: cut(review.reason, most),
      ...(review.accepted_files && { accepted_files: shortList(review.accepted_files, measure) }),
    },
    blocked_reason: blocked && { ...blocked, message: cut(blocked.message, most) },
  };
}

/** Shortens one attempt after the other, the oldest first, until the task fits; then once more, to less. */
function shortenEarlier(task: Task): Task {
  const attempts = [...task.attempts];
  let bytes = itemBytes(task);
  for (const measure of MEASURES)
    for (let index = 0; index < attempts.length - 1 && bytes > TASK_BYTES; index++) {
      const attempt = attempts[index];
      if (!attempt) continue;
      const short = shortAttempt(attempt, measure, false);
      bytes += valueBytes(short) - valueBytes(attempt);
      attempts[index] = short;
    }
  return { ...task, attempts };
}

function shortenPresent(task: Task, measure: Measure): Task {
  const present = currentAttempt(task);
  if (itemBytes(task) <= TASK_BYTES) return task;
  const short = shortWords(task, measure);
  return present
    ? { ...short, attempts: [...task.attempts.slice(0, -1), shortAttempt(present, measure, true)] }
    : short;
}

/**
 * A task as it can be written. When it takes more than an item may, words of earlier attempts are cut first, the oldest before the
 * others, then those of the present one; where there is a whole text, it is on S3 under the keys that stay.
 */
export function fitted(task: Task): Task {
  if (itemBytes(task) <= TASK_BYTES) return task;
  const [mild] = MEASURES;
  const short = shortenEarlier(mild ? shortenPresent(task, mild) : task);
  return MEASURES.slice(1).reduce(shortenPresent, short);
}

/** A task in its shortest form. */
export const shortest = (task: Task): Task =>
  MEASURES.slice(-1).reduce<Task>(
    (each, measure) => ({
      ...shortWords(each, measure),
      attempts: each.attempts.map((attempt, index) =>
        shortAttempt(attempt, measure, index === each.attempts.length - 1),
      ),
    }),
    task,
  );
