import { ownPart } from '../../shared/task/standing.ts';
import type { Task } from '../../shared/task/task.ts';
import type { Asked } from './request.ts';

/** The task as far as the caller may see it: a box sees its own attempt, an operator all. */
export const visibleTo = ({ caller, attempt }: Pick<Asked, 'caller' | 'attempt'>, task: Task): Task =>
  caller === 'operator' ? task : ownPart(task, attempt);
