import * as z from 'zod';
import { REVIEW_STAGES } from './review-stage-names.ts';
import { VisionSettings } from './vision-settings.ts';

/** What may be lost by work that is wrong, the least first. */
export const WORK_STAKES_LEVELS = ['low', 'normal', 'high', 'critical'] as const;

export const REVIEW_CLIENT_STRATEGIES = ['binary', 'scored', 'criteria_check', 'adversarial'] as const;
/** Somebody who is shown what the work is said to be, and accepts it or not; a script, no model. */
export const SimulatedReviewClient = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits or "-"'),
  strategy: z.enum(REVIEW_CLIENT_STRATEGIES),
  strictness: z
    .number()
    .min(0)
    .max(2)
    .default(1)
    .describe('Minimum over binary and scored: the stricter one counts.'),
});
export type SimulatedReviewClient = z.infer<typeof SimulatedReviewClient>;

/** Somebody who attacks what has passed. */
export const RedTeamSettings = z.strictObject({
  enabled: z.boolean().default(false),
  min_stakes: z
    .enum(WORK_STAKES_LEVELS)
    .default('high')
    .describe('Workflows with lower `stakes` are not attacked.'),
  grounding: z.enum(['heuristic', 'off']).default('heuristic'),
  on_missing_deliverable: z.enum(['block', 'skip']).default('block'),
  timeout_s: z.number().int().min(1).max(90).default(60),
});
export type RedTeamSettings = z.infer<typeof RedTeamSettings>;

/** What follows the verification of a workflow, before work is accepted. */
export const ReviewSettings = z.strictObject({
  stages: z
    .array(
      z.enum(REVIEW_STAGES, {
        error: () =>
          `must be one of ${REVIEW_STAGES.join(', ')}; models that review stand in .assay/review_pipeline.yaml`,
      }),
    )
    .min(1)
    .max(REVIEW_STAGES.length)
    .refine((stages) => new Set(stages).size === stages.length, { message: 'names a stage twice' })
    .default(['verdict']),
  require_all_criteria_met: z
    .boolean()
    .default(false)
    .describe('The stage `internal` passes only work that each verification node has graded and passed.'),
  clients: z
    .array(SimulatedReviewClient)
    .max(20)
    .refine((clients) => new Set(clients.map(({ id }) => id)).size === clients.length, {
      message: 'names a client twice',
    })
    .default([])
    .describe('Reviewers of the stage `client`, one after the other; none: the stage is skipped.'),
  stakes: z.enum(WORK_STAKES_LEVELS).default('normal'),
  red_team: RedTeamSettings.prefault({}),
  vision: VisionSettings.prefault({}),
});
export type ReviewSettings = z.infer<typeof ReviewSettings>;
