import { CheckoutError } from '../../gates/checkout/error.ts';
import { complaint } from '../../gates/checkout/git.ts';
import { inStore, line, type Store } from '../../gates/checkout/store.ts';

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
