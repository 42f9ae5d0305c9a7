import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ChangeRecord,
  type Intent,
  type Journal,
  openJournal,
} from '../../../local/dynamodb/journal.ts';
import { fullAfter, offsets } from '../support/disk.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let notices: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  notices = [];
});
afterEach(() => directory.remove());

const intent = (id: number): Intent => ({
  table: 'T',
  operation: 'PutItem',
  request: { text: 'ä€😀'.repeat(id % 3) },
  key: { pk: { S: String(id) } },
  old: null,
  byService: false,
});
const change = (id: number): Omit<ChangeRecord, 'sequence'> => {
  const { table, key, old, byService } = intent(id);
  return { table, key, old, new: key, byService, at: 0 };
};
const open = (path: string, options = {}): Journal =>
  openJournal(path, { notice: (message) => notices.push(message), ...options });
const READERS = new Map([['reader', 'TRIM_HORIZON']] as const);
/** All that a journal knows. */
const state = (journal: Journal) => ({
  records: journal.read(0, 1000),
  head: journal.head(),
  unfinished: [...journal.unfinished],
  position: journal.position('reader'),
});
const filesOf = (path: string): readonly string[] =>
  readdirSync(path)
    .sort()
    .map((name) => join(path, name));

/** Writes, and answers what was acknowledged: the state after each call that returned. */
function work(journal: Journal): void {
  journal.register(READERS);
  for (let id = 1; id <= 6; id += 1) {
    const begun = journal.begin(intent(id));
    if (id % 3 !== 0) journal.end(begun, id % 2 === 0 ? null : change(id));
    if (id === 4) journal.advance('reader', 1);
  }
  journal.begin(intent(7));
}

test('cut at any byte of its newest file it opens, and knows all that its whole lines say', () => {
  const original = join(directory.path, 'original');
  work(open(original));
  const newest = filesOf(original).at(-1) ?? '';
  const bytes = readFileSync(newest);
  for (const cut of offsets(bytes.length, 60)) {
    const copy = join(directory.path, 'copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(original, copy, { recursive: true });
    const file = filesOf(copy).at(-1) ?? '';
    truncateSync(file, cut);
    const whole = bytes.subarray(0, bytes.subarray(0, cut).lastIndexOf('\n') + 1);
    const clean = join(directory.path, 'clean');
    rmSync(clean, { recursive: true, force: true });
    cpSync(original, clean, { recursive: true });
    writeFileSync(filesOf(clean).at(-1) ?? '', whole);
    notices = [];
    const [cutOff, expected] = [open(copy), open(clean)];
    expect(state(cutOff), `cut at ${cut}`).toEqual(state(expected));
    expect(notices).toHaveLength(whole.length === cut ? 0 : 1);
    // And it goes on: what is written now is there the next time.
    cutOff.register(READERS);
    cutOff.end(cutOff.begin(intent(50)), change(50));
    const after = state(cutOff);
    cutOff.close();
    expected.close();
    const again = open(copy);
    expect(again.read(0, 1000).at(-1)).toMatchObject({ key: intent(50).key, sequence: after.head });
    again.close();
  }
});

describe('on a disk that is full', () => {
  /** Works until the disk is full, and as if it had not noticed goes on. */
  function fill(room: number, options: object): { acknowledged: ReturnType<typeof state>; broken: string[] } {
    const broken: string[] = [];
    const disk = fullAfter(room, options);
    let journal: Journal | null = null;
    let acknowledged = { records: [], head: 0, unfinished: [], position: 0 } as ReturnType<typeof state>;
    try {
      journal = open(directory.path, {
        calls: disk,
        segmentBytes: 600,
        onBroken: (error: Error) => broken.push(error.message),
      });
      journal.register(READERS);
      for (let id = 1; ; id += 1) {
        journal.end(journal.begin(intent(id)), change(id));
        acknowledged = state(journal);
      }
    } catch (error) {
      expect(String(error)).toContain('ENOSPC');
    }
    disk.makeRoom();
    if (journal !== null) expect(() => journal?.begin(intent(99))).toThrow('ENOSPC');
    journal?.close();
    return { acknowledged, broken };
  }

  test.each([{}, { canTruncate: false }, { atOnce: 3 }])(
    'nothing behind half a line is acknowledged, and it opens again, at any byte: %j',
    (options) => {
      for (const room of offsets(2_500, 60)) {
        rmSync(directory.path, { recursive: true, force: true });
        mkdirSync(directory.path);
        notices = [];
        const { acknowledged, broken } = fill(room, options);
        expect(broken).toHaveLength(1);
        const journal = open(directory.path);
        const found = journal.read(0, 1000);
        expect(found.slice(0, acknowledged.records.length), `room for ${room}`).toEqual(acknowledged.records);
        expect(found.length - acknowledged.records.length).toBeLessThanOrEqual(1);
        expect(journal.head()).toBe(found.length);
        journal.close();
      }
    },
  );
});

describe('damage that no kill makes', () => {
  const lines = (path: string) => readFileSync(path, 'utf8').split('\n');

  test('names file and line, and changes nothing', () => {
    const journal = open(directory.path, { segmentBytes: 250 });
    work(journal);
    journal.close();
    const files = filesOf(directory.path);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const before = readFileSync(file, 'utf8');
      for (const [index, line] of lines(file).slice(0, -1).entries()) {
        for (const damaged of [
          '',
          line.slice(0, -1),
          `${line.slice(0, 20)}${line}`,
          '{}',
          '{"kind":"odd"}',
        ]) {
          writeFileSync(file, lines(file).with(index, damaged).join('\n'));
          const text = readFileSync(file, 'utf8');
          expect(() => open(directory.path)).toThrow(`${file}: line ${index + 1} is damaged`);
          expect(readFileSync(file, 'utf8')).toBe(text);
          writeFileSync(file, before);
        }
      }
    }
    expect(filesOf(directory.path)).toEqual(files);
  });

  test('a torn end of a file that is not the newest is such damage', () => {
    const journal = open(directory.path, { segmentBytes: 250 });
    work(journal);
    journal.close();
    const [first = ''] = filesOf(directory.path);
    truncateSync(first, readFileSync(first).length - 5);
    expect(() => open(directory.path)).toThrow(`${first}: line ${lines(first).length} is damaged`);
  });

  test('without the line it goes on, and says what is missing', () => {
    const journal = open(directory.path);
    work(journal);
    journal.close();
    const file = filesOf(directory.path).at(-1) ?? '';
    const kept = lines(file).filter((line) => !line.includes('"sequence":1,'));
    writeFileSync(file, kept.join('\n'));
    const again = open(directory.path);
    again.end(again.begin(intent(9)), change(9));
    again.end(again.begin(intent(10)), change(10));
    const sequences = again.read(0, 10).map(({ sequence }) => sequence);
    expect(sequences).toEqual([2, 3, 4].slice(-sequences.length));
    expect(again.read(2, 10).map(({ sequence }) => sequence)).toEqual(
      [3, 4].slice(-again.read(2, 10).length),
    );
    again.close();
  });
});
