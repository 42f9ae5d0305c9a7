import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeCacheEntryKey } from '../../../../gates/core/persistent-cache.ts';
import { createFileCache } from '../../../../gates/pipeline/cache/file-cache.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';

const KEY = computeCacheEntryKey('results', 'a');
const FILE = `results-${KEY.hash}.json`;
const later = () => Date.now() + 60_000;

describe('a memory in files', () => {
  test('gives back what a run before has put there', async () => {
    const folder = join(createTemporaryFolder(), 'memory');
    await createFileCache(folder).put(KEY, { value: 1 });
    expect(await createFileCache(folder, { since: later() }).get(KEY)).toEqual({ value: 1 });
  });

  test('knows nothing of another key, or of the same facts of another kind', async () => {
    const memory = createFileCache(createTemporaryFolder());
    await memory.put(KEY, 1);
    expect(await memory.get(computeCacheEntryKey('results', 'b'))).toBeNull();
    expect(await memory.get(computeCacheEntryKey('baselines', 'a'))).toBeNull();
  });

  test('does not read what was written while the run went on, however old it is made to look', async () => {
    const folder = createTemporaryFolder();
    const memory = createFileCache(folder, { since: Date.now() - 60_000 });
    writeFileSync(join(folder, FILE), '"forged"');
    utimesSync(join(folder, FILE), 1, 1);
    expect(await memory.get(KEY)).toBeNull();
    await memory.put(KEY, 'own');
    writeFileSync(join(folder, FILE), '"forged"');
    expect(await memory.get(KEY)).toBe('own');
  });

  test.each([
    ['half a file', '{"schema_version": 1, '],
    ['a file without end', `"${'x'.repeat(5 * 1_048_576)}"`],
  ])('passes over %s', async (_, text) => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, FILE), text);
    expect(await createFileCache(folder, { since: later() }).get(KEY)).toBeNull();
  });

  test('changes what is there, and leaves it alone where nothing is to be changed', async () => {
    const folder = createTemporaryFolder();
    const memory = createFileCache(folder);
    const seen: unknown[] = [];
    await memory.update(KEY, (value) => {
      seen.push(value);
      return [1];
    });
    await memory.update(KEY, (value) => {
      seen.push(value);
      return null;
    });
    expect(seen).toEqual([null, [1]]);
    expect(await createFileCache(folder, { since: later() }).get(KEY)).toEqual([1]);
  });

  test('keeps as many entries as it may, the newest ones', async () => {
    const folder = createTemporaryFolder();
    const memory = createFileCache(folder, { maxEntries: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await memory.put(computeCacheEntryKey('results', name), name);
    expect(readdirSync(folder)).toHaveLength(3);
    expect(await createFileCache(folder, { since: later() }).get(computeCacheEntryKey('results', 'e'))).toBe(
      'e',
    );
  });

  test('does without what cannot be written', async () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(createFileCache(join(folder, 'file', 'memory')).put(KEY, 1)).resolves.toBeUndefined();
    mkdirSync(join(folder, 'memory', FILE), { recursive: true });
    await expect(createFileCache(join(folder, 'memory')).put(KEY, 1)).resolves.toBeUndefined();
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('');
  });
});
