import type { GitCommitMetadata } from '../../shared/contract/repository/detect-reverts.ts';
import { buildFileUrlFetchArguments, type FetchOptions } from './fetch-commits.ts';
import { type GitStore, runGitInStore } from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

export interface FetchHistoryOptions extends FetchOptions {
  readonly timeoutMs: number;
  /** Generations that are asked for. */
  readonly depth: number;
  /** Commits that are read, the latest first. */
  readonly maxCommits: number;
}

/** A server that leaves nothing out sends all files; more than this of anything ends git. */
const MAX_BYTES = 32 * 1_048_576;
const MAX_TEXT = 8 * 1_048_576;

/**
 * The latest commits of a branch, without trees and files. The store is one for this alone: git remembers in it that the rest can be had.
 * @returns why they cannot be read, where they cannot.
 */
export async function fetchHistory(
  store: GitStore,
  { url, ref, authorization = null, allowFile = false, timeoutMs, depth, maxCommits }: FetchHistoryOptions,
): Promise<GitCommitMetadata[] | { readonly unknown: string }> {
  const until = performance.now() + timeoutMs;
  const fetched = await runGitInStore(
    store,
    [
      // One pack, so that the limit of a file is that of everything.
      '-c',
      'fetch.unpackLimit=1',
      'fetch',
      '--quiet',
      '--no-tags',
      `--depth=${depth}`,
      '--filter=tree:0',
      ...buildFileUrlFetchArguments(url),
      '--',
      url,
      `+${ref}:refs/assay/history`,
    ],
    { access: { url, authorization, allowFile }, timeoutMs, maxFileBytes: MAX_BYTES },
  );
  if (fetched.code !== 0) return { unknown: gitErrorMessage(fetched) };
  const read = await runGitInStore(
    store,
    ['log', '-z', `--max-count=${maxCommits}`, '--format=%H%n%P%n%ct%n%B', 'refs/assay/history', '--'],
    {
      env: { GIT_NO_LAZY_FETCH: '1' },
      timeoutMs: Math.max(1, until - performance.now()),
      maxOutputBytes: MAX_TEXT,
    },
  );
  // Of too much text the latest commits are there all the same; the last may be cut, and says so by a message that is.
  if (read.code !== 0 && read.stopped !== 'output_limit') return { unknown: gitErrorMessage(read) };
  return read.stdout.toString('utf8').split('\0').filter(Boolean).map(commitOf);
}

/** A date may be anything that somebody has written: none, or beyond what there are years for. */
const LAST_SECOND = 253_402_300_799;

function commitOf(text: string): GitCommitMetadata {
  const [id = '', parents = '', seconds = '', ...message] = text.split('\n');
  const at = new Date(Math.max(0, Math.min(LAST_SECOND, Number(seconds) || 0)) * 1_000).toISOString();
  return { id, parents: parents.split(' ').filter(Boolean), at, message: message.join('\n') };
}
