import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { hasCheckResult } from '../../contract/check-outcome.ts';
import { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewPlan } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewPlan } from '../../contract/judgement/review-pipeline-schema.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import type { ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import type { CascadePolicy } from '../../control/cascade/learning/cascade-policy.ts';
import { reserveJudgingOrRefusal } from '../../control/spending/judging-reservation.ts';
import { requireAttempt } from '../../control/task-commands/task-change.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import type { AskModel } from '../../reviews/engine/ask-model-port.ts';
import { missingModelInstruction, modelReceipt } from '../../reviews/engine/engine.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import type { CircuitBreaker } from '../../reviews/judging/circuit-breaker.ts';
import { excerptEvenly, splitDiffByFile } from '../../reviews/judging/diff-excerpt.ts';
import {
  compareExpectations,
  expectationOpinion,
  expectationQuestion,
  findChangedExpectations,
} from '../../reviews/judging/expectation-comparison.ts';
import { judgedSignals } from '../../reviews/judging/expected-judgements.ts';
import { judgingBudgetRefusal } from '../../reviews/judging/judging-budget.ts';
import { unaskedPipelineJudgement } from '../../reviews/judging/pipeline-judgement.ts';
import { PROMPTS } from '../../reviews/judging/prompts.ts';
import {
  findingNotes,
  requirementsReviewOpinion,
  requirementsReviewQuestion,
  unansweredRequirementsReview,
} from '../../reviews/judging/requirements-review.ts';
import { askReviewPipeline } from '../../reviews/judging/review-pipeline.ts';
import {
  signalJudgementHead,
  signalOpinion,
  signalQuestion,
  unaskedSignalJudgement,
} from '../../reviews/judging/signal-judgement.ts';
import type { ModelSpendStore } from '../../store/model-spend.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';
import { type AttemptEvidence, buildQualityGatePieces, qualityGateSkipReason } from './quality-gate.ts';
import { hasWorkflowReviews, runWorkflowReviews } from './run-workflow-reviews.ts';

export interface JudgingContext {
  readonly tasks: TaskStore;
  readonly objects: ObjectStore;
  readonly models: JudgeModels;
  readonly ask: AskModel;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel;
  /** Of the quality gate, for a model that writes; null: nothing is known of it. */
  readonly readBreaker: (model: string) => Promise<CircuitBreaker | null>;
  /** What may go to models; absent: nothing is limited. */
  readonly budget?: {
    readonly policy: CascadePolicy;
    readonly spend: Pick<ModelSpendStore, 'reserve'>;
    /** A budget has kept everybody from being asked. */
    readonly onStop: () => void;
  };
  readonly now: () => Date;
}

/** Characters of the diff, of the task's description and of what was observed that a judge is shown. */
const DIFF = 10_000;
const DESCRIPTION = 4_000;
const OBSERVED = 4_000;

/** What was observed, as lines. What a tool has printed is text from outside like the rest. */
function describeObservations({ signals, gates }: Evidence): string {
  const lines = [
    ...signals.map(({ type, outcome, detail }) => `signal ${type}: ${outcome} (${detail.slice(0, 200)})`),
    ...gates
      .filter(({ outcome }) => hasCheckResult(outcome))
      .flatMap(({ name, outcome, detail, findings }) => [
        `gate ${name}: ${outcome} (${detail.slice(0, 200)})`,
        ...findings.map(
          ({ file, line, rule, message }) => `  ${rule} at ${file}:${line}: ${message.slice(0, 200)}`,
        ),
      ]),
  ];
  return truncateToBytes(lines.join('\n'), OBSERVED);
}

interface ReviewMaterial {
  readonly pieces: ReviewPiece[];
  readonly notes: ReviewPiece[];
  /** Of these, the task alone. */
  readonly taskPieces: ReviewPiece[];
  readonly patch: string;
  readonly attemptEvidence: AttemptEvidence;
}

/** What every judge is shown, and the notes that are for a second look. */
async function loadReviewMaterial(
  task: Task,
  attempt: number,
  objects: ObjectStore,
): Promise<ReviewMaterial> {
  const made = requireAttempt(task, attempt);
  const { verification, artifact } = made;
  if (!verification || !artifact) throw new Error(`attempt ${attempt} of ${task.id} has no evidence`);
  const [evidence, patch] = await Promise.all([
    objects.getByDigest(verification.key).then((text) => Evidence.parse(JSON.parse(text))),
    objects.getByDigest(artifact.patch_key),
  ]);
  const diff = excerptEvenly(splitDiffByFile(patch), DIFF);
  const notes = findingNotes(evidence);
  const about: ReviewPiece[] = [
    { kind: 'task', label: 'title of the task', text: task.title },
    { kind: 'task', label: 'description of the task', text: truncateToBytes(task.description, DESCRIPTION) },
    ...(task.acceptance_criteria.length === 0
      ? []
      : [
          {
            kind: 'task' as const,
            label: 'acceptance criteria of the task',
            text: truncateToBytes(task.acceptance_criteria.join('\n'), DESCRIPTION),
          },
        ]),
  ];
  return {
    pieces: [
      ...about,
      { kind: 'observed', label: 'what was observed', text: describeObservations(evidence) },
      { kind: 'diff', label: 'diff', text: diff.text },
    ],
    taskPieces: about,
    patch,
    attemptEvidence: { task, attempt: made, evidence },
    notes:
      notes.length === 0
        ? []
        : [
            {
              kind: 'rule_notes',
              label: 'notes of rules',
              text: truncateToBytes(notes.join('\n'), OBSERVED),
            },
          ],
  };
}

/** What reduction has found worth asking, beside the signals that a task names. */
export interface RequestedReviews {
  readonly look?: RequirementsReviewPlan | undefined;
  readonly pipeline?: PipelineReviewPlan | null | undefined;
}

/**
 * Asks about all judged signals of an attempt, and for a second look where there is to be one, side by side. A judge that does not answer
 * is a judgement too: nothing is left out.
 */
export async function askJudges(
  id: string,
  attempt: number,
  { look, pipeline }: RequestedReviews,
  context: JudgingContext,
): Promise<Judgement[]> {
  const task = await context.tasks.require(id);
  const signals = judgedSignals(task);
  const looks = look?.outcome === 'asked' ? look : null;
  const reviews = pipeline?.outcome === 'asked' ? pipeline : null;
  const { models, budget } = context;
  const may = {
    task,
    attempt: requireAttempt(task, attempt),
    signals,
    hasRequirementsReview: looks !== null,
  };
  const enough = judgingBudgetRefusal(task.attempts);
  const refused =
    enough === null && budget
      ? await reserveJudgingOrRefusal(
          { ...may, hasReviewPipeline: reviews !== null },
          models,
          budget,
          context.now(),
        )
      : null;
  if (refused !== null) budget?.onStop();
  const spent = enough ?? refused;
  const { judge, second_look: looker, review: reviewers = [] } = spent === null ? models : {};
  const unasked = (signal: ModelJudgedSignal) =>
    unaskedSignalJudgement(signal, {
      outcome: 'could_not_run',
      because: spent ?? missingModelInstruction('judge'),
    });
  // The quality gate looks before it asks.
  const isNeeded = judge ? signals.length > 0 : signals.some(({ type }) => type === 'quality_gate');
  const unreviewable =
    reviews && spent !== null ? [unaskedPipelineJudgement(reviews, 'could_not_run', spent)] : [];
  const nobody = !isNeeded && (!looker || !looks) && (!reviews || spent !== null);
  if (nobody && !hasWorkflowReviews(task))
    return [
      ...signals.map(unasked),
      ...(looks
        ? [unansweredRequirementsReview(looks, spent ?? missingModelInstruction('second_look'))]
        : []),
      ...unreviewable,
    ];
  const { pieces, notes, attemptEvidence, taskPieces, patch } = await loadReviewMaterial(
    task,
    attempt,
    context.objects,
  );
  const ofSignal = async (signal: ModelJudgedSignal): Promise<Judgement> => {
    const isMark = signal.type === 'quality_gate';
    const instead = isMark ? await qualityGateSkipReason(attemptEvidence, context) : null;
    if (instead) return unaskedSignalJudgement(signal, instead);
    if (!judge) return unasked(signal);
    const question = signalQuestion(
      signal,
      isMark ? [...pieces, ...buildQualityGatePieces(attemptEvidence, context.now())] : pieces,
    );
    const answered = await context.ask(judge, question);
    const because = 'asked: the task names it among its completion signals';
    return {
      ...signalJudgementHead(signal),
      ...signalOpinion(signal, answered, question.injections),
      because,
      ...modelReceipt(judge, question.prompt, answered, context.now()),
    };
  };
  const secondLook = async (of: RequirementsReviewPlan): Promise<Judgement> => {
    if (!looker) return unansweredRequirementsReview(of, spent ?? missingModelInstruction('second_look'));
    const question = requirementsReviewQuestion([...pieces, ...notes]);
    const answered = await context.ask(looker, question);
    return {
      ...requirementsReviewOpinion(answered, question.injections),
      because: of.because,
      ...modelReceipt(looker, question.prompt, answered, context.now()),
    };
  };
  const expectations = looker && looks ? findChangedExpectations(patch) : null;
  const compared = async (): Promise<Judgement[]> => {
    if (!looker || !expectations) return [];
    const injections = new Set<string>();
    const answered = await compareExpectations((isSwapped) => {
      const question = expectationQuestion(expectations, taskPieces, isSwapped);
      for (const each of question.injections) injections.add(each);
      return context.ask(looker, question);
    });
    const because = 'asked in both orders: the patch changes what tests of the base expect';
    const opinion = expectationOpinion(answered, [...injections]);
    return [{ ...opinion, because, ...modelReceipt(looker, PROMPTS.expectations, answered, context.now()) }];
  };
  const review = async (): Promise<Judgement[]> => {
    const { review_pipeline } = attemptEvidence.evidence;
    if (!reviews || !review_pipeline || spent !== null) return unreviewable;
    const { ask, now } = context;
    const writer = attemptEvidence.attempt.model;
    const { because } = reviews;
    return askReviewPipeline({
      pipeline: review_pipeline,
      models: reviewers,
      writer,
      pieces,
      request_reason: because,
      ask,
      now,
    });
  };
  const all = await Promise.all([
    Promise.all([...signals.map(ofSignal), ...(looks ? [secondLook(looks)] : [])]),
    compared(),
    review(),
    runWorkflowReviews(task, attemptEvidence.attempt, attemptEvidence.evidence, pieces, {
      ...context,
      budgetRefusal: spent,
    }),
  ]);
  return all.flat();
}
