import type { Task } from '../../contract/task/task.ts';

/** What a conditional node can ask of a task. */
export const CONDITION_TASK_FIELDS = ['role', 'priority', 'scope', 'complexity', 'runner'] as const;
export type ConditionTaskFields = Pick<Task, (typeof CONDITION_TASK_FIELDS)[number]>;
