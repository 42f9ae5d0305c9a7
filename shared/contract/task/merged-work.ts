import { deliveryOutcomeKey } from './delivery-outcome.ts';
import type { Task } from './task.ts';

/** A merged request, or a commit that came of it, within its repository. */
export type MergedWorkKey = `request#${number}` | `commit#${string}`;

export const mergedRequestKey = (number: number): MergedWorkKey => `request#${number}`;
export const mergedCommitKey = (id: string): MergedWorkKey => `commit#${id}`;

/** What has become known, by this write, of how the work was merged. */
export function findNewMergedWorkKeys(
  before: Task | null,
  { delivery_outcomes: outcomes = [] }: Task,
): MergedWorkKey[] {
  const known = new Set((before?.delivery_outcomes ?? []).map(deliveryOutcomeKey));
  return outcomes
    .filter((each) => each.outcome === 'merged' && !known.has(deliveryOutcomeKey(each)))
    .flatMap(({ request, commit, squash_commit: squash }) => [
      ...(request === null ? [] : [mergedRequestKey(request)]),
      ...[commit, squash].flatMap((id) => (id ? [mergedCommitKey(id)] : [])),
    ]);
}
