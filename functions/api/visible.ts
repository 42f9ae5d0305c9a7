import { ownPart } from '../../shared/task/standing.ts';
import type { Task } from '../../shared/task/task.ts';
import type { ApiRequest } from './request.ts';

/** The task as far as the caller may see it: a box sees its own attempt, an operator all. */
export const visibleTo = ({ caller, attempt }: Pick<ApiRequest, 'caller' | 'attempt'>, task: Task): Task =>
  caller === 'operator' ? task : ownPart(task, attempt);
