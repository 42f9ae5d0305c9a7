import * as z from 'zod';
import { GitObjectId, GitRef } from '../repository/git-ref.ts';

/** The pull request (or merge request, or merge group) whose head commit a task verifies. */
export const PullRequestFields = z.object({
  kind: z.enum(['pull_request', 'merge_group']),
  number: z.number().int().positive(),
  /** The ref of the target repository that has the head commit, e.g. `refs/pull/7/head`; forks have one, too. */
  head_ref: GitRef,
  head_commit: GitObjectId,
  /** The head commit before the push that the event is about; null where the event names none. */
  previous_head: GitObjectId.nullable(),
  /** Login at the forge. */
  author: z.string().max(200),
  author_kind: z.enum(['bot', 'person']),
  from_fork: z.boolean(),
  /** Issues that the text closes and that were read. */
  issues: z.array(z.number().int().positive()).max(10),
  /** When the event happened, by the forge's clock. */
  at: z.iso.datetime({ offset: true }),
});
export type PullRequestFields = z.infer<typeof PullRequestFields>;

/** One verification of a pull request, as far as its order among others needs it. */
export type PullRequestVerification = Pick<PullRequestFields, 'head_commit' | 'previous_head' | 'at'> & {
  readonly task_id: string;
};

/**
 * Decides whether a verification is newer than the recorded one. Forges tell times in whole seconds: of two events of the same second, the
 * one that names the head of the other as its previous head is newer, and an event without a previous head (opened) comes first.
 */
export function isNewerVerification(
  made: PullRequestVerification,
  recorded: PullRequestVerification,
): boolean {
  const difference = Date.parse(made.at) - Date.parse(recorded.at);
  if (difference !== 0) return difference > 0;
  if (recorded.previous_head === made.head_commit) return false;
  if (made.previous_head === recorded.head_commit) return true;
  return made.previous_head !== null || recorded.previous_head === null;
}
