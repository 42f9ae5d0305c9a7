import { join } from 'node:path';
import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { DeliveryAssignment } from '../../shared/contract/messages/assignment.ts';
import {
  type DetectedRevert,
  detectReverts,
  findMissingRevertedCommits,
  type GitCommitMetadata,
  MAX_REPORTED_REVERTS,
} from '../../shared/contract/repository/detect-reverts.ts';
import { type FetchHistoryOptions, fetchHistory } from '../../workspace/git/fetch-history.ts';
import { createGitStore, detectGitObjectFormat } from '../../workspace/git/git-store.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { logger } from '../runtime/logger.ts';

/** All that looking may take, in milliseconds; the work is delivered, and has been reported, by then. */
const TIME_MS = 20_000;
const DEPTH = 500;
const MOST_COMMITS = 2_000;
/** Older commits that are asked for by their names, because they are undone by one that was read. */
const MOST_OLDER = 10;

/** What the target says of delivered work: the commits of it that are undone there. Null: it could not be asked, and logs say why. */
export async function detectDeliveryReverts(
  {
    repository,
    target_branch: target,
    base_commit,
  }: Pick<DeliveryAssignment, 'repository' | 'target_branch' | 'base_commit'>,
  authorization: string | null,
  box: ContainerWorkContext,
): Promise<DetectedRevert[] | null> {
  if (target === undefined) return null;
  const until = performance.now() + TIME_MS;
  const ask = async (name: string, of: Pick<FetchHistoryOptions, 'ref' | 'depth' | 'maxCommits'>) => {
    const timeoutMs = Math.floor(until - performance.now());
    if (timeoutMs <= 0 || box.abort.aborted) return { unknown: 'there is no time left' };
    // One for each question: a later one that asks for less would cut short what is there.
    const store = await createGitStore(
      join(box.workDir, `history-${name}.git`),
      detectGitObjectFormat(base_commit),
    );
    return fetchHistory(store, { url: repository, authorization, allowFile: box.embedded, timeoutMs, ...of });
  };
  const latest = await ask('latest', { ref: target, depth: DEPTH, maxCommits: MOST_COMMITS });
  if ('unknown' in latest) {
    logger.info('it is unknown what the target has reverted', { why: latest.unknown });
    return null;
  }
  const commits = new Map<string, GitCommitMetadata>(latest.map((each) => [each.id, each]));
  for (const id of findMissingRevertedCommits(commits, repository).slice(0, MOST_OLDER)) {
    // With its parents: of a merge they are what was merged.
    const older = await ask(id, { ref: id, depth: 2, maxCommits: 20 });
    if ('unknown' in older) logger.info('an older commit is unknown', { commit: id, why: older.unknown });
    else for (const each of older) if (!commits.has(each.id)) commits.set(each.id, each);
  }
  return detectReverts(commits, repository).slice(0, MAX_REPORTED_REVERTS);
}

/** A revert as the API takes it. */
const reportedRevert = ({
  task_id,
  reverted_commit,
  reverted_request,
  reverting_commit,
  at,
}: DetectedRevert) => ({
  task_id,
  reverted_commit,
  request: reverted_request,
  commit: reverting_commit,
  at,
});

/** Tells what the target has reverted. The delivery is over by then: whatever goes wrong here is logged, and of no further consequence. */
export async function reportDeliveryReverts(
  assignment: DeliveryAssignment,
  authorization: string | null,
  box: ContainerWorkContext,
  client: ContainerApiClient,
): Promise<void> {
  try {
    const reverts = await detectDeliveryReverts(assignment, authorization, box);
    if (reverts !== null && reverts.length > 0)
      await client.post(
        'delivery',
        { step: 'reverts', reverts: reverts.map(reportedRevert) },
        { retryForMs: 10_000 },
      );
  } catch (error) {
    logger.warn('what the target has reverted is not told', { why: String(error) });
  }
}
