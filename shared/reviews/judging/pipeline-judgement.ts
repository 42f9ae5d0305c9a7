import type { Judgement } from '../../contract/judgement/judgement.ts';
import { NO_CALL_USAGE } from '../../contract/judgement/judgement.ts';
import type { PipelineReviewPlan } from '../../contract/judgement/review-pipeline-schema.ts';
import { verdictWithoutOpinion } from '../engine/opinion-verdict.ts';

export const REVIEW_PIPELINE_SUBJECT = 'review pipeline';

export const REVIEW_PIPELINE_HEAD = {
  kind: 'review_pipeline',
  subject: REVIEW_PIPELINE_SUBJECT,
  prompt: null,
  calibration: null,
} as const;

/** The judgement of the whole where no reviewer was asked, or nobody came back. */
export const unaskedPipelineJudgement = (
  { on_error }: Pick<PipelineReviewPlan, 'on_error'>,
  outcome: 'skipped' | 'could_not_run' | 'infra_failed',
  because: string,
): Judgement => ({
  ...REVIEW_PIPELINE_HEAD,
  ...NO_CALL_USAGE,
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : verdictWithoutOpinion(on_error),
  reasons: [because],
  because,
});
