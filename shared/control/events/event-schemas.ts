import * as z from 'zod';
import { RoleName, RunnerKind, TaskId, TaskPriority } from '../../contract/submission/schema.ts';
import { DELIVERY_STATES } from '../../contract/task/task.ts';

/** What every event of the deployment says. Readers ignore fields that they do not know; new ones may come. */
const EventDetail = z.object({
  event_id: z
    .string()
    .describe(
      'The same whenever the same event comes again: `<task>#<version>#<event>`. Drop repeats by it.',
    ),
  schema_version: z.literal(1),
  summary: z.string().describe('One sentence for people.'),
  at: z.iso.datetime(),
  task_id: TaskId,
  title: z.string(),
  role: RoleName,
  priority: TaskPriority,
  runner: RunnerKind,
  repository: z.string(),
  created_by: z.string().describe('The operator whose token submitted it.'),
  version: z.number().int().positive().describe('Of the task: a later event of a task has a higher one.'),
  attempts: z.number().int().nonnegative().describe('All that there were, of earlier rounds too.'),
  cost_usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Of the models, as far as it is known; null: it is not.'),
});

const CompletionDetail = EventDetail.extend({
  verified: z.boolean().describe('Is there evidence of our own?'),
  branch: z.string().nullable().describe('Where it was delivered to; null: nowhere.'),
  commit: z.string().nullable(),
  delivery: z.enum(DELIVERY_STATES).nullable(),
});

/** `source` of every event. */
export const EVENT_SOURCE = 'assay';

/** Every event by its `detail-type`. */
export const EVENT_SCHEMAS = {
  'Task Done': CompletionDetail.describe('A task was completed.'),
  'Task Unverified': CompletionDetail.describe(
    'A task was completed without evidence of our own. `Task Done` comes as well.',
  ),
  'Task Failed': EventDetail.extend({ code: z.string(), message: z.string() }).describe(
    'A task has failed for good.',
  ),
  'Task Cancelled': EventDetail.extend({
    reason: z.string().nullable().describe('What was said with it; null: nothing.'),
  }).describe('A task was withdrawn.'),
  'Task Held': EventDetail.extend({
    reasons: z.array(z.string()),
    plan: z.boolean().describe('It is a plan: approving it makes its tasks.'),
    base_commit: z.string().nullable(),
    tree: z.string().nullable().describe('What the person decides on; `assay review` names it.'),
  }).describe('A task waits for a person.'),
  'Budget Spent': EventDetail.extend({
    reason: z.string(),
    max_attempts: z.number().int(),
    max_cost_usd: z.number().nullable().describe('Null: the task has no such limit.'),
  }).describe('A task has failed because no further attempt was allowed. `Task Failed` comes as well.'),
} as const;
export type EventName = keyof typeof EVENT_SCHEMAS;
export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as EventName[];

/** An event as it goes to the bus. */
export type AssayEvent = {
  [K in EventName]: { readonly name: K; readonly detail: z.infer<(typeof EVENT_SCHEMAS)[K]> };
}[EventName];
