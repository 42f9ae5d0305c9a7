import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileWriteError, NODE_FILE_SYSTEM_CALLS } from '../../../local/atomic-files.ts';
import {
  type ChangeRecord,
  openWriteAheadLog,
  type WriteAheadLog,
} from '../../../local/dynamodb/write-ahead-log/index.ts';
import {
  createSegment,
  openSegment,
  readNewestSegment,
} from '../../../local/dynamodb/write-ahead-log/segment.ts';
import { writeSnapshot } from '../../../local/dynamodb/write-ahead-log/snapshot.ts';
import { fullAfter, killedAfter, offsets } from '../support/disk.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let notices: string[];

beforeEach(() => {
  directory = temporaryDirectory();
  notices = [];
});
afterEach(() => directory.remove());

const changeOf = (id: number): Omit<ChangeRecord, 'sequence'> => {
  const key = { pk: { S: String(id) } };
  const item = { ...key, text: { S: 'ä€😀'.repeat(id % 3) } };
  return { table: 'T', key, old: null, new: item, byService: false, at: 0 };
};
const open = (path: string, options = {}): WriteAheadLog =>
  openWriteAheadLog(path, { onNotice: (message) => notices.push(message), ...options });
const READERS = new Map([['reader', 'TRIM_HORIZON']] as const);
/** All that a log knows. */
const stateOf = (log: WriteAheadLog) => ({
  changes: log.read(0, 1000),
  head: log.head(),
  position: log.position('reader'),
});
const filesOf = (path: string): readonly string[] =>
  readdirSync(path)
    .sort()
    .map((name) => join(path, name));

async function writeChanges(path: string, count = 6, options = {}): Promise<void> {
  const log = open(path, options);
  log.register(READERS);
  for (let id = 1; id <= count; id += 1) {
    log.append(changeOf(id));
    if (id === 4) log.advance('reader', 1);
  }
  await log.close();
}

/** A copy of a folder in which one file was changed. */
function copyWith(original: string, change: (copy: string) => void): string {
  const copy = join(directory.path, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(original, copy, { recursive: true });
  change(copy);
  return copy;
}

test('a record that a kill tore at any byte is cut off, and the log continues with all before it', async () => {
  const original = join(directory.path, 'original');
  await writeChanges(original);
  const [file = ''] = filesOf(original);
  const whole = readFileSync(file);
  // As it was when the record after this was begun: nothing of that one was acknowledged.
  const next = join(directory.path, 'next');
  cpSync(original, next, { recursive: true });
  const written = open(next);
  const acknowledged = stateOf(written);
  written.append(changeOf(50));
  await written.close();
  const record = readFileSync(filesOf(next)[0] ?? '').subarray(whole.length);
  for (const cut of offsets(record.length, 60)) {
    const copy = copyWith(original, (path) =>
      writeFileSync(filesOf(path)[0] ?? '', Buffer.concat([whole, record.subarray(0, cut)])),
    );
    notices = [];
    const log = open(copy);
    const isWhole = cut === record.length;
    expect(log.head(), `cut at ${cut}`).toBe(acknowledged.head + (isWhole ? 1 : 0));
    expect(log.read(0, 100).slice(0, acknowledged.changes.length)).toEqual(acknowledged.changes);
    expect(notices).toHaveLength(isWhole || cut === 0 ? 0 : 1);
    for (const notice of notices)
      expect(notice).toMatch(/line \d+ was torn when the stack was killed, and is cut off; nothing is lost/);
    log.append(changeOf(51));
    await log.close();
    const again = open(copy);
    expect(again.read(0, 1000).at(-1)).toMatchObject({ key: changeOf(51).key, sequence: again.head() });
    await again.close();
  }
});

test('a newest segment that lost acknowledged changes says so with its length, and continues', async () => {
  const original = join(directory.path, 'original');
  await writeChanges(original);
  const bytes = readFileSync(filesOf(original)[0] ?? '');
  const records = bytes.toString().split('\n').slice(0, 2).join('\n').length + 1;
  for (const cut of offsets(bytes.length - 1, 60)) {
    const copy = copyWith(original, (path) => truncateSync(filesOf(path)[0] ?? '', cut));
    const [file = ''] = filesOf(copy);
    notices = [];
    if (cut < records) {
      // Before its first record it says nothing: a kill cannot leave it so.
      expect(() => open(copy), `cut at ${cut}`).toThrow(`${file} ends at byte ${cut} of `);
      expect(readFileSync(file)).toHaveLength(cut);
      continue;
    }
    const log = open(copy);
    expect(notices[0], `cut at ${cut}`).toContain(
      `${file} ends at byte ${cut} of ${bytes.length}: the last changes were lost`,
    );
    log.register(READERS);
    log.append(changeOf(50));
    await log.close();
    const again = open(copy);
    expect(again.read(0, 1000).at(-1)).toMatchObject({ key: changeOf(50).key });
    await again.close();
  }
});

describe('on a full disk', () => {
  test('a segment holds what was acknowledged and nothing else', () => {
    const ids = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
    let round = 0;
    fc.assert(
      fc.property(ids, fc.nat({ max: 600 }), fc.integer({ min: 1, max: 7 }), (all, room, atOnce) => {
        round += 1;
        const path = join(directory.path, `${round}.log`);
        const header = { kind: 'header', next: 1, positions: {} } as const;
        createSegment(path, header, NODE_FILE_SYSTEM_CALLS).close();
        const disk = fullAfter(room, { atOnce });
        const file = openSegment(path, statSync(path).size, disk);
        const acknowledged: unknown[] = [header];
        for (const id of all) {
          const record = { kind: 'position', reader: 'ä'.repeat(id), sequence: id } as const;
          try {
            file.append(record);
            acknowledged.push(record);
          } catch (error) {
            expect(error).toBeInstanceOf(FileWriteError);
            // Room that comes back changes nothing: the next start looks what there is.
            disk.makeRoom();
          }
        }
        file.close();
        const found = readNewestSegment(path, (message) => notices.push(message));
        // The length is written behind the record: a record that is whole may be there all the same.
        expect(found.map(({ record }) => record).slice(0, acknowledged.length)).toEqual(acknowledged);
        expect(found.length - acknowledged.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('nothing is appended to half a record that could not be taken back', () => {
    const path = join(directory.path, '1.log');
    createSegment(path, { kind: 'header', next: 1, positions: {} }, NODE_FILE_SYSTEM_CALLS).close();
    const before = readFileSync(path, 'utf8');
    const disk = fullAfter(8, { canTruncate: false });
    const file = openSegment(path, before.length, disk);
    const record = { kind: 'position', reader: 'r', sequence: 1 } as const;
    expect(() => file.append(record)).toThrow(/could not be written.*ENOSPC/);
    disk.makeRoom();
    expect(() => file.append(record)).toThrow(FileWriteError);
    expect(readFileSync(path, 'utf8')).toHaveLength(before.length + 8);
    file.close();
  });

  /** Appends until the disk is full, and as if it had not noticed continues. */
  async function fill(room: number, options: object): Promise<{ acknowledged: object; broken: string[] }> {
    const broken: string[] = [];
    const disk = fullAfter(room, options);
    let log: WriteAheadLog | null = null;
    let acknowledged: ReturnType<typeof stateOf> = { changes: [], head: 0, position: 0 };
    try {
      log = open(directory.path, {
        calls: disk,
        segmentBytes: 600,
        onBroken: (error: Error) => broken.push(error.message),
      });
      log.register(READERS);
      for (let id = 1; ; id += 1) {
        log.append(changeOf(id));
        acknowledged = stateOf(log);
      }
    } catch (error) {
      expect(String(error)).toContain('ENOSPC');
    }
    disk.makeRoom();
    if (log !== null) {
      expect(() => log.append(changeOf(99))).toThrow('ENOSPC');
      expect(() => log.assertWritable()).toThrow('ENOSPC');
    }
    await log?.close();
    return { acknowledged, broken };
  }

  test.each([{}, { canTruncate: false }, { atOnce: 3 }])(
    'nothing behind half a record is acknowledged, and it opens again, at any byte: %j',
    async (options) => {
      for (const room of offsets(2_500, 60)) {
        rmSync(directory.path, { recursive: true, force: true });
        mkdirSync(directory.path);
        const { acknowledged, broken } = await fill(room, options);
        const { changes } = acknowledged as ReturnType<typeof stateOf>;
        expect(broken).toHaveLength(1);
        const log = open(directory.path);
        const found = log.read(0, 1000);
        expect(found.slice(0, changes.length), `room for ${room}`).toEqual(changes);
        expect(found.length - changes.length).toBeLessThanOrEqual(1);
        expect(log.head()).toBe(found.length);
        await log.close();
      }
    },
  );
});

describe('a kill during a snapshot', () => {
  const request = (path: string, previous: number | null, serial: number) => ({
    directory: path,
    previous,
    serial,
  });
  const itemsOf = (log: WriteAheadLog) =>
    Object.fromEntries([...log.takeItems()].map(([table, items]) => [table, items]));

  /** A log of several segments, that no reader holds back. */
  async function original(): Promise<{ path: string; items: unknown; newest: number }> {
    const path = join(directory.path, 'original');
    const log = open(path, { segmentBytes: 1e9 });
    await log.close();
    for (let id = 1; id <= 12; id += 1) {
      // Each start finds the last segment full; the snapshot of one that ends at once is never written.
      const next = open(path, { segmentBytes: 1 });
      next.append(changeOf(id % 5));
      await next.close();
    }
    const all = open(path, { segmentBytes: 1e9 });
    const items = itemsOf(all);
    await all.close();
    return { path, items, newest: Number.parseInt(readdirSync(path).sort().at(-1) ?? '', 10) };
  }

  test('leaves the log as it was, at any byte of the snapshot', async () => {
    const { path, items, newest } = await original();
    const whole = killedAfter(Number.POSITIVE_INFINITY);
    copyWith(path, (copy) => writeSnapshot(request(copy, null, newest), whole));
    for (const room of offsets(whole.written() - 1, 30)) {
      const copy = copyWith(path, (folder) => {
        const disk = killedAfter(room);
        expect(() => writeSnapshot(request(folder, null, newest), disk)).toThrow('ENOSPC');
        // A kill leaves the partial file, which a failed write removes.
        writeFileSync(join(folder, '000000009.snapshot.partial'), 'x'.repeat(room));
      });
      const log = open(copy);
      expect(itemsOf(log), `killed at ${room}`).toEqual(items);
      expect(log.head()).toBe(12);
      expect(readdirSync(copy).filter((name) => /snapshot/.test(name))).toEqual([]);
      await log.close();
    }
    expect(notices).toEqual([]);
  });

  test('leaves files that the next start removes, wherever it comes while the old ones are removed', async () => {
    const { path, items, newest } = await original();
    const first = join(directory.path, 'first');
    cpSync(path, first, { recursive: true });
    writeSnapshot(request(first, null, 5));
    for (let removed = 0; removed < 4; removed += 1) {
      const copy = copyWith(first, (folder) => {
        writeSnapshot(request(folder, 5, newest));
        // In the order in which they are removed: the snapshot before, then the segments.
        const names = readdirSync(folder).sort();
        const replaced = [
          ...names.filter((name) => name.endsWith('5.snapshot')),
          ...names.filter((name) => name.endsWith('.log')),
        ];
        for (const name of replaced.slice(0, removed)) rmSync(join(folder, name));
      });
      const log = open(copy);
      expect(itemsOf(log), `${removed} removed`).toEqual(items);
      expect(log.head()).toBe(12);
      await log.close();
      expect(
        readdirSync(copy)
          .sort()
          .map((name) => Number.parseInt(name, 10)),
      ).toEqual([newest, newest]);
    }
    expect(notices).toEqual([]);
  });
});

describe('damage that no kill makes', () => {
  const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n');

  test('names file and line, and changes nothing', async () => {
    await writeChanges(directory.path, 6, { segmentBytes: 400 });
    writeSnapshot({ directory: directory.path, previous: null, serial: 2 });
    const files = filesOf(directory.path).filter((file) => !file.endsWith('1.log'));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const before = readFileSync(file, 'utf8');
      for (const [index, line] of linesOf(file).slice(0, -1).entries()) {
        if (index === 0 && file.endsWith('.log')) continue;
        for (const damaged of [
          '',
          line.slice(0, -1),
          `${line.slice(0, 20)}${line}`,
          '{}',
          `0${line.slice(1)}x`,
        ]) {
          const bytes = linesOf(file).with(index, damaged).join('\n');
          // As long as before, so that it is not the length that tells.
          writeFileSync(file, `${bytes}${' '.repeat(Math.max(0, before.length - bytes.length))}`);
          const text = readFileSync(file, 'utf8');
          expect(() => open(directory.path)).toThrow(`${file}: line ${index + 1} is damaged`);
          expect(readFileSync(file, 'utf8')).toBe(text);
          writeFileSync(file, before);
        }
      }
    }
  });

  test('a short end of a snapshot, or of a segment that is not the newest, names file and byte', async () => {
    await writeChanges(directory.path, 6, { segmentBytes: 400 });
    writeSnapshot({ directory: directory.path, previous: null, serial: 2 });
    const [, snapshot = '', segment = ''] = filesOf(directory.path).toSorted((a, b) => a.localeCompare(b));
    for (const file of [snapshot, segment]) {
      const whole = readFileSync(file);
      for (const cut of offsets(whole.length - 1, 40)) {
        truncateSync(file, cut);
        expect(() => open(directory.path), `cut at ${cut}`).toThrow(`${file} ends at byte ${cut}`);
        writeFileSync(file, whole);
      }
    }
  });

  test('a file that is missing is named', async () => {
    await writeChanges(directory.path, 9, { segmentBytes: 400 });
    writeSnapshot({ directory: directory.path, previous: null, serial: 2 });
    const [first = '', ...others] = filesOf(directory.path);
    // The snapshot has all that is in the first segment.
    rmSync(first);
    await open(directory.path).close();
    const missing = others.filter((file) => file.endsWith('.log')).slice(0, -1);
    expect(missing.length).toBeGreaterThan(1);
    for (const file of missing) {
      const whole = readFileSync(file);
      rmSync(file);
      expect(() => open(directory.path)).toThrow(`${file} is missing`);
      writeFileSync(file, whole);
    }
    const snapshot = others.find((file) => file.endsWith('.snapshot')) ?? '';
    rmSync(snapshot);
    expect(() => open(directory.path)).toThrow(`${first} is missing`);
  });

  test('without the damaged line it continues, and says how many changes are missing', async () => {
    await writeChanges(directory.path);
    const [file = ''] = filesOf(directory.path);
    writeFileSync(
      file,
      linesOf(file)
        .filter((line) => !/"sequence":2\b/.test(line))
        .join('\n'),
    );
    const log = open(directory.path);
    expect(notices).toEqual([
      expect.stringContaining('the last changes were lost'),
      `${file}: 1 changes before it are missing`,
    ]);
    log.append(changeOf(9));
    expect(log.read(0, 10).map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6, 7]);
    expect(log.read(4, 10).map(({ sequence }) => sequence)).toEqual([5, 6, 7]);
    await log.close();
  });
});
