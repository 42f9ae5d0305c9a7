import type { GitStore } from '../../workspace/git/git-store.ts';
import { type ListedFile, listFiles } from '../../workspace/git/list-files.ts';

/** The files of both sides. */
export interface RevisionPaths {
  /** Paths of the base commit's files. */
  readonly base: ReadonlySet<string>;
  /** Those of the tree that commands get. */
  readonly tree: ReadonlySet<string>;
}

/** What a gate's tools are chosen by. */
export interface ProjectFiles {
  /** Every changed path, old names of renamed files included. */
  readonly changedPaths: readonly string[];
  revisionPaths(): Promise<RevisionPaths>;
  /** Text of a file of the base commit, or null. */
  baseFile(path: string): Promise<string | null>;
}

/** The files of two commits or trees. */
export async function listRevisionPaths(store: GitStore, base: string, tree: string): Promise<RevisionPaths> {
  const [before, now] = await Promise.all([listFiles(store, base), listFiles(store, tree)]);
  return { base: pathsOf(before), tree: pathsOf(now) };
}

const pathsOf = (files: readonly ListedFile[]): Set<string> => new Set(files.map(({ path }) => path));
