import * as z from 'zod';

/** How far a review has come, as the task keeps it beside its verdict. */
export const ReviewProgress = z.object({
  /** Where it stopped; null: all stages are behind it. */
  current_stage: z.string().nullable(),
  stages_completed: z.array(z.string()),
  stage_results: z.record(
    z.string(),
    z.object({ verdict: z.enum(['pass', 'fail', 'skip', 'refer']), reason: z.string().nullable() }),
  ),
});
export type ReviewProgress = z.infer<typeof ReviewProgress>;
