import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Intent, type Journal, openJournal } from '../../../local/dynamodb/journal.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const key = (id: number) => ({ pk: { S: String(id) } });
const intent = (id: number): Intent => ({
  table: 'T',
  operation: 'PutItem',
  request: {},
  key: key(id),
  old: null,
  byService: false,
});

const change = (journal: Journal, id: number): void => {
  const { table, old, byService } = intent(id);
  journal.end(journal.begin(intent(id)), { table, key: key(id), old, new: key(id), byService, at: 0 });
};
const sequences = (journal: Journal, after: number): readonly number[] =>
  journal.read(after, 1000).map(({ sequence }) => sequence);
const readers = new Map([
  ['fast', 'TRIM_HORIZON'],
  ['slow', 'TRIM_HORIZON'],
] as const);
const files = (): number => readdirSync(directory.path).length;

test('records, positions and unfinished writes are there after it is opened again', () => {
  const first = openJournal(directory.path);
  first.register(readers);
  change(first, 1);
  first.begin(intent(2));
  change(first, 3);
  first.advance('fast', 1);
  first.close();
  const second = openJournal(directory.path);
  expect(sequences(second, 0)).toEqual([1, 2]);
  expect([second.position('fast'), second.position('slow'), second.head()]).toEqual([1, 0, 2]);
  expect([...second.unfinished.values()]).toEqual([intent(2)]);
  second.close();
});

test('files go when every reader has passed them, and nothing that is unread goes with them', () => {
  const journal = openJournal(directory.path, { segmentBytes: 500, keptBytes: 0 });
  journal.register(readers);
  const pending = journal.begin(intent(0));
  for (let id = 1; id <= 40; id += 1) change(journal, id);
  const most = files();
  journal.advance('fast', 40);
  expect(files()).toBe(most);
  journal.advance('slow', 30);
  expect(files()).toBeLessThan(most);
  expect(sequences(journal, 30)).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  journal.advance('slow', 40);
  journal.close();
  const again = openJournal(directory.path, { segmentBytes: 500, keptBytes: 0 });
  expect([again.head(), sequences(again, 40), [...again.unfinished.keys()]]).toEqual([40, [], [pending]]);
  expect(files()).toBeLessThan(4);
  again.close();
});

test('a reader that is no longer there holds nothing back', () => {
  const journal = openJournal(directory.path, { segmentBytes: 500, keptBytes: 0 });
  journal.register(readers);
  for (let id = 1; id <= 40; id += 1) change(journal, id);
  journal.advance('fast', 40);
  journal.register(new Map([['fast', 'TRIM_HORIZON']]));
  expect(files()).toBe(1);
  journal.close();
});

test('a new reader begins at the oldest record, or after the newest, as its mapping says', () => {
  const journal = openJournal(directory.path);
  journal.register(new Map([['old', 'TRIM_HORIZON']]));
  change(journal, 1);
  journal.register(
    new Map([
      ['old', 'TRIM_HORIZON'],
      ['horizon', 'TRIM_HORIZON'],
      ['latest', 'LATEST'],
    ]),
  );
  expect([journal.position('horizon'), journal.position('latest')]).toEqual([0, 1]);
  journal.close();
});

test('listeners are called once for each change, after it can be read', () => {
  const journal = openJournal(directory.path);
  journal.register(readers);
  const seen: number[] = [];
  journal.onRecord(() => seen.push(journal.head()));
  change(journal, 1);
  journal.end(journal.begin(intent(2)), null);
  change(journal, 3);
  expect(seen).toEqual([1, 2]);
  journal.close();
});
