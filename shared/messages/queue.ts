import * as z from 'zod';
import { Verdict } from '../evidence/schema.ts';
import { Judgement } from '../judging/judgement.ts';
import { PipelineAsk } from '../judging/pipeline/record.ts';
import { SecondLook } from '../judging/second-look.ts';
import { BoxKind } from '../task/attempt.ts';
import { TaskId } from '../task/schema.ts';

/** A message of the agents queues and the gates queue: ids only; what is large is on S3, what is state is in the table. */
export const LaunchMessage = z.object({
  schema_version: z.literal(1),
  kind: BoxKind,
  task_id: TaskId,
  attempt: z.number().int().positive(),
  run: z.number().int().positive(),
  /** Wakes the waiting state of the cascade. */
  task_token: z.string().min(1),
});
export type LaunchMessage = z.infer<typeof LaunchMessage>;

/** Seconds for which a launch message that was taken is not seen by others: six times the dispatcher's limit, as Lambda asks. */
export const LAUNCH_VISIBILITY_SECONDS = 180;

/** Input of a cascade execution. */
export const CascadeInput = z.object({ task_id: TaskId, run: z.number().int().positive() });
export type CascadeInput = z.infer<typeof CascadeInput>;

/** Steps of the cascade machine that ask the task's repository. */
export const REPOSITORY_STEPS = ['resolve_base', 'find_branch'] as const;
export const RepositoryStep = CascadeInput.extend({ step: z.enum(REPOSITORY_STEPS) });
export type RepositoryStep = z.infer<typeof RepositoryStep>;

/**
 * Where the cascade goes on. `resolve_base | run_agent | run_gates | verify | decide | deliver | find_branch | settle` are states of the machine;
 * `held` (a person is asked), `waiting` (another task holds the files), `superseded` (a newer execution has taken over)
 * and `ended` end the execution.
 */
export const STAGES = [
  'resolve_base',
  'select_model',
  'run_agent',
  'run_gates',
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
export const CascadeResult = z.object({
  stage: z.enum(STAGES),
  attempt: z.number().int().nonnegative(),
  /** Chooses the agents queue. */
  priority: z.literal([1, 2, 3]),
  /** Whose work it is: the group of its messages, among which a queue is fair. */
  submitter: z.string(),
  /** Seconds after which the step is to be asked again: a provider wants to be left alone until then. */
  wait_s: z.number().int().positive().optional(),
});
export type CascadeResult = z.infer<typeof CascadeResult>;

/** Steps of the cascade machine that a Lambda does. */
export const CASCADE_STEPS = ['select_model', 'decide', 'settle'] as const;
export const CascadeStep = CascadeInput.extend({
  step: z.enum(CASCADE_STEPS),
  /** What the step before it has said. */
  said: CascadeResult.optional(),
});
export type CascadeStep = z.infer<typeof CascadeStep>;

/** What wakes a waiting state (SendTaskSuccess): where the task stands now. */
export const WakeOutput = z.object({ stage: z.enum(STAGES) });
export type WakeOutput = z.infer<typeof WakeOutput>;

/** Input of a janitor execution. */
export const JanitorInput = z.object({ task_id: TaskId, attempt: z.number().int().positive() });
export type JanitorInput = z.infer<typeof JanitorInput>;

/** Input of the function that asks models. */
export const JudgeInput = JanitorInput.extend({
  look: SecondLook.optional(),
  pipeline: PipelineAsk.nullable().optional(),
});

/**
 * The Lambda steps of the janitor: `reduce` turns the evidence into a verdict, `combine` joins it with what models said of that tree and
 * writes the outcome. Between the two a function of its own asks the models.
 */
export const JanitorStep = z.discriminatedUnion('step', [
  JanitorInput.extend({ step: z.literal('reduce') }),
  JanitorInput.extend({
    step: z.literal('combine'),
    verdict: Verdict,
    judgements: z.array(Judgement).max(100),
    /** Absent in executions that an earlier version has begun. */
    look: SecondLook.optional(),
    pipeline: PipelineAsk.nullable().optional(),
  }),
]);
export type JanitorStep = z.infer<typeof JanitorStep>;
