import * as z from 'zod';
import { Verdict } from '../evidence/schema.ts';
import { Judgement, RequirementsReviewDecision } from '../judgement/judgement.ts';
import { PipelineReviewDecision } from '../judgement/review-pipeline-schema.ts';
import { LaunchKind } from '../launch-kind.ts';
import { TaskId } from '../submission/schema.ts';

/** A message of the agents queues and the gates queue: ids only; what is large is on S3, what is state is in the table. */
export const LaunchMessage = z.object({
  schema_version: z.literal(1),
  kind: LaunchKind,
  task_id: TaskId,
  attempt: z.number().int().positive(),
  /** Of the cascade that has asked for it. A newer one asks again: then nobody waits for what this one asks for. */
  run: z.number().int().positive(),
});
export type LaunchMessage = z.infer<typeof LaunchMessage>;

/** Seconds for which a launch message that was taken is not seen by others: six times the dispatcher's limit, as Lambda asks. */
export const LAUNCH_MESSAGE_VISIBILITY_SECONDS = 180;

/** Which task, and which run of it. */
const TaskRun = z.object({ task_id: TaskId, run: z.number().int().positive() });
/** What a step of a machine is told; `again`: the same execution has tried it before, and heard of no end of it. */
const MachineStep = TaskRun.extend({ is_retry: z.boolean().optional() });

/** Steps of the cascade machine that ask the task's repository. */
export const CASCADE_REPOSITORY_STEPS = ['resolve_base', 'find_branch'] as const;
export const CascadeRepositoryStepInput = MachineStep.extend({ step: z.enum(CASCADE_REPOSITORY_STEPS) });
export type CascadeRepositoryStepInput = z.infer<typeof CascadeRepositoryStepInput>;

/**
 * Where the cascade goes on. `resolve_base | run_agent | run_gates | challenge | verify | decide | deliver | find_branch | settle` are states of the machine;
 * `held` (a person is asked), `waiting` (for the files that another task holds, or for a time), `superseded` (another execution goes on)
 * and `ended` end the execution.
 */
export const CASCADE_NEXT_STAGES = [
  'resolve_base',
  'select_model',
  'run_agent',
  'run_gates',
  'challenge',
  'verify',
  'decide',
  'deliver',
  'find_branch',
  'settle',
  'held',
  'waiting',
  'superseded',
  'ended',
] as const;
/** What each Lambda step of the cascade answers: the machine routes on `stage` and carries the rest along. */
export const CascadeStepResult = z.object({
  stage: z.enum(CASCADE_NEXT_STAGES),
  attempt: z.number().int().nonnegative(),
  /** Chooses the agents queue. */
  priority: z.literal([1, 2, 3]),
  /** Whose work it is: the group of its messages, among which a queue is fair. */
  submitter: z.string(),
  /** Seconds after which the step is to be asked again: a provider wants to be left alone until then. */
  wait_s: z.number().int().positive().optional(),
});
export type CascadeStepResult = z.infer<typeof CascadeStepResult>;

/** Input of a cascade execution: where it goes on. */
export type CascadeExecutionInput = z.infer<typeof TaskRun> & CascadeStepResult;

/** Steps of the cascade machine that a Lambda does. */
export const CASCADE_LAMBDA_STEPS = ['select_model', 'decide', 'settle'] as const;
export const CascadeStepInput = MachineStep.extend({
  step: z.enum(CASCADE_LAMBDA_STEPS),
  /** The execution has waited once, as it was told; it lives for minutes. */
  has_waited: z.boolean().optional(),
});
export type CascadeStepInput = z.infer<typeof CascadeStepInput>;

/** Input of a janitor execution. */
export const JanitorExecutionInput = TaskRun.extend({ attempt: z.number().int().positive() });
export type JanitorExecutionInput = z.infer<typeof JanitorExecutionInput>;

/** Input of the function that asks models. */
export const ModelReviewInput = JanitorExecutionInput.extend({
  requirements_review: RequirementsReviewDecision.optional(),
  review_pipeline: PipelineReviewDecision.nullable().optional(),
});

/**
 * The Lambda steps of the janitor: `reduce` turns the evidence into a verdict, `combine` joins it with what models said of that tree and
 * writes the outcome. Between the two a function of its own asks the models.
 */
export const JanitorStepInput = z.discriminatedUnion('step', [
  JanitorExecutionInput.extend({
    step: z.literal('reduce'),
    is_retry: z.boolean(),
    /** The execution that asks. */
    execution_id: z.string(),
  }),
  JanitorExecutionInput.extend({
    step: z.literal('combine'),
    verdict: Verdict,
    judgements: z.array(Judgement).max(100),
    requirements_review: RequirementsReviewDecision.optional(),
    review_pipeline: PipelineReviewDecision.nullable().optional(),
  }),
]);
export type JanitorStepInput = z.infer<typeof JanitorStepInput>;

/** What dead letters read of a notification that could not be delivered (shared/control/notify/notice.ts has all of it). */
export const NoticeMessage = z.looseObject({
  kind: z.literal('notice'),
  target: z.string(),
  notice: z.looseObject({
    id: z.string(),
    name: z.string(),
    task: z.looseObject({ id: z.string() }).nullable(),
  }),
});
