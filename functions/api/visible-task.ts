import type { Task } from '../../shared/contract/task/task.ts';
import { restrictToAttempt } from '../../shared/contract/task/token-access.ts';
import type { ApiRequestContext } from './route-request.ts';

/** The task as far as the caller may see it: a box sees its own attempt, an operator all. */
export const restrictTaskToCaller = (
  { caller, attempt }: Pick<ApiRequestContext, 'caller' | 'attempt'>,
  task: Task,
): Task => (caller === 'operator' ? task : restrictToAttempt(task, attempt));
