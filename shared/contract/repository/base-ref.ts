import { GitObjectId } from './git-ref.ts';

/** A ref of a repository. */
export interface RepositoryRef {
  /** In full: `refs/heads/main`, or `HEAD`. */
  readonly name: string;
  readonly id: string;
  /** What an annotated tag stands for in the end; absent for everything else. */
  readonly peeled?: string;
}

/** Names that a ref may stand for, in the order in which `git fetch` tries them. */
export const candidateRefNames = (ref: string): string[] =>
  [
    ref,
    `refs/${ref}`,
    `refs/tags/${ref}`,
    `refs/heads/${ref}`,
    `refs/remotes/${ref}`,
    `refs/remotes/${ref}/HEAD`,
  ].filter((name) => name === 'HEAD' || name.startsWith('refs/'));

/** The commit that a ref stands for among those of a repository, or null. */
export function resolveRefToCommitId(ref: string, refs: readonly RepositoryRef[]): string | null {
  const byName = new Map(refs.map((each) => [each.name, each]));
  const found = candidateRefNames(ref)
    .map((name) => byName.get(name))
    .find((each) => each !== undefined);
  const id = found?.peeled ?? found?.id;
  return id !== undefined && GitObjectId.safeParse(id).success ? id : null;
}
