import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewPlan } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewPlan } from '../../contract/judgement/review-pipeline-schema.ts';
import { isModelJudgedSignal, type ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReason, type SkipReason } from '../engine/decision-reason.ts';
import { absentJudgement, failureBefore, type Headed, skippedJudgement } from '../engine/engine.ts';
import { listGradedNodes } from '../rubric/grading.ts';
import { EXPECTATION_COMPARISON } from './expectations.ts';
import { RED_TEAM, redTeamSettings } from './red-team.ts';
import { REQUIREMENTS_REVIEW, unaskedRequirementsReview } from './requirements-review.ts';
import { REVIEW_PIPELINE, STAGE_REVIEWER } from './review-pipeline.ts';
import { RUBRIC_GRADING } from './rubric-grading.ts';
import { signalReviewerOf } from './signal.ts';
import { VISION, visionSettings } from './vision.ts';

/** Returns the judged signals of a task, in its order. */
export const judgedSignals = (task: Pick<Task, 'completion_signals' | 'foundation'>): ModelJudgedSignal[] =>
  task.completion_signals
    .filter(isModelJudgedSignal)
    .map((signal) =>
      signal.type === 'quality_gate' && task.foundation ? { ...signal, foundation: true } : signal,
    );

/** Returns why no model is asked, or null: what has failed already is not mended by an opinion. */
export const judgingSkip = ({ verdict }: Pick<Verdict, 'verdict'>): SkipReason | null =>
  verdict === 'fail' ? { code: 'failed_already' } : null;

/** Tells whether the workflow of a task asks reviewers. */
export const hasWorkflowReviews = (task: Pick<Task, 'workflow_in_force'>): boolean =>
  listGradedNodes(task).length > 0 || redTeamSettings(task) !== null || visionSettings(task) !== null;

/** Returns a judgement for each that was to be made: also for one that was not asked for, or did not come back. */
export function completeJudgements(
  task: Pick<Task, 'completion_signals' | 'foundation' | 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
  look: RequirementsReviewPlan | null = null,
  pipeline: PipelineReviewPlan | null = null,
): Judgement[] {
  const skip = judgingSkip(observed);
  const ofSignals = judgedSignals(task).map((signal, index) => {
    const reviewer = signalReviewerOf(signal);
    if (skip !== null) return skippedJudgement(reviewer, { signal }, describeReason(skip));
    const found = made[index];
    return found?.subject === reviewer.head({ signal }).subject
      ? found
      : absentJudgement(reviewer, { signal }, { code: 'not_returned' });
  });
  return [
    ...ofSignals,
    ...requirementsReviewJudgements(made, look),
    ...pipelineJudgements(made, pipeline),
    ...completeGradingJudgements(task, observed, made),
    ...completeReviewGateJudgements(task, observed, made),
  ];
}

/** The judgements of each verification node, and of each decomposition of criteria. */
export function completeGradingJudgements(
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const skip = judgingSkip(observed);
  return listGradedNodes(task).flatMap((of) => {
    if (skip !== null) return [skippedJudgement(RUBRIC_GRADING, { of }, describeReason(skip))];
    const found = made.filter(({ grading }) => grading?.node === of.node);
    return found.some(({ kind }) => kind === RUBRIC_GRADING.kind)
      ? found
      : [...found, absentJudgement(RUBRIC_GRADING, { of }, { code: 'not_returned' })];
  });
}

/** The judgements of the red team and of vision, each where the workflow wants it. */
export function completeReviewGateJudgements(
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const wanted = [
    ...(redTeamSettings(task) === null ? [] : [RED_TEAM]),
    ...(visionSettings(task) === null ? [] : [VISION]),
  ];
  return wanted.flatMap((reviewer) => {
    const found = made.filter(({ kind }) => kind === reviewer.kind);
    if (found.length > 0) return found;
    const after: Headed<unknown>['after'] = reviewer.after;
    const skip = judgingSkip(observed) ?? failureBefore(after, made);
    return skip === null
      ? absentJudgement(reviewer, undefined, { code: 'not_returned' })
      : skippedJudgement(reviewer, undefined, describeReason(skip));
  });
}

/** The requirements review, and the comparison of expectations that belongs to it. */
function requirementsReviewJudgements(
  made: readonly Judgement[],
  look: RequirementsReviewPlan | null,
): Judgement[] {
  if (look === null) return [];
  if (look.outcome !== 'asked') return [unaskedRequirementsReview(look.outcome, look.because)];
  const found = made.find(({ kind }) => kind === REQUIREMENTS_REVIEW.kind);
  return found
    ? [found, ...made.filter(({ kind }) => kind === EXPECTATION_COMPARISON.kind)]
    : [absentJudgement(REQUIREMENTS_REVIEW, undefined, { code: 'not_returned' })];
}

/** The pipeline with its reviewers; without the judgement of the whole, no reviewer counts. */
function pipelineJudgements(made: readonly Judgement[], pipeline: PipelineReviewPlan | null): Judgement[] {
  if (pipeline === null) return [];
  if (pipeline.outcome === 'skipped') return [skippedJudgement(REVIEW_PIPELINE, pipeline, pipeline.because)];
  const whole = made.find(({ kind }) => kind === REVIEW_PIPELINE.kind);
  return whole
    ? [...made.filter(({ kind }) => kind === STAGE_REVIEWER.kind), whole]
    : [absentJudgement(REVIEW_PIPELINE, pipeline, { code: 'not_returned' })];
}

/** Decides whether the reviewers of the base are asked; null: the base names none. */
export function planPipelineReview(
  { review_pipeline: pipeline, empty_patch }: Pick<Evidence, 'review_pipeline' | 'empty_patch'>,
  observed: Pick<Verdict, 'verdict'>,
): PipelineReviewPlan | null {
  if (!pipeline) return null;
  const { on_error } = pipeline;
  const skip = judgingSkip(observed) ?? (empty_patch ? ({ code: 'empty_patch' } as const) : null);
  return skip === null
    ? { outcome: 'asked', on_error, because: 'asked: the base has reviewers' }
    : { outcome: 'skipped', on_error, because: describeReason(skip) };
}
