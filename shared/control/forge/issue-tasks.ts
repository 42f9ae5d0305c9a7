import { comparableRepositoryUrl } from '../../contract/repository/repository-url.ts';
import { sha256 } from '../../lib/sha256.ts';

const ID = /^issue-([1-9]\d{0,9})-([0-9a-f]{12})$/;

/** Names a repository in the ids of its tasks, the same for each spelling of its URL. */
export const repositoryHash = (repository: string): string =>
  sha256(comparableRepositoryUrl(repository)).slice(0, 12);

/** The task of an issue: the same each time, so that an issue that is told of twice makes one. */
export const taskIdOfIssue = (repository: string, number: number): string =>
  `issue-${number}-${repositoryHash(repository)}`;

/** The issue that a task came from; null when it came another way. */
export function issueNumberOfTask({
  id,
  repository,
}: {
  readonly id: string;
  readonly repository: string;
}): number | null {
  const [, number, hash] = ID.exec(id) ?? [];
  return number !== undefined && hash === repositoryHash(repository) ? Number(number) : null;
}

/** First line of the body of a pull request of ours: which task it is of. */
export const changeRequestMarker = (taskId: string): string => `<!-- assay task ${taskId} -->`;

/** The task that a body says it is of. Whoever may edit the body may write anything: the task must be of the same repository, too. */
export const parseTaskIdInChangeRequestBody = (body: string): string | null =>
  /^<!-- assay task ([A-Za-z0-9][A-Za-z0-9_-]{0,63}) -->(?:\r?\n|$)/.exec(body)?.[1] ?? null;
