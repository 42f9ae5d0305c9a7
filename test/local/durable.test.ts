import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAppendFile, NotWrittenError, writeWhole } from '../../local/durable.ts';
import { fullAfter } from './support/disk.ts';
import { temporaryDirectory } from './support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'file');
});
afterEach(() => directory.remove());

describe('a file that grows', () => {
  test('holds what was acknowledged and nothing else, wherever the disk was full', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { minLength: 1 });
    let round = 0;
    fc.assert(
      fc.property(texts, fc.nat({ max: 300 }), fc.integer({ min: 1, max: 7 }), (all, room, atOnce) => {
        round += 1;
        const disk = fullAfter(room, { atOnce });
        const file = createAppendFile(`${path}${round}`, disk);
        let acknowledged = '';
        for (const text of all) {
          try {
            file.append(text);
            acknowledged += text;
          } catch (error) {
            expect(error).toBeInstanceOf(NotWrittenError);
            // Room that comes back changes nothing: it is for a new start to see what there is.
            disk.makeRoom();
          }
        }
        file.close();
        expect(readFileSync(`${path}${round}`, 'utf8')).toBe(acknowledged);
      }),
    );
  });

  test('takes nothing more behind half a line that could not be taken back', () => {
    const disk = fullAfter(8, { canTruncate: false });
    const file = createAppendFile(path, disk);
    file.append('first\n');
    expect(() => file.append('second\n')).toThrow(/could not be written.*ENOSPC/);
    disk.makeRoom();
    expect(() => file.append('third\n')).toThrow(NotWrittenError);
    expect(readFileSync(path, 'utf8')).toBe('first\nse');
    file.close();
  });

  test('is never written over', () => {
    writeFileSync(path, 'there');
    expect(() => createAppendFile(path)).toThrow(/EEXIST/);
    expect(readFileSync(path, 'utf8')).toBe('there');
  });
});

test.each([0, 1, 4, 5, 8])('a whole file is the old one when only %d bytes of the new one fit', (room) => {
  writeWhole(path, 'old');
  expect(() => writeWhole(path, 'brand new', { calls: fullAfter(room) })).toThrow(NotWrittenError);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(directory.path)).toEqual(['file']);
  writeWhole(path, 'brand new', { calls: fullAfter(9), sync: true });
  expect(readFileSync(path, 'utf8')).toBe('brand new');
});

test('a half file that a kill has left is no hindrance, and lends the new one no permissions', () => {
  writeFileSync(`${path}.partial`, 'half', { mode: 0o444 });
  writeWhole(path, 'whole', { mode: 0o600 });
  expect(readFileSync(path, 'utf8')).toBe('whole');
});
