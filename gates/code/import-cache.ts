import type { GitStore } from '../../workspace/git/git-store.ts';
import { MAX_CACHE_ENTRY_BYTES } from '../core/cache-limits.ts';
import { computeCacheEntryKey, type PersistentCache } from '../core/persistent-cache.ts';
import type { ImportReference } from './imports/import-reference.ts';
import type { SyntaxProblem } from './parsing/parse-source.ts';

/** What is known of one file's content, wherever it lies. */
export type CodeFileAnalysis =
  | { readonly imports: readonly ImportReference[]; readonly problem: SyntaxProblem | null }
  | { readonly unreadable: string };

/** Where facts of code outlive a run, and which code of ours has read them. */
interface ImportCacheLocation {
  readonly memory: PersistentCache;
  /** Another build may read the same content otherwise. */
  readonly build: string;
}

const cacheLocations = new WeakMap<GitStore, ImportCacheLocation>();

/** From now on what is learnt of code in this store is kept. */
export const enableImportCache = (store: GitStore, place: ImportCacheLocation): void =>
  void cacheLocations.set(store, place);

/** Most characters of facts that are kept, so that an entry stays below its limit whatever is in them. */
const MAX_CHARACTERS = MAX_CACHE_ENTRY_BYTES / 4;

const keyFor = ({ build }: ImportCacheLocation) => computeCacheEntryKey('facts', { schema: 1, build });

/** What is kept; nothing where there is no place for it, or what lies there is none. */
export async function loadImportCache(store: GitStore): Promise<ReadonlyMap<string, CodeFileAnalysis>> {
  const place = cacheLocations.get(store);
  const value = place ? await place.memory.get(keyFor(place)) : null;
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value).filter((entry): entry is [string, CodeFileAnalysis] => isFacts(entry[1])),
  );
}

/** Keeps facts by grammar and content, those that were needed last, as far as there is room. */
export async function saveImportCache(
  store: GitStore,
  facts: ReadonlyMap<string, CodeFileAnalysis>,
): Promise<void> {
  const place = cacheLocations.get(store);
  if (place === undefined) return;
  const kept: Record<string, CodeFileAnalysis> = {};
  let characters = 0;
  for (const [key, each] of facts) {
    characters += key.length + JSON.stringify(each).length;
    if (characters > MAX_CHARACTERS) break;
    kept[key] = each;
  }
  await place.memory.put(keyFor(place), kept);
}

/** The memory is ours alone; what an earlier schema has left there is not read. */
const isFacts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('unreadable' in value || ('imports' in value && Array.isArray(value.imports) && 'problem' in value));
