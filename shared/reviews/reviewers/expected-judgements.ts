import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement, RequirementsReviewPlan } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewPlan } from '../../contract/judgement/review-pipeline-schema.ts';
import { isModelJudgedSignal, type ModelJudgedSignal } from '../../contract/submission/signals.ts';
import type { Task } from '../../contract/task/task.ts';
import { absentJudgement, skippedJudgement } from '../engine/engine.ts';
import { EXPECTATION_COMPARISON } from './expectations.ts';
import { REQUIREMENTS_REVIEW, unaskedRequirementsReview } from './requirements-review.ts';
import { REVIEW_PIPELINE, STAGE_REVIEWER } from './review-pipeline.ts';
import { signalReviewerOf } from './signal.ts';

/** What models are to be asked about a task, in the order in which it names them. */
export const judgedSignals = (task: Pick<Task, 'completion_signals' | 'foundation'>): ModelJudgedSignal[] =>
  task.completion_signals
    .filter(isModelJudgedSignal)
    .map((signal) =>
      signal.type === 'quality_gate' && task.foundation ? { ...signal, foundation: true } : signal,
    );

/** Why a model is not asked: it could not change the verdict. Null: it is asked. */
export const judgingSkipReason = ({ verdict }: Pick<Verdict, 'verdict'>): string | null =>
  verdict === 'fail' ? 'not asked: what was observed has failed already, and no opinion mends that' : null;

/** Returns a judgement for each that was to be made: also for one that was not asked for, or did not come back. */
export function completeJudgements(
  task: Pick<Task, 'completion_signals' | 'foundation'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
  look: RequirementsReviewPlan | null = null,
  pipeline: PipelineReviewPlan | null = null,
): Judgement[] {
  const because = judgingSkipReason(observed);
  const ofSignals = judgedSignals(task).map((signal, index) => {
    const reviewer = signalReviewerOf(signal);
    if (because !== null) return skippedJudgement(reviewer, { signal }, because);
    const found = made[index];
    return found?.subject === reviewer.head({ signal }).subject
      ? found
      : absentJudgement(reviewer, { signal }, { code: 'not_returned' });
  });
  return [...ofSignals, ...requirementsReviewJudgements(made, look), ...pipelineJudgements(made, pipeline)];
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

/** Whether the reviewers of the base are asked about what was observed; null: the base names none. */
export function planPipelineReview(
  { review_pipeline: pipeline, empty_patch }: Pick<Evidence, 'review_pipeline' | 'empty_patch'>,
  observed: Pick<Verdict, 'verdict'>,
): PipelineReviewPlan | null {
  if (!pipeline) return null;
  const { on_error } = pipeline;
  const skipped =
    judgingSkipReason(observed) ?? (empty_patch ? 'not asked: the patch changes nothing' : null);
  return skipped === null
    ? { outcome: 'asked', on_error, because: 'asked: the base has reviewers' }
    : { outcome: 'skipped', on_error, because: skipped };
}
