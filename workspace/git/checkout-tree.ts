import { mkdir } from 'node:fs/promises';
import { CheckoutError } from './checkout-error.ts';
import {
  type GitStore,
  type GitStoreCallOptions,
  readSingleLine,
  runGitInStore,
  runGitInStoreOrThrow,
} from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

/**
 * Writes a commit or tree into the empty folder `dir`, with an index of its own. No hook, filter or symbolic link is followed.
 * @throws CheckoutError `base_tree_invalid` where a path of it cannot be written.
 */
export async function checkOutTree(
  store: GitStore,
  treeish: string,
  dir: string,
  index: string,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  await readTree(store, ['--reset', '-u', treeish], { indexFile: index, workTree: dir, timeoutMs: 600_000 });
}

/** What git says of a path that it refuses (`..`, `.git` and their spellings), or that the file system does. */
const REFUSED_PATHS = [
  /^(?:error|fatal): invalid path '(.+)'$/m,
  /^(?:error|fatal): unable to (?:create file|create directory|stat just-written file) (.+?):? File name too long$/m,
  /^(?:error|fatal): cannot create directory at '(.+)': File name too long$/m,
];
const MAX_PATH_CHARS = 300;

/**
 * Reads a tree into an index. The tree is of a base commit, or made of one and a patch, which git applies to valid paths only: a path that is
 * refused is the base's.
 */
async function readTree(store: GitStore, args: readonly string[], call: GitStoreCallOptions): Promise<void> {
  const result = await runGitInStore(store, ['read-tree', ...args], call);
  if (result.code === 0) return;
  const path = REFUSED_PATHS.map((each) => each.exec(result.stderr)?.[1]).find((each) => each !== undefined);
  if (path === undefined) throw new CheckoutError('unknown', `git read-tree: ${gitErrorMessage(result)}`);
  throw new CheckoutError(
    'base_tree_invalid',
    `the base commit has a file that cannot be checked out: ${JSON.stringify(path.slice(0, MAX_PATH_CHARS))}; rename or remove it`,
  );
}

/** Memory for applying a patch: git keeps every file that it writes in memory, and a small patch may name very large ones. */
const MAX_PATCH_MEMORY_BYTES = 1_024 * 1_048_576;

/**
 * Applies a patch to a commit, in an index only: nothing is written to a folder, so no path can lead out of one. git
 * itself refuses paths with `..`, into `.git`, or behind a symbolic link.
 * @returns the tree hash of the result.
 * @throws CheckoutError `patch_does_not_apply`; `base_tree_invalid` where the commit has a path that git refuses.
 */
export async function applyPatch(
  store: GitStore,
  base: string,
  patch: Buffer,
  index: string,
): Promise<string> {
  await readTree(store, [base], { indexFile: index });
  if (patch.length > 0) {
    const applied = await runGitInStore(
      store,
      ['apply', '--cached', '--binary', '--whitespace=nowarn', '-'],
      {
        indexFile: index,
        input: patch,
        maxMemoryBytes: MAX_PATCH_MEMORY_BYTES,
      },
    );
    if (applied.code !== 0) throw new CheckoutError('patch_does_not_apply', gitErrorMessage(applied));
  }
  return readSingleLine(await runGitInStoreOrThrow(store, ['write-tree'], { indexFile: index }));
}
