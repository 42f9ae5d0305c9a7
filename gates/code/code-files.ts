import type { GitStore } from '../../workspace/git/git-store.ts';
import { isRegularFile, type ListedFile, listFiles } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { type Grammar, grammarOfPath, isProjectCodePath } from '../core/language.ts';
import { baseNameOf, type RevisionFiles } from './resolve/import-resolver.ts';

/** A source file of one tree. */
export interface CodeFile {
  readonly path: string;
  readonly grammar: Grammar;
  /** Object id: the same content has the same id in every tree. */
  readonly objectId: string;
  readonly bytes: number;
}

export interface RevisionCodeFiles extends RevisionFiles {
  readonly code: ReadonlyMap<string, CodeFile>;
}

const SETTINGS = /^(package\.json|[jt]sconfig(\..+)?\.json|go\.mod|Cargo\.toml)$/;
const SUBMODULE = '160000';
/** Largest file of settings, in bytes. */
const MAX_SETTINGS_BYTES = 1_048_576;

/** The paths of a tree, its code, and the files that say how modules are found. */
export async function listCodeFiles(store: GitStore, treeish: string): Promise<RevisionCodeFiles> {
  const listed = await listFiles(store, treeish);
  const files = listed.filter(isRegularFile);
  // A link is no code of its own, but what it stands for can be imported by its name.
  const present = new Set(listed.filter(({ mode }) => mode !== SUBMODULE).map(({ path }) => path));
  const code = new Map<string, CodeFile>();
  for (const { path, id, size } of files) {
    const grammar = isProjectCodePath(path) ? grammarOfPath(path) : null;
    if (grammar) code.set(path, { path, grammar, objectId: id, bytes: size ?? 0 });
  }
  return {
    paths: files.map(({ path }) => path),
    has: (path) => present.has(path),
    moduleConfigs: await settingsOf(store, files),
    code,
  };
}

async function settingsOf(store: GitStore, files: readonly ListedFile[]): Promise<Map<string, string>> {
  const wanted = files.filter(
    ({ path, size }) =>
      SETTINGS.test(baseNameOf(path)) && !path.includes('node_modules/') && (size ?? 0) <= MAX_SETTINGS_BYTES,
  );
  const texts = await readBlobs(
    store,
    wanted.map(({ id }) => id),
  );
  return new Map(wanted.map(({ path, id }) => [path, texts.get(id)?.toString('utf8') ?? '']));
}
