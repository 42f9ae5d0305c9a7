import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompactionObjectStore,
  type ListedObject,
  listCompactableDays,
} from '../../../../shared/control/ledger/compaction.ts';
import { compactRecordsOfDay } from '../../../../shared/use-cases/operate/compact-records.ts';

const PREFIX = 'records/table=tasks/dt=2026-11-20/';

class Crash extends Error {}

/** A bucket whose listings come in pages, and whose callers may die before or after any call. */
class Bucket implements CompactionObjectStore {
  readonly objects = new Map<string, string>();
  /** Told before and after each single change, so that a query can look in between. */
  watch: () => void = () => {};
  /** Number of the call that its caller does not outlive, and whether it is still done. */
  crash: { at: number; done: boolean } | null = null;
  calls = 0;

  async #call<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    this.watch();
    const dies = this.crash?.at === this.calls++ ? this.crash : null;
    if (dies && !dies.done) throw new Crash();
    const result = work();
    this.watch();
    if (dies) throw new Crash();
    return result;
  }

  /** A page of a listing: at most `most` keys behind `after`. */
  page(after: string, most: number): string[] {
    return [...this.objects.keys()]
      .filter((key) => key > after)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, most);
  }
  list(): Promise<ListedObject[]> {
    return this.#call(() =>
      this.page('', Number.MAX_SAFE_INTEGER).map((key) => ({
        key,
        bytes: this.objects.get(key)?.length ?? 0,
      })),
    );
  }
  find(key: string): Promise<string | null> {
    return this.#call(() => this.objects.get(key) ?? null);
  }
  putIfAbsent(key: string, body: string): Promise<void> {
    return this.#call(() => {
      if (!this.objects.has(key)) this.objects.set(key, body);
    });
  }
  /** One after the other: a request for many is no transaction. */
  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#call(() => this.objects.delete(key));
  }
}

const batch = (n: number): string => `${PREFIX}${n.toString(16).padStart(32, n % 2 === 0 ? '0' : 'f')}.jsonl`;
const row = (id: number): string => `${JSON.stringify({ record_id: `r${id}` })}\n`;
const idsIn = (body: string): string[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { record_id: string }).record_id);

/** A query at its most fortunate: a listing in pages, each at another moment, and what a page names is read before it can go. */
class Query {
  readonly #bucket: Bucket;
  readonly #most: number;
  #after = '';
  readonly rows: string[] = [];
  constructor(bucket: Bucket, most: number) {
    this.#bucket = bucket;
    this.#most = most;
  }
  /** Reads on; true when the listing is complete. */
  step(): boolean {
    const page = this.#bucket.page(this.#after, this.#most);
    this.#after = page.at(-1) ?? this.#after;
    for (const key of page)
      if (!key.slice(PREFIX.length).startsWith('_'))
        this.rows.push(...idsIn(this.#bucket.objects.get(key) ?? ''));
    return page.length < this.#most;
  }
}

function filled(count: number): { bucket: Bucket; ids: ReadonlySet<string> } {
  const bucket = new Bucket();
  for (let n = 0; n < count; n++)
    // Each batch repeats the last row of the one before, as a delivery that came twice does.
    bucket.objects.set(batch(n), row(n) + row(n + 1));
  return { bucket, ids: new Set(Array.from({ length: count + 1 }, (_, n) => `r${n}`)) };
}

const round = (bucket: Bucket) => compactRecordsOfDay(PREFIX, { objects: bucket, hasTimeLeft: () => true });
const sorted = (texts: Iterable<string>): string[] => [...texts].toSorted((a, b) => (a < b ? -1 : 1));
const dataKeys = (bucket: Bucket): string[] =>
  [...bucket.objects.keys()].filter((key) => key.endsWith('.jsonl'));

describe('compaction', () => {
  it('makes one object of many, and then has nothing to do', async () => {
    const { bucket, ids } = filled(20);
    expect(await round(bucket)).toEqual({ written: 1, removed: 20 });
    expect(await round(bucket)).toEqual({ written: 0, removed: 0 });
    const [only = '', ...others] = bucket.objects.keys();
    expect(others).toEqual([]);
    expect(sorted(idsIn(bucket.objects.get(only) ?? ''))).toEqual(sorted(ids));
  });

  it('leaves few objects, and large ones, alone', async () => {
    const few = filled(15).bucket;
    expect(await round(few)).toEqual({ written: 0, removed: 0 });
    const large = filled(20).bucket;
    for (const key of large.objects.keys()) large.objects.set(key, 'x'.repeat(8 * 1_048_576));
    expect(await round(large)).toEqual({ written: 0, removed: 0 });
  });

  it('takes what came later into a whole of its own', async () => {
    const { bucket } = filled(20);
    await round(bucket);
    for (let n = 100; n < 120; n++) bucket.objects.set(batch(n), row(n));
    await round(bucket);
    const rows = [...bucket.objects.values()].flatMap(idsIn);
    expect([bucket.objects.size, rows.length, new Set(rows).size]).toEqual([2, 41, 41]);
  });

  it('stops where its time is over, and goes on from there', async () => {
    const { bucket, ids } = filled(20);
    const most = { objects: bucket, hasTimeLeft: () => false };
    expect(await compactRecordsOfDay(PREFIX, most)).toEqual({ written: 0, removed: 0 });
    expect(await round(bucket)).toEqual({ written: 1, removed: 20 });
    expect(sorted([...bucket.objects.values()].flatMap(idsIn))).toEqual(sorted(ids));
  });

  it('looks at days that are over', () => {
    const days = listCompactableDays(new Date('2026-11-23T00:10:00Z'));
    expect([days[0], days.at(-1), days.length]).toEqual(['2026-11-21', '2026-11-14', 8]);
  });

  it('lets no query miss a row or count one twice by its id, wherever two rounds at once die, and ends with each row once', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.integer({ min: 16, max: 24 }),
          rounds: fc.array(
            fc.record({
              crashAt: fc.option(fc.nat(90), { nil: null }),
              done: fc.boolean(),
              rounds: fc.constantFrom(1, 2, 3),
            }),
            { minLength: 1, maxLength: 5 },
          ),
          page: fc.integer({ min: 1, max: 8 }),
          pace: fc.integer({ min: 1, max: 7 }),
        }),
        async ({ count, rounds, page, pace }) => {
          const { bucket, ids } = filled(count);
          let query = new Query(bucket, page);
          let looks = 0;
          let answers = 0;
          bucket.watch = () => {
            if (looks++ % pace !== 0 || !query.step()) return;
            answers++;
            expect(new Set(query.rows)).toEqual(ids);
            query = new Query(bucket, page);
          };
          for (const { crashAt, done, rounds: atOnce } of rounds) {
            bucket.crash = crashAt === null ? null : { at: bucket.calls + crashAt, done };
            const ends = await Promise.allSettled(Array.from({ length: atOnce }, () => round(bucket)));
            for (const end of ends)
              if (end.status === 'rejected' && !(end.reason instanceof Crash)) throw end.reason;
          }
          bucket.crash = null;
          await round(bucket);
          expect(sorted(dataKeys(bucket).flatMap((key) => idsIn(bucket.objects.get(key) ?? '')))).toEqual(
            sorted(ids),
          );
          expect(bucket.objects.size).toBe(dataKeys(bucket).length);
          asked += answers;
        },
      ),
      { numRuns: 150 },
    );
    expect(asked).toBeGreaterThan(100);
  });
});
