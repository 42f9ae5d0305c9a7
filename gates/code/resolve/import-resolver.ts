import type { ImportedName, ImportReference } from '../imports/import-reference.ts';

/** What resolution needs of a tree. */
export interface RevisionFiles {
  /** Every path, in a fixed order. */
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Text of the files that say how modules are found: package.json, tsconfig.json, go.mod, Cargo.toml. */
  readonly moduleConfigs: ReadonlyMap<string, string>;
}

/** A module of the tree that an import leads to. */
export interface ImportTarget {
  /** Path of the module's file; for Go the folder of the package, `.` for the root. */
  readonly module: string;
  readonly names: readonly ImportedName[];
}

/** Finds the modules of the tree that an import leads to; none when it leads out of the tree, or nobody can know. */
export type ImportResolver = (from: string, reference: ImportReference) => readonly ImportTarget[];

export const parentFolderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A path with `.` and `..` worked out; null when it leaves the tree. */
export function joinRepositoryPath(...parts: readonly string[]): string | null {
  const path: string[] = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') path.push(part);
    else if (path.pop() === undefined) return null;
  }
  return path.join('/');
}

/** The folder itself and those around it, the innermost first; the root is ''. */
export function* listAncestorFolders(folder: string): Generator<string> {
  for (let at = folder; at !== ''; at = parentFolderOf(at)) yield at;
  yield '';
}

/** Whether a path is in a folder or below; '' is the root. */
export const isInFolder = (folder: string, path: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);
