import { createHash } from 'node:crypto';
import type { Ref } from '../../shared/contract/repository/base-ref.ts';
import type { Quality } from './plan.ts';

export const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
export const REPOSITORY = 'https://git.simulated/shop.git';
/** A commit on a side branch whose checks look at nothing. */
export const WEAK_BASE = sha1('side');

/** What a patch is here: its base, the tree that it makes, and how good that is. */
export interface Patch {
  readonly base: string;
  readonly tree: string;
  readonly quality: Quality;
  readonly task: string;
}

export const emptyTree = (base: string): string => sha1(`tree of ${base}`);
export const patchOf = (task: string, name: string, base: string, quality: Quality): Patch => ({
  base,
  tree: quality === 'empty' ? emptyTree(base) : sha1(`${task} ${name} ${base} ${quality}`),
  quality,
  task,
});
export const writePatch = (patch: Patch): string => (patch.quality === 'empty' ? '' : JSON.stringify(patch));
export const readPatch = (text: string, task: string, base: string): Patch | null => {
  if (text === '') return patchOf(task, '', base, 'empty');
  try {
    return JSON.parse(text) as Patch;
  } catch {
    return null;
  }
};

/** The work on top of another commit. Two good ones may break each other there, and may not merge at all: null. */
export function mergedOnto({ base, quality, task, tree }: Patch, onto: string): Patch | null {
  const chance = Number.parseInt(sha1(`${tree} ${base} ${onto}`).slice(0, 2), 16);
  if (chance < 50) return null;
  return patchOf(task, `merge of ${tree}`, onto, chance < 130 && quality === 'good' ? 'bad' : quality);
}

export interface Pushed {
  readonly commit: string;
  readonly base: string;
  readonly tree: string;
}

/** The repository that the tasks are about. */
export class Remote {
  #moves = 0;
  /** Commits that the main branch has been at, with the time from which it was. */
  readonly mains: { readonly commit: string; readonly from: number }[];
  readonly branches = new Map<string, Pushed>();
  readonly refuses = new Set<string>();

  constructor(now: number) {
    this.mains = [{ commit: sha1('main 0'), from: now }];
  }

  get main(): string {
    return this.mains.at(-1)?.commit ?? '';
  }

  move(now: number): void {
    this.mains.push({ commit: sha1(`main ${++this.#moves}`), from: now });
  }

  /** True when the main branch was at this commit at that time or later. */
  wasMain(commit: string, since: number): boolean {
    return this.mains.some(
      (each, index) =>
        each.commit === commit && (this.mains[index + 1]?.from ?? Number.POSITIVE_INFINITY) >= since,
    );
  }

  refs(): readonly Ref[] {
    const pushed = [...this.branches].map(([branch, { commit }]) => ({
      name: `refs/heads/${branch}`,
      id: commit,
    }));
    return [{ name: 'refs/heads/main', id: this.main }, ...pushed];
  }

  /**
   * Pushes a new branch and moves the main branch along with it, from where it is expected to be and both or none. Says why not, or null; an id: where the main
   * branch is instead.
   */
  pushOnto(
    branch: string,
    pushed: Pushed,
    now: number,
  ): { readonly refused: string } | { readonly moved: string } | null {
    if (this.branches.get(branch)?.commit === pushed.commit) return null;
    if (!this.branches.has(branch) && this.main !== pushed.base) return { moved: this.main };
    const refused = this.push(branch, pushed);
    if (refused !== null) return { refused };
    this.mains.push({ commit: pushed.commit, from: now });
    return null;
  }

  /** Pushes a new branch; says why not, or null. A push of what is there already is one that has worked. */
  push(branch: string, pushed: Pushed): string | null {
    if (this.refuses.has(branch)) return 'the remote refuses this branch';
    const present = this.branches.get(branch);
    if (present && present.commit !== pushed.commit)
      return `the branch is at ${present.commit.slice(0, 8)} already`;
    this.branches.set(branch, pushed);
    return null;
  }
}
