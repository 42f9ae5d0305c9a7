import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileWriteError, writeFileAtomically } from '../../local/atomic-files.ts';
import { fullAfter } from './support/disk.ts';
import { temporaryDirectory } from './support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'file');
});
afterEach(() => directory.remove());

test.each([0, 1, 4, 5, 8])('a file keeps its old content when only %d bytes of the new one fit', (room) => {
  writeFileAtomically(path, 'old');
  expect(() => writeFileAtomically(path, 'brand new', { calls: fullAfter(room) })).toThrow(FileWriteError);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(directory.path)).toEqual(['file']);
  writeFileAtomically(path, 'brand new', { calls: fullAfter(9), sync: true });
  expect(readFileSync(path, 'utf8')).toBe('brand new');
});

test('a partial file that a kill left is replaced, and its permissions are not taken over', () => {
  writeFileSync(`${path}.partial`, 'half', { mode: 0o444 });
  writeFileAtomically(path, 'whole', { mode: 0o600 });
  expect(readFileSync(path, 'utf8')).toBe('whole');
});
