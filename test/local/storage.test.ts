import { expect, test } from 'vitest';
import { isStorageFullError } from '../../local/storage.ts';

const withCode = (code: string): Error => Object.assign(new Error('write failed'), { code });

test.each([
  ['ENOSPC', withCode('ENOSPC'), true],
  ['EDQUOT as a cause', new Error('cannot store', { cause: withCode('EDQUOT') }), true],
  ['a text of SQLite', new Error('database or disk is full'), true],
  ['a text of a system call', new Error('EDQUOT: disk quota exceeded, write'), true],
  ["a provider's quota", new Error('429: Quota exceeded for requests per minute'), false],
])('an error says that the disk is full: %s', (_, error, isFull) => {
  expect(isStorageFullError(error)).toBe(isFull);
});
