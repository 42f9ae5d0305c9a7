import { describe, expect, test } from 'vitest';
import { createBaseFileReader } from '../../gates/core/base-file-reader.ts';
import { createPatchFixture } from '../support/patch-fixture.ts';

describe('files of the base', () => {
  const read = async (files: Parameters<typeof createPatchFixture>[0]) => {
    const { store, base } = await createPatchFixture(files, { 'new.txt': 'new\n' });
    return createBaseFileReader(store, base);
  };

  test.each([
    ['package.json', '{}\n'],
    ['app/web/package.json', '{"a":1}\n'],
    ['a file.txt', 'space\n'],
    ['missing.json', null],
    ['missing/package.json', null],
    ['app', null],
    ['app/web', null],
    ['package.json/inner', null],
    ['new.txt', null],
    ['app/../package.json', null],
    ['/package.json', null],
    ['', null],
  ])('%j is read as %j', async (path, text) => {
    const files = await read({
      'package.json': '{}\n',
      'app/web/package.json': '{"a":1}\n',
      'a file.txt': 'space\n',
    });
    expect(await files(path)).toBe(text);
    expect(await files(path)).toBe(text);
  });

  test('a file that is larger than any configuration is refused, each time', async () => {
    const files = await read({ 'package.json': 'x'.repeat(2 * 1_048_576) });
    await expect(files('package.json')).rejects.toThrow('too large');
    await expect(files('package.json')).rejects.toThrow('too large');
  });
});
