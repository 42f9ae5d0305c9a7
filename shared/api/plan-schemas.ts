import * as z from 'zod';
import { AutonomyLevel } from '../contract/approval/autonomy.ts';
import { ProgressLedger, TaskLedger } from '../contract/coordination/ledgers.ts';
import { CoordinationSettings } from '../contract/coordination/settings.ts';
import { MAX_PLANNED_TASKS, PlanCheckNote, PlannedTask } from '../contract/plan/schema.ts';
import { GitObjectId } from '../contract/repository/git-ref.ts';
import { TaskId, TaskSubmission } from '../contract/submission/schema.ts';
import { TaskStatus } from '../contract/task/status.ts';
import { PlanState } from '../control/planning/plan-state.ts';
import { RejectTaskBody } from './task-schemas.ts';

/** A goal that the manager is to make tasks of. */
export const PlanBody = TaskSubmission.pick({
  repository: true,
  base_ref: true,
  adapter: true,
  model: true,
  effort: true,
  budget: true,
  autonomy: true,
  acceptance_criteria: true,
})
  .extend({
    goal: z.string().trim().min(1, 'must not be empty').max(20_000),
    max_tasks: z.number().int().min(1).max(MAX_PLANNED_TASKS).default(20),
    autonomy: AutonomyLevel.optional().describe(
      'full or semi: the tasks of a plan that holds are made without a person, unless the base or the deployment allows less. Absent: a person is asked.',
    ),
    coordination: CoordinationSettings.optional().describe(
      'What acts between the goal and its tasks (docs/how-to/middleware.md).',
    ),
  })
  .strict()
  .meta({ id: 'PlanBody' });
/** A plan: where it stands, what it proposes, and what has become of it. */
export const PlanView = z
  .object({
    id: TaskId.describe('Also the id of the task that plans.'),
    state: PlanState,
    goal: z.string(),
    repository: z.string(),
    base_ref: z.string(),
    base_commit: z.string().nullable(),
    tree: z.string().nullable().describe('Of the proposal that is looked at.'),
    tasks: z.array(
      PlannedTask.extend({
        id: TaskId.describe('What the task is called once it is made.'),
        status: TaskStatus.nullable().describe('Null: not made yet.'),
      }),
    ),
    notes: z.array(PlanCheckNote),
    attempts: z.number().int(),
    reasons: z.array(z.string()).describe('What is wrong with the last proposal, or why there is none.'),
    version: z.number().int(),
    coordination: z
      .object({
        review_reason: z.string().nullable().describe('Why a person is asked before its tasks are made.'),
        task_ledger: TaskLedger.nullable(),
        progress_ledger: ProgressLedger.nullable().describe('Null: none of its tasks has ended.'),
        authority_cues: z
          .int()
          .nonnegative()
          .describe('Phrases that ask for obedience in what its tasks have said.'),
        replacement_plan_id: TaskId.nullable().describe(
          'The plan that takes its place, where replanning is asked for.',
        ),
      })
      .describe('What acts between the goal and its tasks has found.'),
  })
  .meta({ id: 'Plan' });
export type PlanView = z.infer<typeof PlanView>;
export const PlanDecisionBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(2_000).default('no reason given'),
    tree: GitObjectId.optional().describe('The proposal that was looked at; a different one is refused.'),
  })
  .meta({ id: 'PlanDecisionBody' });
/** The planner plans again with the reason. */
export const PlanRejectionBody = PlanDecisionBody.extend(RejectTaskBody.shape)
  .strict()
  .meta({ id: 'PlanRejectionBody' });
