import type { Task } from '../../contract/task/task.ts';

/** The author of work that Assay's own tasks did, and of work that people did: people are not told apart in metrics. */
export const OWN_AUTHOR = 'assay';
export const PEOPLE = 'people';

/** Returns who wrote the work of a task, as records have it: a bot's login, `people`, or `assay`. */
export const recordedAuthor = ({ pull_request: pull }: Pick<Task, 'pull_request'>): string =>
  pull === undefined ? OWN_AUTHOR : pull.author_kind === 'bot' ? pull.author : PEOPLE;
