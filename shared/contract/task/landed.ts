import { outcomeKey } from './outcome.ts';
import type { Task } from './task.ts';

/** A merged request, or a commit that came of it, within its repository. */
export type LandedAs = `request#${number}` | `commit#${string}`;

export const landedRequest = (number: number): LandedAs => `request#${number}`;
export const landedCommit = (id: string): LandedAs => `commit#${id}`;

/** What has become known, by this write, of how the work was merged. */
export function newlyLanded(before: Task | null, { outcomes = [] }: Task): LandedAs[] {
  const known = new Set((before?.outcomes ?? []).map(outcomeKey));
  return outcomes
    .filter((each) => each.what === 'merged' && !known.has(outcomeKey(each)))
    .flatMap(({ request, commit, squash_commit: squash }) => [
      ...(request === null ? [] : [landedRequest(request)]),
      ...[commit, squash].flatMap((id) => (id ? [landedCommit(id)] : [])),
    ]);
}
