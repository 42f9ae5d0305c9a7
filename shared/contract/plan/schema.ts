import * as z from 'zod';
import { ProgressLedger } from '../coordination/ledgers.ts';
import { CoordinationSettings } from '../coordination/settings.ts';
import { ExpectedChangeKind } from '../submission/expected-changes.ts';
import { RoleName, TaskComplexity, TaskPriority, TaskScope } from '../submission/schema.ts';
import { CompletionSignal, TaskOwnedPath } from '../submission/signals.ts';

/** Where a planner leaves its plan in the checkout. It is read from the tree that was handed in, and never delivered. */
export const PLAN_FILE = '.assay/plan.yaml';
/** Most tasks of one plan, and most bytes of it as JSON: it is kept on the task that made it. */
export const MAX_PLANNED_TASKS = 50;
export const MAX_PLAN_BYTES = 64_000;

/** Names a task within its plan; it becomes the end of the task's id. */
export const PlannedTaskKey = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be 1 to 32 lower-case letters, digits or "-"');

/** One task as the planner proposes it. What costs money or leaves the repository (model, adapter, budget, repository) is not its to say. */
export const PlannedTask = z.strictObject({
  key: PlannedTaskKey,
  title: z.string().trim().min(1, 'must not be empty').max(300),
  description: z.string().max(10_000).default(''),
  role: RoleName.default('backend'),
  priority: TaskPriority.default(2),
  scope: TaskScope.default('medium'),
  complexity: TaskComplexity.default('medium'),
  depends_on: z.array(PlannedTaskKey).max(MAX_PLANNED_TASKS).default([]),
  files: z
    .array(TaskOwnedPath)
    .max(50)
    .default([])
    .describe('Existing files and folders that the task changes.'),
  new_files: z.array(TaskOwnedPath).max(50).default([]).describe('Files that the task adds.'),
  expected_changes: z.array(ExpectedChangeKind).max(20).default([]),
  completion_signals: z.array(CompletionSignal).min(1, 'needs at least one').max(20),
  acceptance_criteria: z.array(z.string().trim().min(1).max(1_000)).max(20).default([]),
});
export type PlannedTask = z.infer<typeof PlannedTask>;

export const Plan = z.strictObject({
  tasks: z.array(PlannedTask).min(1, 'has no task').max(MAX_PLANNED_TASKS),
});
export type Plan = z.infer<typeof Plan>;

/** What a person should know of a plan that holds, e.g. that a signal passes already. */
export const PlanCheckNote = z.object({ key: PlannedTaskKey, message: z.string() });
export type PlanCheckNote = z.infer<typeof PlanCheckNote>;

/** A plan that code has checked against its base. */
export const CheckedPlan = z.object({ tasks: z.array(PlannedTask), notes: z.array(PlanCheckNote) });
export type CheckedPlan = z.infer<typeof CheckedPlan>;

/** What makes a task a plan: its work is a proposal, and what comes of it are other tasks. */
export const PlanRequestFields = z.object({
  max_tasks: z.number().int().min(1).max(MAX_PLANNED_TASKS),
  /** What acts between the goal and its tasks. Absent: the usual. */
  coordination: CoordinationSettings.optional(),
  /** What the base says of plans, where the plan says nothing itself. */
  base_coordination: CoordinationSettings.optional(),
  /** How the plan got on in whose place this one is. */
  progress_ledger: ProgressLedger.optional(),
  /** Of the current attempt, once it was found to hold; null before. */
  proposal: CheckedPlan.nullable(),
});
export type PlanRequestFields = z.infer<typeof PlanRequestFields>;
