import * as z from 'zod';
import { CHECK_ERROR_ACTIONS } from '../submission/on-error.ts';

/** Where the base commit says who reviews, in stages. */
export const REVIEW_PIPELINE_FILE = '.assay/review_pipeline.yaml';
/** Largest such file in bytes. */
export const MAX_PIPELINE_FILE_BYTES = 64 * 1024;
/** Most reviewers of all stages together: each is a call that is paid for. */
export const MAX_PIPELINE_REVIEWERS = 12;

const Name = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits, "-" or "_"');
/** A question to a model. It is no agent CLI: `adapter` and `effort`, which others know, are refused. */
const Reviewer = z.strictObject({
  role: Name,
  /** One of the models that the deployment has for `review`; absent: they take turns. */
  model: z.string().min(1).max(200).optional(),
  /** What it looks for. */
  prompt_template: z.string().trim().min(1, 'must not be empty').max(4_000).optional(),
});
export type PipelineReviewer = z.output<typeof Reviewer>;

const Aggregator = z.strictObject({
  strategy: z.enum(['any', 'all', 'majority', 'weighted']).default('majority'),
  /** Of `weighted`, by role; absent roles weigh 1. */
  weights: z.record(z.string(), z.number().positive().max(1_000)).optional(),
  /** Of `weighted`: the share of all weight that approves. */
  pass_threshold: z.number().gt(0).max(1).optional(),
});

const Stage = z
  .strictObject({
    name: Name,
    parallelism: z.number().int().min(1).max(32).default(4),
    agents: z.array(Reviewer).min(1, 'needs at least one reviewer').max(MAX_PIPELINE_REVIEWERS),
    aggregator: Aggregator.prefault({}),
  })
  .superRefine(({ agents, aggregator }, context) => {
    const add = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    agents.forEach(({ role }, index) => {
      if (agents.findIndex((each) => each.role === role) !== index)
        add(['agents', index, 'role'], `lists "${role}" twice`);
    });
    if (aggregator.strategy !== 'weighted')
      for (const key of ['weights', 'pass_threshold'] as const)
        if (aggregator[key] !== undefined) add(['aggregator', key], 'is of the strategy "weighted" only');
    for (const role of Object.keys(aggregator.weights ?? {}))
      if (!agents.some((each) => each.role === role))
        add(['aggregator', 'weights', role], 'is no role of this stage');
  });
export type PipelineStage = z.output<typeof Stage>;

/** Stages of reviewers, as data. */
export const ReviewPipeline = z
  .strictObject({
    version: z.literal(1, { error: () => 'must be 1' }),
    /** Share of stages that must pass. */
    pass_threshold: z.number().min(0).max(1).default(0.5),
    /** False: what reviewers say is noted, and fails nothing. */
    block_on_fail: z.boolean().default(true),
    on_error: z.enum(CHECK_ERROR_ACTIONS).default('hold'),
    stages: z.array(Stage).min(1, 'needs at least one stage').max(10),
  })
  .superRefine(({ stages }, context) => {
    stages.forEach(({ name }, index) => {
      if (stages.findIndex((each) => each.name === name) !== index)
        context.addIssue({
          code: 'custom',
          path: ['stages', index, 'name'],
          message: `lists "${name}" twice`,
        });
    });
    const reviewers = stages.reduce((sum, { agents }) => sum + agents.length, 0);
    if (reviewers > MAX_PIPELINE_REVIEWERS)
      context.addIssue({
        code: 'custom',
        path: ['stages'],
        message: `has ${reviewers} reviewers; ${MAX_PIPELINE_REVIEWERS} is the most`,
      });
  });
export type ReviewPipeline = z.output<typeof ReviewPipeline>;
/** Whether the reviewers of the base are asked about work, and why; goes from one step of the janitor to the next. */
export const PipelineReviewDecision = z.object({
  outcome: z.enum(['asked', 'skipped']),
  on_error: z.enum(CHECK_ERROR_ACTIONS),
  reason: z.string(),
});
export type PipelineReviewDecision = z.infer<typeof PipelineReviewDecision>;
