import * as z from 'zod';
import type { Memory } from '../../core/memory.ts';
import { memoryKey } from '../../core/memory.ts';
import type { Subject } from '../../core/subject.ts';
import { CachedResult } from './cache.ts';

/** Results of one tree that are kept; the oldest go first. More means that the configuration has changed again and again. */
const MAX_RESULTS = 100;

const Kept = z.strictObject({ schema_version: z.literal(1), results: z.array(z.unknown()) });

/** Results of gates on one tree. */
export interface Results {
  /** What was kept before this run, or null. */
  get(hash: string): CachedResult | null;
  add(result: CachedResult): void;
  /** Keeps what was added, with one write for all gates. */
  save(): Promise<void>;
}

/**
 * Reads what is remembered of a tree. Base and tree are in the key of each result too; one object for all gates of a tree costs one
 * request to read, and one to write.
 */
export async function loadResults(
  memory: Memory,
  { base, patched }: Pick<Subject, 'base' | 'patched'>,
): Promise<Results> {
  const place = memoryKey('results', { schema: 2, base, tree: patched });
  const known = new Map(read(await memory.get(place)).map((each) => [each.key, each]));
  const added: CachedResult[] = [];
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

const read = (value: unknown): CachedResult[] =>
  (Kept.safeParse(value).data?.results ?? []).flatMap((each) => {
    const parsed = CachedResult.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
