import { CheckoutError } from './checkout-error.ts';
import { type GitStore, runGitInStoreOrThrow } from './git-store.ts';
import { type GitResult, gitErrorMessage } from './run-git.ts';

export interface PartialCloneOptions {
  /** Runs git in the clone. */
  readonly ask: (args: readonly string[]) => Promise<GitResult>;
  /** Runs git in the clone such that new objects go to the store. @throws CheckoutError */
  readonly must: (...args: readonly string[]) => Promise<Buffer>;
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
}

/** How many objects one call of `git fetch` names. */
const BATCH = 500;

/**
 * Fetches the files of both trees that a partial clone has left at its remote.
 * @throws CheckoutError `repository_unavailable` when they cannot be fetched.
 */
export async function fetchMissingBlobs({
  ask,
  must,
  store,
  base,
  tree,
}: PartialCloneOptions): Promise<void> {
  const promisors = await ask(['config', '--get-regexp', String.raw`^remote\..*\.promisor$`]);
  const [, remote] = /^remote\.(.{1,1000})\.promisor true$/m.exec(promisors.stdout.toString('utf8')) ?? [];
  if (remote === undefined) return;
  const ids = new Set<string>();
  for (const side of [base, tree])
    for (const line of (await must('ls-tree', '-r', '-z', side)).toString('latin1').split('\0')) {
      const [, id] = /^\d+ blob ([0-9a-f]{40,64})\t/.exec(line) ?? [];
      if (id !== undefined) ids.add(id);
    }
  // The store knows no remote, so it only answers what is here.
  const listed = await runGitInStoreOrThrow(store, ['cat-file', '--batch-check'], {
    input: [...ids].map((id) => `${id}\n`).join(''),
  });
  const missing = [...listed.toString('latin1').matchAll(/^([0-9a-f]{40,64}) missing$/gm)].map(
    ([, id]) => id ?? '',
  );
  const fetchOptions = ['--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--quiet'];
  for (let at = 0; at < missing.length; at += BATCH)
    try {
      await must('fetch', ...fetchOptions, '--filter=blob:none', remote, ...missing.slice(at, at + BATCH));
    } catch (error) {
      throw new CheckoutError(
        'repository_unavailable',
        `This clone is partial, and ${missing.length} of its files could not be fetched: ${error instanceof Error ? error.message : gitErrorMessage(promisors)}`,
        `Fetch them first: git fetch --refetch --no-filter ${remote}`,
      );
    }
}
