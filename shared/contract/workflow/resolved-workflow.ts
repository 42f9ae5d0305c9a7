import * as z from 'zod';
import { ReviewSettings } from '../review/review-settings.ts';
import { VerificationRubric } from '../rubric/verification-rubric.ts';
import { VerificationNodeConfig } from './schema.ts';

/** Most bytes, as JSON, of what a task keeps of its workflow. */
export const MAX_RESOLVED_WORKFLOW_BYTES = 16_000;

const StoredVerdictRoute = z.object({ target: z.string().nullable(), skipped_nodes: z.array(z.string()) });

/** A verification node of a workflow, with all that it takes to run it. */
export const ResolvedVerification = VerificationNodeConfig.omit({
  rubric_name: true,
  evaluator_agent_id: true,
})
  .strip()
  .extend({
    node: z.string(),
    /** Null: nobody is asked, evidence alone decides. */
    rubric: VerificationRubric.nullable(),
    generator_agent: z.string(),
    evaluator_agent: z.string().nullable(),
    /** The step that the work comes from. */
    graded_step: z.string(),
    /** How often work that was graded down is done again; null: as the cascade has it. */
    max_regenerations: z.number().int().min(0).nullable(),
    routes: z.object({ pass: StoredVerdictRoute, fail: StoredVerdictRoute, refer: StoredVerdictRoute }),
  });
export type ResolvedVerification = z.infer<typeof ResolvedVerification>;

/** What the workflow of a task means for it: read from the base commit before the first attempt, and the same until the task ends. */
export const ResolvedWorkflow = z.object({
  name: z.string(),
  source: z.enum(['builtin', 'repository']),
  version: z.string(),
  /** What the agent is told to do, in order. */
  steps: z.array(z.object({ node: z.string(), title: z.string(), description: z.string() })),
  verifications: z.array(ResolvedVerification),
  review: ReviewSettings,
});
export type ResolvedWorkflow = z.infer<typeof ResolvedWorkflow>;
