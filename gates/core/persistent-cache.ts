import type { GatesCacheKind } from '../../shared/contract/messages/gates-memory.ts';
import { canonicalHash } from '../../shared/lib/canonical-json.ts';

/** Where something is kept. */
export interface CacheEntryKey {
  readonly kind: GatesCacheKind;
  /** SHA-256 in hex of everything that the value depends on. */
  readonly hash: string;
}

/** The key of what depends on these facts, and on nothing else. */
export const computeCacheEntryKey = (kind: GatesCacheKind, facts: unknown): CacheEntryKey => ({
  kind,
  hash: canonicalHash(facts),
});

/**
 * What outlives a run: results of gates, what the base commit complains about, how tests have fared. A memory that fails forgets: no
 * function rejects. Nothing that a command of the run at hand has written is ever read; whoever reads a value checks its shape.
 */
export interface PersistentCache {
  /** JSON value, or null. */
  get(key: CacheEntryKey): Promise<unknown>;
  put(key: CacheEntryKey, value: unknown): Promise<void>;
  /**
   * Reads, changes and writes; `change` is called again when somebody else has written in between.
   * @param change gets null where nothing is kept; null leaves everything as it is.
   */
  update(key: CacheEntryKey, change: (value: unknown) => unknown): Promise<void>;
}
