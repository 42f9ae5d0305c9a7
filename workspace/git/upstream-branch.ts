import { readSingleLine } from './git-store.ts';
import type { GitResult } from './run-git.ts';

/** The branch that work is to go to, as far as it is known here, and where the two have parted. */
export interface UpstreamBranch {
  /** What it is called here, e.g. `origin/main`. */
  readonly ref: string;
  /** Its newest commit. */
  readonly commit: string;
  /** The newest commit that the work has in common with it. */
  readonly mergeBase: string;
}

/**
 * Looks for the branch in what a checkout has fetched, newest knowledge first; nothing is fetched for it.
 * @param ask runs git in the checkout.
 * @returns null when there is no such branch, or the work has nothing in common with it.
 */
export async function findUpstreamBranch(
  ask: (args: readonly string[]) => Promise<GitResult>,
  branch: string,
): Promise<UpstreamBranch | null> {
  for (const name of [`${branch}@{upstream}`, `refs/remotes/origin/${branch}`, branch]) {
    const found = await ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
    if (found.code !== 0) continue;
    const commit = readSingleLine(found.stdout);
    const shared = await ask(['merge-base', commit, 'HEAD']);
    if (shared.code === 0)
      return { ref: shown(name, branch), commit, mergeBase: readSingleLine(shared.stdout) };
  }
  return null;
}

const shown = (name: string, branch: string): string =>
  name === branch
    ? branch
    : name.startsWith('refs/remotes/')
      ? `origin/${branch}`
      : `the upstream of ${branch}`;
