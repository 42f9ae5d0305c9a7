import type { CommitFields } from '../repository/commit.ts';
import type { Attempt } from './attempt.ts';
import type { Task } from './task.ts';

/** What the deliver box says in the commit of accepted work. It depends on the attempt alone, so that each box makes the same commit. */
export const commitText = (
  task: Task,
  { number, model, report, started_at }: Attempt,
): Omit<CommitFields, 'tree' | 'parent'> => ({
  message: `${task.title}\n\nAssay-Task: ${task.id}\nAssay-Attempt: ${number}\nAssay-Model: ${model ?? 'unknown'}\n`,
  author: 'Assay <assay@localhost>',
  at: report?.at ?? started_at,
});
