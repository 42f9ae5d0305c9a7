import * as z from 'zod';
import { REVIEW_STAGES } from './kinds.ts';

/** What follows the verification of a workflow, before work is accepted. */
export const ReviewSettings = z.strictObject({
  stages: z
    .array(z.enum(REVIEW_STAGES))
    .min(1)
    .max(REVIEW_STAGES.length)
    .refine((stages) => new Set(stages).size === stages.length, { message: 'names a stage twice' })
    .default(['verdict']),
});
export type ReviewSettings = z.infer<typeof ReviewSettings>;
