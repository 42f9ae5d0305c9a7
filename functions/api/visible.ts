import { ownPart } from '../../shared/contract/task/standing.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import type { Asked } from './request.ts';

/** The task as far as the caller may see it: a box sees its own attempt, an operator all. */
export const visibleTo = ({ caller, attempt }: Pick<Asked, 'caller' | 'attempt'>, task: Task): Task =>
  caller === 'operator' ? task : ownPart(task, attempt);
