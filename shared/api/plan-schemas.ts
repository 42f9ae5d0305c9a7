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
      'full or semi: the tasks of a valid plan are created without an approval, unless the base or the deployment allows less. Absent: an approver decides.',
    ),
    coordination: CoordinationSettings.optional().describe(
      'Middleware between the goal and its tasks (docs/how-to/middleware.md).',
    ),
  })
  .strict()
  .meta({ id: 'PlanBody' });
/** A plan: where it stands, what it proposes, and what has become of it. */
export const PlanView = z
  .object({
    id: TaskId.describe('Also the id of the planning task.'),
    state: PlanState,
    goal: z.string(),
    repository: z.string(),
    base_ref: z.string(),
    base_commit: z.string().nullable(),
    tree: z.string().nullable().describe('Tree of the proposal.'),
    tasks: z.array(
      PlannedTask.extend({
        id: TaskId.describe('Id of the task once it is created.'),
        status: TaskStatus.nullable().describe('Null: not created yet.'),
      }),
    ),
    notes: z.array(PlanCheckNote),
    attempts: z.number().int(),
    reasons: z.array(z.string()).describe('Errors of the last proposal, or why there is none.'),
    version: z.number().int(),
    coordination: z
      .object({
        review_reason: z
          .string()
          .nullable()
          .describe('Why an approver decides before its tasks are created.'),
        task_ledger: TaskLedger.nullable(),
        progress_ledger: ProgressLedger.nullable().describe('Null: none of its tasks has ended.'),
        authority_cues: z
          .int()
          .nonnegative()
          .describe('Injection phrases found in the outputs of its tasks.'),
        replacement_plan_id: TaskId.nullable().describe(
          'The plan that replaces it, where replanning is requested.',
        ),
      })
      .describe("Findings of the plan's middleware."),
  })
  .meta({ id: 'Plan' });
export type PlanView = z.infer<typeof PlanView>;
export const PlanDecisionBody = z
  .strictObject({
    reason: z.string().trim().min(1, 'must not be empty').max(2_000).default('no reason given'),
    tree: GitObjectId.optional().describe(
      'Tree of the proposal that the decision is about; a different one is refused.',
    ),
  })
  .meta({ id: 'PlanDecisionBody' });
/** The planner plans again with the reason. */
export const PlanRejectionBody = PlanDecisionBody.extend(RejectTaskBody.shape)
  .strict()
  .meta({ id: 'PlanRejectionBody' });
