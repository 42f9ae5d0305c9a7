import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openWriteAheadLog, type WriteAheadLog } from '../../../local/dynamodb/write-ahead-log/index.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const key = (id: number) => ({ pk: { S: String(id) } });
const itemOf = (id: number, version = 1) => ({ ...key(id), n: { N: String(version) } });

/** Logs version `version` of an item; 0 deletes it. */
const change = (log: WriteAheadLog, id: number, version = 1): void =>
  log.append({
    table: 'T',
    key: key(id),
    old: version > 1 ? itemOf(id, version - 1) : null,
    new: version === 0 ? null : itemOf(id, version),
    byService: false,
    at: 0,
  });
const sequences = (log: WriteAheadLog, after: number): readonly number[] =>
  log.read(after, 1000).map(({ sequence }) => sequence);
const itemsIn = (log: WriteAheadLog) =>
  (log.takeItems().get('T') ?? []).map(({ item }) => JSON.parse(item)).toSorted((a, b) => a.pk.S - b.pk.S);
const readers = new Map([
  ['fast', 'TRIM_HORIZON'],
  ['slow', 'TRIM_HORIZON'],
] as const);
const files = (): readonly string[] => readdirSync(directory.path).sort();
const small = { segmentBytes: 500 };
/** Waits for another snapshot than `before`, and for the end of the one file that it replaces. */
const anotherSnapshot = (before?: string): Promise<string> =>
  vi.waitFor(
    () => {
      const [name = '', ...others] = files().filter((file) => file.endsWith('.snapshot'));
      expect(others).toEqual([]);
      expect(name).not.toBe(before ?? '');
      return name;
    },
    { timeout: 10_000, interval: 5 },
  );

test('changes, positions and items are there after it is opened again', async () => {
  const first = openWriteAheadLog(directory.path);
  first.register(readers);
  change(first, 1);
  change(first, 2);
  change(first, 1, 2);
  change(first, 2, 0);
  first.advance('fast', 1);
  await first.close();
  const second = openWriteAheadLog(directory.path);
  expect(second.read(0, 10)).toMatchObject([
    { sequence: 1, old: null, new: itemOf(1) },
    { sequence: 2, old: null, new: itemOf(2) },
    { sequence: 3, old: itemOf(1), new: itemOf(1, 2) },
    { sequence: 4, old: itemOf(2), new: null },
  ]);
  expect([second.position('fast'), second.position('slow'), second.head()]).toEqual([1, 0, 4]);
  expect(itemsIn(second)).toEqual([itemOf(1, 2)]);
  await second.close();
});

test('a snapshot replaces the segments that every reader has passed, and no other', async () => {
  const log = openWriteAheadLog(directory.path, small);
  log.register(readers);
  for (let id = 1; id <= 40; id += 1) change(log, id);
  const all = files();
  log.advance('fast', 40);
  expect(files().slice(0, all.length)).toEqual(all);
  log.advance('slow', 30);
  await anotherSnapshot();
  expect(files()).not.toContain(all[0]);
  expect(sequences(log, 30)).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  await log.close();
  const again = openWriteAheadLog(directory.path, small);
  expect([again.head(), sequences(again, 30).length, again.position('slow')]).toEqual([40, 10, 30]);
  expect(itemsIn(again)).toEqual(Array.from({ length: 40 }, (_, id) => itemOf(id + 1)));
  await again.close();
});

test('the next snapshot continues from the one before, with updates and deletions', async () => {
  const log = openWriteAheadLog(directory.path, small);
  for (let id = 1; id <= 10; id += 1) change(log, id);
  const first = await anotherSnapshot();
  for (let round = 2; round <= 20; round += 1) change(log, 1, round);
  for (let id = 2; id <= 9; id += 1) change(log, id, 0);
  for (let id = 11; id <= 30; id += 1) change(log, id);
  await anotherSnapshot(first);
  await log.close();
  const again = openWriteAheadLog(directory.path, small);
  const ids = [10, ...Array.from({ length: 20 }, (_, index) => index + 11)];
  expect(itemsIn(again)).toEqual([itemOf(1, 20), ...ids.map((id) => itemOf(id))]);
  expect(again.head()).toBe(57);
  await again.close();
});

test('a reader that no longer exists holds nothing back, and has no position when it comes again', async () => {
  const log = openWriteAheadLog(directory.path, small);
  log.register(readers);
  for (let id = 1; id <= 40; id += 1) change(log, id);
  log.advance('fast', 40);
  log.register(new Map([['fast', 'TRIM_HORIZON']]));
  await anotherSnapshot();
  await log.close();
  const again = openWriteAheadLog(directory.path, small);
  again.register(new Map([...readers, ['slow', 'LATEST']]));
  expect(again.position('slow')).toBe(40);
  await again.close();
});

test('a new reader begins at the oldest change, or after the newest, as its mapping says', async () => {
  const log = openWriteAheadLog(directory.path);
  log.register(new Map([['old', 'TRIM_HORIZON']]));
  change(log, 1);
  log.register(
    new Map([
      ['old', 'TRIM_HORIZON'],
      ['horizon', 'TRIM_HORIZON'],
      ['latest', 'LATEST'],
    ]),
  );
  expect([log.position('horizon'), log.position('latest')]).toEqual([0, 1]);
  await log.close();
});

test('listeners are called once for each change, after it can be read', async () => {
  const log = openWriteAheadLog(directory.path);
  log.register(readers);
  const heads: number[] = [];
  log.onChange(() => heads.push(log.head()));
  change(log, 1);
  log.advance('fast', 1);
  change(log, 3);
  expect(heads).toEqual([1, 2]);
  await log.close();
});
