import * as z from 'zod';
import type { Judgement } from '../judgement.ts';
import { NOBODY_ASKED } from '../judgement.ts';
import { ON_ERROR } from '../on-error.ts';
import { withoutOpinion } from '../outcomes.ts';

export const PIPELINE_SUBJECT = 'review pipeline';

/** Whether the reviewers of the base are asked about work, and why; goes from one step of the janitor to the next. */
export const PipelineAsk = z.object({
  outcome: z.enum(['asked', 'skipped']),
  on_error: z.enum(ON_ERROR),
  because: z.string(),
});
export type PipelineAsk = z.infer<typeof PipelineAsk>;

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
