import { ObjectId } from './git-ref.ts';

/** A ref of a repository. */
export interface Ref {
  /** In full: `refs/heads/main`, or `HEAD`. */
  readonly name: string;
  readonly id: string;
  /** What an annotated tag stands for in the end; absent for everything else. */
  readonly peeled?: string;
}

/** Names that a ref may stand for, in the order in which `git fetch` tries them. */
export const refNames = (ref: string): string[] =>
  [
    ref,
    `refs/${ref}`,
    `refs/tags/${ref}`,
    `refs/heads/${ref}`,
    `refs/remotes/${ref}`,
    `refs/remotes/${ref}/HEAD`,
  ].filter((name) => name === 'HEAD' || name.startsWith('refs/'));

/** The commit that a ref stands for among those of a repository, or null. */
export function commitOf(ref: string, refs: readonly Ref[]): string | null {
  const byName = new Map(refs.map((each) => [each.name, each]));
  const found = refNames(ref)
    .map((name) => byName.get(name))
    .find((each) => each !== undefined);
  const id = found?.peeled ?? found?.id;
  return id !== undefined && ObjectId.safeParse(id).success ? id : null;
}
