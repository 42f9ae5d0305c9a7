import type { Task } from '../../contract/task/task.ts';

/** What a conditional node can ask of a task. */
export const CONDITION_FACTS = ['role', 'priority', 'scope', 'complexity', 'runner'] as const;
export type ConditionFacts = Pick<Task, (typeof CONDITION_FACTS)[number]>;
