import {
  type CompactionObjectStore,
  CompactionPlan,
  compactionPlanKey,
  mergeJsonLines,
  planCompaction,
} from '../../control/ledger/compaction.ts';
import { mapConcurrently } from '../../lib/map-concurrently.ts';

export interface CompactionContext {
  readonly objects: CompactionObjectStore;
  /** False: the time for it is nearly over, and the rest is for the next round. */
  readonly hasTimeLeft: () => boolean;
}

export interface CompactionResult {
  readonly written: number;
  readonly removed: number;
}

/** Objects read at a time. */
const MAX_CONCURRENT_READS = 16;

/** Reads the objects that exist. A missing one was merged into another object by a plan that has completed. */
async function read(objects: CompactionObjectStore, keys: readonly string[]): Promise<string[]> {
  const bodies = await mapConcurrently(MAX_CONCURRENT_READS, keys, (key) => objects.find(key));
  return bodies.filter((body) => body !== null);
}

/**
 * Makes few objects of the many of one table and day, in steps that can each be the last and can each be made twice: a plan is put beside them, the wholes are
 * written, the members are removed, and then the plan. A row is in a member, in a whole or, for a moment, in both: never in none.
 */
export async function compactRecordsOfDay(
  prefix: string,
  { objects, hasTimeLeft }: CompactionContext,
): Promise<CompactionResult> {
  const listed = await objects.list(prefix);
  const at = compactionPlanKey(prefix);
  if (!listed.some(({ key }) => key === at)) {
    const made = planCompaction(prefix, listed);
    if (made === null) return { written: 0, removed: 0 };
    await objects.putIfAbsent(at, JSON.stringify(made), 'application/json');
  }
  // Whoever was first: one plan at a time is carried out, so that nothing goes into two wholes.
  const text = await objects.find(at);
  if (text === null) return { written: 0, removed: 0 };
  const { outputs: wholes } = CompactionPlan.parse(JSON.parse(text));
  const there = new Set(listed.map(({ key }) => key));
  let written = 0;
  for (const { key, members } of wholes.filter((whole) => !there.has(whole.key))) {
    if (!hasTimeLeft()) return { written, removed: 0 };
    const body = mergeJsonLines(await read(objects, members));
    // All gone: made from a listing that was old, when another plan had done the same.
    if (body === '') continue;
    await objects.putIfAbsent(key, body, 'application/x-ndjson');
    written++;
  }
  const members = wholes.flatMap((whole) => whole.members);
  await objects.remove(members);
  await objects.remove([at]);
  return { written, removed: members.length };
}
