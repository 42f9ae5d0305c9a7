import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { type GitStore, runGitInStore } from '../../workspace/git/git-store.ts';
import { type GitResult, gitErrorMessage } from '../../workspace/git/run-git.ts';

export interface PushOptions {
  readonly url: string;
  readonly branch: string;
  readonly commit: string;
  readonly authorization: string | null;
  readonly allowFile: boolean;
  /** A branch that moves along, in the same moment or not at all, and only from where it is expected to be. */
  readonly target?: { readonly branch: string; readonly at: string };
}

/** What became of a push. `moved`: the target is no longer where it was expected, but there. */
export type PushOutcome = null | { readonly refused: string } | { readonly moved: string };

const refOf = (branch: string): string => `refs/heads/${branch.replace(/^refs\/heads\//, '')}`;

/** A reference that the remote does not take, with the reason in brackets. Of an atomic push the others are refused for its sake. */
const REJECTED = /^ ! \[(?:remote )?rejected\] +.*\((?!atomic push failed\b)(.+)\)$/m;
/** Why a push was refused: what the remote said of a reference says more than git's last word. */
const reasonOf = (pushed: GitResult): string => REJECTED.exec(pushed.stderr)?.[1] ?? gitErrorMessage(pushed);

/** What the remote has at each of these. @throws CheckoutError */
async function refsOf(
  store: GitStore,
  refs: readonly string[],
  { url, authorization, allowFile }: PushOptions,
): Promise<ReadonlyMap<string, string>> {
  const listed = await runGitInStore(store, ['ls-remote', '--', url, ...refs], {
    access: { url, authorization, allowFile },
  });
  if (listed.code !== 0) throw new CheckoutError('repository_unavailable', gitErrorMessage(listed));
  const lines = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((each) => {
      const [id = '', ref = ''] = each.split('\t');
      return [ref, id];
    }),
  );
}

/**
 * Creates a branch on the remote, and moves the target along where there is one. A branch that is already exactly that commit counts as
 * done, and says that the target was moved with it; any other is left alone.
 * @throws CheckoutError `repository_unavailable` when the remote cannot be asked.
 */
export async function pushNewBranch(store: GitStore, options: PushOptions): Promise<PushOutcome> {
  const { url, branch, commit, authorization, allowFile, target } = options;
  const ref = refOf(branch);
  const onto = target && refOf(target.branch);
  const pushed = await runGitInStore(
    store,
    [
      'push',
      '--quiet',
      '--no-verify',
      '--no-signed',
      ...(url.startsWith('file:') ? ['--receive-pack=git -c safe.directory=* receive-pack'] : []),
      // An empty expectation: the branch must not exist.
      `--force-with-lease=${ref}:`,
      ...(target ? ['--atomic', `--force-with-lease=${onto}:${target.at}`] : []),
      '--',
      url,
      `${commit}:${ref}`,
      ...(target ? [`${commit}:${onto}`] : []),
    ],
    { access: { url, authorization, allowFile }, timeoutMs: 300_000 },
  );
  if (pushed.code === 0) return null;
  const there = await refsOf(store, onto === undefined ? [ref] : [ref, onto], options);
  if (there.get(ref) === commit) return null;
  if (there.has(ref)) return { refused: `branch ${branch} exists already, at ${there.get(ref)}` };
  const at = onto && there.get(onto);
  if (target && at === undefined) return { refused: `there is no branch ${target.branch}` };
  if (target && at !== undefined && at !== target.at) return { moved: at };
  return { refused: `the push was refused: ${reasonOf(pushed)}` };
}
