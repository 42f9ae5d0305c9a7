import * as z from 'zod';
import { ReviewProgress } from '../review/review-progress.ts';

/** How a workflow went with the work of one attempt. */
export const WorkflowOutcome = z.object({
  name: z.string(),
  /** The way out of each verification node that was come to. */
  routes: z.array(
    z.object({
      node: z.string(),
      verdict: z.enum(['pass', 'fail', 'refer']),
      /** An opinion took it this way; false: what was observed did. */
      is_graded: z.boolean(),
      target: z.string().nullable(),
      skipped_nodes: z.array(z.string()),
    }),
  ),
  review_pipeline: ReviewProgress,
});
export type WorkflowOutcome = z.infer<typeof WorkflowOutcome>;
