import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { isConclusiveOutcome } from '../../contract/check-outcome.ts';
import { Evidence } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewDecision } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewDecision } from '../../contract/judgement/review-pipeline-schema.ts';
import type { JudgeModels } from '../../contract/models/judge-models.ts';
import type { ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { TierPolicySettings } from '../../control/cascade/learning/cascade-policy.ts';
import { type JudgingScope, reserveJudgingOrRefusal } from '../../control/spending/judging-reservation.ts';
import { requireAttempt } from '../../control/task-commands/task-change.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import type { AskReviewModel } from '../../reviews/engine/ask-model-port.ts';
import { chooseReviewerModels } from '../../reviews/engine/choose-models.ts';
import type { JudgingRefusal } from '../../reviews/engine/decision-reason.ts';
import {
  createJudgementWithoutOpinion,
  type ReviewerContext,
  type ReviewMaterial,
  runSingleQuestionReviewer,
} from '../../reviews/engine/engine.ts';
import type { PieceKind, ReviewPiece } from '../../reviews/engine/review-piece.ts';
import type { QualityGateCircuitBreaker } from '../../reviews/judging/circuit-breaker.ts';
import { excerptDiffsEvenly, splitDiffByFile } from '../../reviews/judging/diff-excerpt.ts';
import { judgingBudgetRefusal } from '../../reviews/judging/judging-budget.ts';
import { hasWorkflowReviews, listModelJudgedSignals } from '../../reviews/reviewers/expected-judgements.ts';
import {
  listPassedCheckFindings,
  runRequirementsReview,
} from '../../reviews/reviewers/requirements-review.ts';
import {
  PIPELINE_STAGE_REVIEWER_DEFINITION,
  REVIEW_PIPELINE_JUDGEMENT_FIELDS,
  runReviewPipeline,
} from '../../reviews/reviewers/review-pipeline.ts';
import { getSignalReviewer } from '../../reviews/reviewers/signal-reviewers.ts';
import {
  findChangedExpectations,
  runExpectationComparison,
  TEST_EXPECTATION_REVIEWER,
} from '../../reviews/reviewers/test-expectations.ts';
import type { ModelSpendStore } from '../../store/model-spend.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';
import { type AttemptWithEvidence, precheckQualityGate, qualityGatePieces } from './quality-gate.ts';
import { runWorkflowReviews } from './run-workflow-reviews.ts';

export interface JudgingContext {
  readonly tasks: TaskStore;
  readonly objects: ObjectStore;
  readonly models: JudgeModels;
  readonly ask: AskReviewModel;
  /** Of the deployment: the most that any task has. */
  readonly autonomy?: AutonomyLevel;
  /** Of the quality gate, for a model that writes; null: nothing is known of it. */
  readonly readBreaker: (model: string) => Promise<QualityGateCircuitBreaker | null>;
  /** True where the gateway that agents reach models by counts their calls. */
  readonly isMetered?: boolean;
  /** What may go to models; absent: nothing is limited. */
  readonly budget?: {
    readonly policy: TierPolicySettings;
    readonly spend: Pick<ModelSpendStore, 'reserve'>;
    /** A budget has kept everybody from being asked. */
    readonly onStop: () => void;
  };
  readonly now: () => Date;
}

/** Most characters of the diff, of the task's description and of what was observed that a reviewer is shown. */
const MAX_DIFF_CHARS = 10_000;
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_OBSERVED_CHARS = 4_000;

/** What was observed, as lines. What a tool has printed is text from outside like the rest. */
function describeObservations({ signals, gates }: Evidence): string {
  const lines = [
    ...signals.map(({ type, outcome, detail }) => `signal ${type}: ${outcome} (${detail.slice(0, 200)})`),
    ...gates
      .filter(({ outcome }) => isConclusiveOutcome(outcome))
      .flatMap(({ name, outcome, detail, findings }) => [
        `gate ${name}: ${outcome} (${detail.slice(0, 200)})`,
        ...findings.map(
          ({ file, line, rule, message }) => `  ${rule} at ${file}:${line}: ${message.slice(0, 200)}`,
        ),
      ]),
  ];
  return truncateToBytes(lines.join('\n'), MAX_OBSERVED_CHARS);
}

/** Returns the parts of the patched tree that were collected with the evidence, and what had no room. */
const contextPieces = ({ review_context: context }: Evidence): ReviewPiece[] =>
  context
    ? [
        ...context.parts.map(({ kind, path, text }): ReviewPiece => {
          const label = { change: 'change of', test: 'test of what is changed, in', caller: 'caller, in' }[
            kind
          ];
          return { kind: 'change_context', label: `${label} ${path}`, text };
        }),
        ...(context.omitted.length === 0
          ? []
          : [
              {
                kind: 'omitted' as const,
                label: 'not shown, because there is no room',
                text: context.omitted.join('\n'),
              },
            ]),
      ]
    : [];

/** Changes with whole functions take the place of the diff. */
const withoutRepeatedDiff = ({ pieces }: ReviewMaterial): ReviewMaterial => ({
  pieces: pieces.some(({ kind }) => kind === 'change_context')
    ? pieces.filter(({ kind }) => kind !== 'diff')
    : pieces,
});

interface LoadedMaterial {
  readonly pieces: readonly ReviewPiece[];
  readonly patch: string;
  readonly attemptEvidence: AttemptWithEvidence;
}

/** Loads what reviewers can be shown; each row selects its kinds of pieces. */
async function loadReviewMaterial(
  task: Task,
  attempt: Attempt,
  objects: ObjectStore,
  now: Date,
): Promise<LoadedMaterial> {
  const { verification, artifact } = attempt;
  if (!verification || !artifact) throw new Error(`attempt ${attempt.number} of ${task.id} has no evidence`);
  const [evidence, patch] = await Promise.all([
    objects.getByDigest(verification.key).then((text) => Evidence.parse(JSON.parse(text))),
    objects.getByDigest(artifact.patch_key),
  ]);
  const attemptEvidence = { task, attempt, evidence };
  const piece = (kind: PieceKind, label: string, text: string, most: number): ReviewPiece => ({
    kind,
    label,
    text: truncateToBytes(text, most),
  });
  const criteria = task.acceptance_criteria.join('\n');
  const notes = listPassedCheckFindings(evidence).join('\n');
  return {
    patch,
    attemptEvidence,
    pieces: [
      { kind: 'task', label: 'title of the task', text: task.title },
      piece('task', 'description of the task', task.description, MAX_DESCRIPTION_CHARS),
      ...(criteria === ''
        ? []
        : [piece('task', 'acceptance criteria of the task', criteria, MAX_DESCRIPTION_CHARS)]),
      { kind: 'observed', label: 'what was observed', text: describeObservations(evidence) },
      { kind: 'diff', label: 'diff', text: excerptDiffsEvenly(splitDiffByFile(patch), MAX_DIFF_CHARS).text },
      ...contextPieces(evidence),
      ...(notes === '' ? [] : [piece('rule_notes', 'notes of rules', notes, MAX_OBSERVED_CHARS)]),
      ...qualityGatePieces(attemptEvidence, now),
    ],
  };
}

/** What reduction has found worth asking, beside the signals that a task names. */
export interface RequestedReviews {
  readonly requirements_review?: RequirementsReviewDecision | undefined;
  readonly review_pipeline?: PipelineReviewDecision | null | undefined;
}

/** Returns why no model is asked about an attempt any more, or null; sets aside what the judging may cost. */
async function reserveOrRefusal(
  scope: JudgingScope,
  { models, budget, now }: Pick<JudgingContext, 'models' | 'budget' | 'now'>,
): Promise<JudgingRefusal | null> {
  const used = judgingBudgetRefusal(scope.task.attempts);
  if (used !== null || !budget) return used;
  const why = await reserveJudgingOrRefusal(scope, models, budget, now());
  if (why === null) return null;
  budget.onStop();
  return { code: 'over_budget', why };
}

/**
 * Runs all reviewers of an attempt side by side: its judged signals, the requirements review, the reviewers of the base
 * and those of its workflow. A reviewer without an answer gives a judgement too.
 */
export async function runAttemptReviewers(
  id: string,
  number: number,
  { requirements_review: look, review_pipeline: pipeline }: RequestedReviews,
  context: JudgingContext,
): Promise<Judgement[]> {
  const { models, ask, now, objects } = context;
  const task = await context.tasks.require(id);
  const attempt = requireAttempt(task, number);
  const signals = listModelJudgedSignals(task);
  const reviews = pipeline?.outcome === 'asked' ? pipeline : null;
  const budgetRefusal = await reserveOrRefusal(
    {
      task,
      attempt,
      signals,
      hasRequirementsReview: look?.outcome === 'asked',
      hasReviewPipeline: reviews !== null,
    },
    context,
  );
  const reviewing: ReviewerContext = { ask, models, writer: attempt.model, budgetRefusal, now };
  let loaded: Promise<LoadedMaterial> | undefined;
  const load = (): Promise<LoadedMaterial> => {
    loaded ??= loadReviewMaterial(task, attempt, objects, now());
    return loaded;
  };
  const ofSignal = async (signal: ModelJudgedSignal): Promise<Judgement> => {
    const early =
      signal.type === 'quality_gate'
        ? await precheckQualityGate((await load()).attemptEvidence, context)
        : null;
    return runSingleQuestionReviewer(getSignalReviewer(signal), { signal, early }, load, reviewing);
  };
  const ofRequirements = async ({ reason: because }: RequirementsReviewDecision): Promise<Judgement[]> => {
    const isAsked = 'models' in chooseReviewerModels(TEST_EXPECTATION_REVIEWER, reviewing);
    const expectations = isAsked ? findChangedExpectations((await load()).patch) : null;
    return Promise.all([
      runRequirementsReview(because, async () => withoutRepeatedDiff(await load()), reviewing),
      ...(expectations ? [runExpectationComparison(expectations, await load(), reviewing)] : []),
    ]);
  };
  const ofPipeline = async (plan: PipelineReviewDecision): Promise<Judgement[]> => {
    const chosen = chooseReviewerModels(PIPELINE_STAGE_REVIEWER_DEFINITION, reviewing);
    if ('absence' in chosen)
      return [createJudgementWithoutOpinion(REVIEW_PIPELINE_JUDGEMENT_FIELDS, plan, chosen.absence)];
    const { pieces, attemptEvidence } = await load();
    const { review_pipeline } = attemptEvidence.evidence;
    return review_pipeline
      ? runReviewPipeline({ ...reviewing, pipeline: review_pipeline, pieces, because: plan.reason })
      : [];
  };
  const ofWorkflow = async (): Promise<Judgement[]> => {
    const { pieces, attemptEvidence } = await load();
    return runWorkflowReviews(task, attempt, attemptEvidence.evidence, pieces, { ...context, budgetRefusal });
  };
  const all = await Promise.all([
    ...signals.map(ofSignal),
    ...(look?.outcome === 'asked' ? [ofRequirements(look)] : []),
    ...(reviews ? [ofPipeline(reviews)] : []),
    ...(hasWorkflowReviews(task) ? [ofWorkflow()] : []),
  ]);
  return all.flat();
}
