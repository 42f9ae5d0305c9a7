import { CheckoutError } from './error.ts';
import { complaint } from './git.ts';
import { inStore, line, mustInStore, type Store } from './store.ts';

export interface CommitOptions {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  /** `Name <address>`. */
  readonly author: string;
  /** ISO 8601; author and committer date, so that the same work gives the same commit id each time. */
  readonly at: string;
}

/** Makes a commit whose id depends on nothing but the options. */
export async function commitTree(store: Store, options: CommitOptions): Promise<string> {
  const match = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(options.author);
  const name = match?.[1] || options.author.replace(/[<>\n]/g, '').trim() || 'assay';
  const email = match?.[2] ?? '';
  const date = `${Math.floor(Date.parse(options.at) / 1000)} +0000`;
  const commit = await mustInStore(store, ['commit-tree', options.tree, '-p', options.parent, '-F', '-'], {
    input: options.message,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return line(commit);
}

export interface PushOptions {
  readonly url: string;
  readonly branch: string;
  readonly commit: string;
  readonly authorization: string | null;
  readonly allowFile: boolean;
}

/**
 * Creates a branch on the remote. A branch that is already exactly that commit counts as done; any other is left alone.
 * @returns null when the branch is there, else why it is not.
 * @throws CheckoutError `repository_unavailable` when the remote cannot be asked.
 */
export async function pushNewBranch(store: Store, options: PushOptions): Promise<string | null> {
  const ref = `refs/heads/${options.branch}`;
  const access = { url: options.url, authorization: options.authorization, allowFile: options.allowFile };
  const pushed = await inStore(
    store,
    [
      'push',
      '--quiet',
      '--no-verify',
      '--no-signed',
      ...(options.url.startsWith('file:') ? ['--receive-pack=git -c safe.directory=* receive-pack'] : []),
      // An empty expectation: the branch must not exist.
      `--force-with-lease=${ref}:`,
      '--',
      options.url,
      `${options.commit}:${ref}`,
    ],
    { access, timeoutMs: 300_000 },
  );
  if (pushed.code === 0) return null;
  const listed = await inStore(store, ['ls-remote', '--', options.url, ref], { access });
  if (listed.code !== 0) throw new CheckoutError('repository_unavailable', complaint(listed));
  const there = line(listed.stdout).split('\t')[0] ?? '';
  if (there === options.commit) return null;
  return there === ''
    ? `the push was refused: ${complaint(pushed)}`
    : `branch ${options.branch} exists already, at ${there}`;
}
