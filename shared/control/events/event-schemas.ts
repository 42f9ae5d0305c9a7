import * as z from 'zod';
import { RoleName, RunnerKind, TaskId, TaskPriority } from '../../contract/submission/schema.ts';
import { DELIVERY_STATES } from '../../contract/task/task.ts';

/** What every event of the deployment says. Readers ignore fields that they do not know; new ones may come. */
const EventDetail = z.object({
  event_id: z
    .string()
    .describe(
      'The same for each delivery of one event: `<task>#<version>#<event>`. Use it to drop duplicates.',
    ),
  schema_version: z.literal(1),
  summary: z.string().describe('One sentence for readers.'),
  at: z.iso.datetime(),
  task_id: TaskId,
  title: z.string(),
  role: RoleName,
  priority: TaskPriority,
  runner: RunnerKind,
  repository: z.string(),
  created_by: z.string().describe('The operator whose token submitted it.'),
  version: z
    .number()
    .int()
    .positive()
    .describe('Version of the task: later events of a task have a higher one.'),
  attempts: z.number().int().nonnegative().describe('Number of attempts, including earlier rounds.'),
  cost_usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Cost of models in dollars, as far as it is known; null: unknown.'),
});

const CompletionDetail = EventDetail.extend({
  verified: z.boolean().describe('Whether gates or signals verified the work.'),
  branch: z.string().nullable().describe('Branch that it was delivered to; null: none.'),
  commit: z.string().nullable(),
  delivery: z.enum(DELIVERY_STATES).nullable(),
});

/** `source` of every event. */
export const EVENT_SOURCE = 'assay';

/** Every event by its `detail-type`. */
export const EVENT_SCHEMAS = {
  'Task Done': CompletionDetail.describe('A task completed.'),
  'Task Unverified': CompletionDetail.describe(
    'A task completed without verification. `Task Done` is sent as well.',
  ),
  'Task Failed': EventDetail.extend({ code: z.string(), message: z.string() }).describe(
    'A task failed for good.',
  ),
  'Task Cancelled': EventDetail.extend({
    reason: z.string().nullable().describe('Reason that was given; null: none.'),
  }).describe('A task was cancelled.'),
  'Task Held': EventDetail.extend({
    reasons: z.array(z.string()),
    plan: z.boolean().describe('It is a plan: approving it creates its tasks.'),
    base_commit: z.string().nullable(),
    tree: z.string().nullable().describe('Tree that the decision is about; `assay review` prints it.'),
  }).describe('A task needs review.'),
  'Budget Spent': EventDetail.extend({
    reason: z.string(),
    max_attempts: z.number().int(),
    max_cost_usd: z.number().nullable().describe('Null: the task has no such limit.'),
  }).describe('A task failed because its budget allowed no further attempt. `Task Failed` is sent as well.'),
} as const;
export type EventName = keyof typeof EVENT_SCHEMAS;
export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as EventName[];

/** An event as it goes to the bus. */
export type AssayEvent = {
  [K in EventName]: { readonly name: K; readonly detail: z.infer<(typeof EVENT_SCHEMAS)[K]> };
}[EventName];
