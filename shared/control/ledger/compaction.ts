import * as z from 'zod';
import { sha256 } from '../../lib/sha256.ts';

/** An object as a listing tells of it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/** Whole days behind today before a day is looked at: whatever the stream still holds is written by then, and a day is over everywhere. */
export const COMPACTION_DELAY_DAYS = 2;
/** Days that are looked at, from there backwards. A day that was not done by then stays as it is. */
export const COMPACTION_WINDOW_DAYS = 8;
/** Bytes from which an object is large enough as it is. */
const MIN_LARGE_BYTES = 8 * 1_048_576;
/** Bytes of objects that become one. */
const MAX_OUTPUT_BYTES = 32 * 1_048_576;
/** Fewer small objects are not worth the trouble. */
const MIN_SMALL_OBJECTS = 16;
/** What becomes of small objects: which of them go into which large one. Lies beside them until they are gone. */
export const CompactionPlan = z.strictObject({
  schema_version: z.literal(1),
  outputs: z.array(z.strictObject({ key: z.string(), members: z.array(z.string()).min(1) })).min(1),
});
export type CompactionPlan = z.infer<typeof CompactionPlan>;

/** Athena and `assay query` skip what begins with "_". */
export const compactionPlanKey = (prefix: string): string => `${prefix}_plan.json`;

/** A batch of the ledger: 32 digits of a digest. */
const BATCH = /\/[0-9a-f]{32}\.jsonl$/;

/**
 * Behind every batch in the order of a listing. A listing comes in pages, and what it has not shown yet may go meanwhile: whoever misses a
 * batch for that reason comes to its whole later.
 */
const outputKey = (prefix: string, members: readonly string[]): string =>
  `${prefix}whole-${sha256(members.join('\n')).slice(0, 32)}.jsonl`;

/** What to make of a day's objects; null: nothing. */
export function planCompaction(prefix: string, listed: readonly ListedObject[]): CompactionPlan | null {
  const small = listed.filter(({ key, bytes }) => BATCH.test(key) && bytes < MIN_LARGE_BYTES);
  if (small.length < MIN_SMALL_OBJECTS) return null;
  const groups: { members: string[]; bytes: number }[] = [];
  for (const { key, bytes } of small.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const last = groups.at(-1);
    if (last && last.bytes + bytes <= MAX_OUTPUT_BYTES) {
      last.members.push(key);
      last.bytes += bytes;
    } else groups.push({ members: [key], bytes });
  }
  return {
    schema_version: 1,
    outputs: groups.map(({ members }) => ({ key: outputKey(prefix, members), members })),
  };
}

/** One text of several; a line that two of them have, once. */
export function mergeJsonLines(bodies: readonly string[]): string {
  const lines = new Set(bodies.flatMap((body) => body.split('\n').filter((line) => line !== '')));
  return [...lines].map((line) => `${line}\n`).join('');
}

/** Days to look at, the latest first, as partitions are named. */
export const listCompactableDays = (now: Date): string[] =>
  Array.from({ length: COMPACTION_WINDOW_DAYS }, (_, back) =>
    new Date(now.getTime() - (COMPACTION_DELAY_DAYS + back) * 86_400_000).toISOString().slice(0, 10),
  );
/** What a compaction asks of the bucket. */
export interface CompactionObjectStore {
  /** All objects below a prefix, in the order of their keys. */
  list(prefix: string): Promise<readonly ListedObject[]>;
  /** Null: there is none. */
  find(key: string): Promise<string | null>;
  /** Writes it unless there is one already. */
  putIfAbsent(key: string, body: string, contentType: string): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}
