import type { Judgement } from '../../contract/judgement/judgement.ts';
import { NOBODY_ASKED } from '../../contract/judgement/judgement.ts';
import type { PipelineAsk } from '../../contract/judgement/review-pipeline.ts';
import { withoutOpinion } from './outcomes.ts';

export const PIPELINE_SUBJECT = 'review pipeline';

export const PIPELINE_HEAD = {
  kind: 'review_pipeline',
  subject: PIPELINE_SUBJECT,
  prompt: null,
  calibration: null,
} as const;

/** The judgement of the whole where no reviewer was asked, or nobody came back. */
export const unreviewed = (
  { on_error }: Pick<PipelineAsk, 'on_error'>,
  outcome: 'skipped' | 'inert' | 'infra_failed',
  because: string,
): Judgement => ({
  ...PIPELINE_HEAD,
  ...NOBODY_ASKED,
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : withoutOpinion(on_error),
  reasons: [because],
  because,
});
