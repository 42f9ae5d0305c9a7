import type { CommitFields } from '../repository/git-commit.ts';
import type { Attempt } from './attempt.ts';
import { findJudgedAttempt, type Task } from './task.ts';

/** A title may be of any characters; of a commit's message the first line is its subject, and git takes no NUL in it. */
const toSingleLine = (title: string): string => title.replace(/\p{Cc}+/gu, ' ').trim();

/** What the commit of accepted work says. It depends on the judged attempt alone, so that each delivery makes the same commit. */
export const buildDeliveryCommitFields = (
  task: Task,
  attempt: Attempt,
): Omit<CommitFields, 'tree' | 'parent'> => {
  const { number, model, report, started_at } = findJudgedAttempt(task, attempt);
  return {
    message: `${toSingleLine(task.title)}\n\nAssay-Task: ${task.id}\nAssay-Attempt: ${number}\nAssay-Model: ${model ?? 'unknown'}\n`,
    author: 'Assay <assay@localhost>',
    at: report?.at ?? started_at,
  };
};
