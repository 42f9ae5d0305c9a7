import { createHash } from 'node:crypto';
import type { RepositoryRef } from '../../shared/contract/repository/base-ref.ts';
import type { WorkQuality } from './simulation-plan.ts';

export const computeSha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
export const SIMULATED_REPOSITORY_URL = 'https://git.simulated/shop.git';
/** A commit on a side branch whose checks look at nothing. */
export const WEAK_BASE = computeSha1('side');

/** What a patch is here: its base, the tree that it makes, and how good that is. */
export interface SimulatedPatch {
  readonly base: string;
  readonly tree: string;
  readonly quality: WorkQuality;
  readonly task: string;
}

export const computeEmptyTree = (base: string): string => computeSha1(`tree of ${base}`);
export const createPatch = (
  task: string,
  name: string,
  base: string,
  quality: WorkQuality,
): SimulatedPatch => ({
  base,
  tree: quality === 'empty' ? computeEmptyTree(base) : computeSha1(`${task} ${name} ${base} ${quality}`),
  quality,
  task,
});
export const serializePatch = (patch: SimulatedPatch): string =>
  patch.quality === 'empty' ? '' : JSON.stringify(patch);
export const parsePatch = (text: string, task: string, base: string): SimulatedPatch | null => {
  if (text === '') return createPatch(task, '', base, 'empty');
  try {
    return JSON.parse(text) as SimulatedPatch;
  } catch {
    return null;
  }
};

/** The work on top of another commit. Two good ones may break each other there, and may not merge at all: null. */
export function mergePatchOnto(
  { base, quality, task, tree }: SimulatedPatch,
  onto: string,
): SimulatedPatch | null {
  const chance = Number.parseInt(computeSha1(`${tree} ${base} ${onto}`).slice(0, 2), 16);
  if (chance < 50) return null;
  return createPatch(task, `merge of ${tree}`, onto, chance < 130 && quality === 'good' ? 'bad' : quality);
}

export interface PushedBranch {
  readonly commit: string;
  readonly base: string;
  readonly tree: string;
}

/** The repository that the tasks are about. */
export class SimulatedRemote {
  #moves = 0;
  /** Commits that the main branch has been at, with the time from which it was. */
  readonly mainHistory: { readonly commit: string; readonly from: number }[];
  readonly branches = new Map<string, PushedBranch>();
  readonly refusedTasks = new Set<string>();

  constructor(now: number) {
    this.mainHistory = [{ commit: computeSha1('main 0'), from: now }];
  }

  get main(): string {
    return this.mainHistory.at(-1)?.commit ?? '';
  }

  move(now: number): void {
    this.mainHistory.push({ commit: computeSha1(`main ${++this.#moves}`), from: now });
  }

  /** True when the main branch was at this commit at that time or later. */
  wasMain(commit: string, since: number): boolean {
    return this.mainHistory.some(
      (each, index) =>
        each.commit === commit && (this.mainHistory[index + 1]?.from ?? Number.POSITIVE_INFINITY) >= since,
    );
  }

  refs(): readonly RepositoryRef[] {
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
    pushed: PushedBranch,
    now: number,
  ): { readonly refused: string } | { readonly moved: string } | null {
    if (this.branches.get(branch)?.commit === pushed.commit) return null;
    if (!this.branches.has(branch) && this.main !== pushed.base) return { moved: this.main };
    const refused = this.push(branch, pushed);
    if (refused !== null) return { refused };
    this.mainHistory.push({ commit: pushed.commit, from: now });
    return null;
  }

  /** Pushes a new branch; says why not, or null. A push of what is there already is one that has worked. */
  push(branch: string, pushed: PushedBranch): string | null {
    if (this.refusedTasks.has(branch)) return 'the remote refuses this branch';
    const present = this.branches.get(branch);
    if (present && present.commit !== pushed.commit)
      return `the branch is at ${present.commit.slice(0, 8)} already`;
    this.branches.set(branch, pushed);
    return null;
  }
}
