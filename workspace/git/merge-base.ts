import { CheckoutError } from './checkout-error.ts';
import { buildFileUrlFetchArguments, type FetchOptions } from './fetch-commits.ts';
import { createGitStore, detectGitObjectFormat, readSingleLine, runGitInStore } from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

/** Generations that are fetched: usually the first are enough, and each further round costs the server more. */
const DEPTHS = [200, 5_000, 2_147_483_647] as const;

export interface MergeBaseOptions extends Omit<FetchOptions, 'ref' | 'timeoutMs'> {
  /** A commit by its full id. */
  readonly base: string;
  /** A ref of the repository, and the commit that it is expected to be. */
  readonly ref: string;
  readonly head: string;
}

/**
 * Returns the newest commit that `base` and `head` have in common. Fetches commits alone, into a store in `dir` that is for nothing else:
 * git remembers in it that trees and files are left out.
 * @throws CheckoutError `base_ref_missing` if the ref is another commit, or has nothing in common with the base
 */
export async function findMergeBase(dir: string, options: MergeBaseOptions): Promise<string> {
  const { url, base, ref, head, authorization = null, allowFile = false } = options;
  const store = await createGitStore(dir, detectGitObjectFormat(base));
  for (const depth of DEPTHS) {
    const fetched = await runGitInStore(
      store,
      [
        'fetch',
        '--quiet',
        '--no-tags',
        `--depth=${depth}`,
        '--filter=tree:0',
        ...buildFileUrlFetchArguments(url),
        '--',
        url,
        `+${base}:refs/assay/base`,
        `+${ref}:refs/assay/head`,
      ],
      { access: { url, authorization, allowFile }, timeoutMs: 300_000 },
    );
    if (fetched.code !== 0) throw new CheckoutError('repository_unavailable', gitErrorMessage(fetched));
    const present = await runGitInStore(store, ['rev-parse', 'refs/assay/head']);
    if (readSingleLine(present.stdout) !== head)
      throw new CheckoutError(
        'base_ref_missing',
        `${ref} is ${readSingleLine(present.stdout)}, not ${head}: it has moved since`,
      );
    const found = await runGitInStore(store, ['merge-base', base, head], { env: { GIT_NO_LAZY_FETCH: '1' } });
    if (found.code === 0) return readSingleLine(found.stdout);
  }
  throw new CheckoutError('base_ref_missing', `${head} has no commit in common with ${base}`);
}
