import * as z from 'zod';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import type { PersistentCache } from '../../core/persistent-cache.ts';
import { computeCacheEntryKey } from '../../core/persistent-cache.ts';
import { CachedGateResult } from './cached-gate-result.ts';

/** Results of one tree that are kept; the oldest go first. More means that the configuration has changed again and again. */
const MAX_RESULTS = 100;

const StoredResults = z.strictObject({ schema_version: z.literal(1), results: z.array(z.unknown()) });

/** Results of gates on one tree. */
export interface GateResultCache {
  /** What was kept before this run, or null. */
  get(hash: string): CachedGateResult | null;
  add(result: CachedGateResult): void;
  /** Keeps what was added, with one write for all gates. */
  save(): Promise<void>;
}

/**
 * Reads what is remembered of a tree. Base and tree are in the key of each result too; one object for all gates of a tree costs one
 * request to read, and one to write.
 */
export async function loadGateResultCache(
  memory: PersistentCache,
  { base, patched }: Pick<PatchToCheck, 'base' | 'patched'>,
): Promise<GateResultCache> {
  const place = computeCacheEntryKey('results', { schema: 2, base, tree: patched });
  const known = new Map(read(await memory.get(place)).map((each) => [each.key, each]));
  const added: CachedGateResult[] = [];
  return {
    get: (hash) => known.get(hash) ?? null,
    add: (result) => {
      added.push(result);
    },
    save: async () => {
      if (added.length === 0) return;
      const own = new Set(added.map(({ key }) => key));
      await memory.update(place, (value) => ({
        schema_version: 1,
        results: [...read(value).filter(({ key }) => !own.has(key)), ...added].slice(-MAX_RESULTS),
      }));
    },
  };
}

const read = (value: unknown): CachedGateResult[] =>
  (StoredResults.safeParse(value).data?.results ?? []).flatMap((each) => {
    const parsed = CachedGateResult.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
