import { restrictToAttempt } from '../../shared/contract/task/standing.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import type { RequestContext } from './request.ts';

/** The task as far as the caller may see it: a box sees its own attempt, an operator all. */
export const taskVisibleTo = ({ caller, attempt }: Pick<RequestContext, 'caller' | 'attempt'>, task: Task): Task =>
  caller === 'operator' ? task : restrictToAttempt(task, attempt);
