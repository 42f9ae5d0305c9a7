import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewDecision } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewDecision } from '../../contract/judgement/review-pipeline-schema.ts';
import { isModelJudgedSignal, type ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReviewDecisionReason, type SkipReason } from '../engine/decision-reason.ts';
import {
  createJudgementWithoutOpinion,
  createSkippedJudgement,
  findEarlierFailure,
  type JudgementHeadProvider,
} from '../engine/engine.ts';
import { listRubricGradedWorkflowNodes } from '../rubric/grading.ts';
import { RED_TEAM_REVIEWER, redTeamSettings } from './red-team.ts';
import { createUnaskedRequirementsJudgement, REQUIREMENTS_REVIEWER } from './requirements-review.ts';
import { PIPELINE_STAGE_REVIEWER_DEFINITION, REVIEW_PIPELINE_JUDGEMENT_FIELDS } from './review-pipeline.ts';
import { RUBRIC_GRADING_REVIEWER } from './rubric-grading.ts';
import { getSignalReviewer } from './signal-reviewers.ts';
import { TEST_EXPECTATION_REVIEWER } from './test-expectations.ts';
import { findVisionSettings, VISION_REVIEWER } from './vision.ts';

/** Returns the judged signals of a task, in its order. */
export const listModelJudgedSignals = (
  task: Pick<Task, 'completion_signals' | 'foundation'>,
): ModelJudgedSignal[] =>
  task.completion_signals
    .filter(isModelJudgedSignal)
    .map((signal) =>
      signal.type === 'quality_gate' && task.foundation ? { ...signal, foundation: true } : signal,
    );

/** Returns why no model is asked, or null: what has failed already is not mended by an opinion. */
export const findJudgingSkipReason = ({ verdict }: Pick<Verdict, 'verdict'>): SkipReason | null =>
  verdict === 'fail' ? { code: 'failed_already' } : null;

/** Tells whether the workflow of a task asks reviewers. */
export const hasWorkflowReviews = (task: Pick<Task, 'resolved_workflow'>): boolean =>
  listRubricGradedWorkflowNodes(task).length > 0 ||
  redTeamSettings(task) !== null ||
  findVisionSettings(task) !== null;

/** Returns a judgement for each that was to be made: also for one that was not asked for, or did not come back. */
export function addMissingJudgements(
  task: Pick<Task, 'completion_signals' | 'foundation' | 'resolved_workflow'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
  look: RequirementsReviewDecision | null = null,
  pipeline: PipelineReviewDecision | null = null,
): Judgement[] {
  const skip = findJudgingSkipReason(observed);
  const ofSignals = listModelJudgedSignals(task).map((signal, index) => {
    const reviewer = getSignalReviewer(signal);
    if (skip !== null)
      return createSkippedJudgement(reviewer, { signal }, describeReviewDecisionReason(skip));
    const found = made[index];
    return found?.subject === reviewer.head({ signal }).subject
      ? found
      : createJudgementWithoutOpinion(reviewer, { signal }, { code: 'not_returned' });
  });
  return [
    ...ofSignals,
    ...requirementsReviewJudgements(made, look),
    ...pipelineJudgements(made, pipeline),
    ...addMissingGradingJudgements(task, observed, made),
    ...addMissingReviewGateJudgements(task, observed, made),
  ];
}

/** The judgements of each verification node, and of each decomposition of criteria. */
export function addMissingGradingJudgements(
  task: Pick<Task, 'resolved_workflow'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const skip = findJudgingSkipReason(observed);
  return listRubricGradedWorkflowNodes(task).flatMap((of) => {
    if (skip !== null)
      return [createSkippedJudgement(RUBRIC_GRADING_REVIEWER, { of }, describeReviewDecisionReason(skip))];
    const found = made.filter(({ grading }) => grading?.node === of.node);
    return found.some(({ kind }) => kind === RUBRIC_GRADING_REVIEWER.kind)
      ? found
      : [...found, createJudgementWithoutOpinion(RUBRIC_GRADING_REVIEWER, { of }, { code: 'not_returned' })];
  });
}

/** The judgements of the red team and of vision, each where the workflow wants it. */
export function addMissingReviewGateJudgements(
  task: Pick<Task, 'resolved_workflow'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const wanted = [
    ...(redTeamSettings(task) === null ? [] : [RED_TEAM_REVIEWER]),
    ...(findVisionSettings(task) === null ? [] : [VISION_REVIEWER]),
  ];
  return wanted.flatMap((reviewer) => {
    const found = made.filter(({ kind }) => kind === reviewer.kind);
    if (found.length > 0) return found;
    const after: JudgementHeadProvider<unknown>['after'] = reviewer.after;
    const skip = findJudgingSkipReason(observed) ?? findEarlierFailure(after, made);
    return skip === null
      ? createJudgementWithoutOpinion(reviewer, undefined, { code: 'not_returned' })
      : createSkippedJudgement(reviewer, undefined, describeReviewDecisionReason(skip));
  });
}

/** The requirements review, and the comparison of expectations that belongs to it. */
function requirementsReviewJudgements(
  made: readonly Judgement[],
  look: RequirementsReviewDecision | null,
): Judgement[] {
  if (look === null) return [];
  if (look.outcome !== 'asked') return [createUnaskedRequirementsJudgement(look.outcome, look.reason)];
  const found = made.find(({ kind }) => kind === REQUIREMENTS_REVIEWER.kind);
  return found
    ? [found, ...made.filter(({ kind }) => kind === TEST_EXPECTATION_REVIEWER.kind)]
    : [createJudgementWithoutOpinion(REQUIREMENTS_REVIEWER, undefined, { code: 'not_returned' })];
}

/** The pipeline with its reviewers; without the judgement of the whole, no reviewer counts. */
function pipelineJudgements(
  made: readonly Judgement[],
  pipeline: PipelineReviewDecision | null,
): Judgement[] {
  if (pipeline === null) return [];
  if (pipeline.outcome === 'skipped')
    return [createSkippedJudgement(REVIEW_PIPELINE_JUDGEMENT_FIELDS, pipeline, pipeline.reason)];
  const whole = made.find(({ kind }) => kind === REVIEW_PIPELINE_JUDGEMENT_FIELDS.kind);
  return whole
    ? [...made.filter(({ kind }) => kind === PIPELINE_STAGE_REVIEWER_DEFINITION.kind), whole]
    : [createJudgementWithoutOpinion(REVIEW_PIPELINE_JUDGEMENT_FIELDS, pipeline, { code: 'not_returned' })];
}

/** Decides whether the reviewers of the base are asked; null: the base names none. */
export function decidePipelineReview(
  { review_pipeline: pipeline, empty_patch }: Pick<Evidence, 'review_pipeline' | 'empty_patch'>,
  observed: Pick<Verdict, 'verdict'>,
): PipelineReviewDecision | null {
  if (!pipeline) return null;
  const { on_error } = pipeline;
  const skip = findJudgingSkipReason(observed) ?? (empty_patch ? ({ code: 'empty_patch' } as const) : null);
  return skip === null
    ? { outcome: 'asked', on_error, reason: 'asked: the base has reviewers' }
    : { outcome: 'skipped', on_error, reason: describeReviewDecisionReason(skip) };
}
