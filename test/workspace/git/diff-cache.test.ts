import { describe, expect, it } from 'vitest';
import { createDiffCache } from '../../../workspace/git/diff-cache.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';

const ID = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

function createCounter() {
  const store: GitStore = { dir: '/nowhere', format: 'sha1' };
  const compared = createDiffCache<number>();
  let runs = 0;
  const compare = (base: string, tree: string): Promise<number> =>
    compared(store, base, tree, async () => ++runs);
  return { compare, compared, store };
}

describe('the cache of comparisons', () => {
  it('compares two ids once', async () => {
    const { compare } = createCounter();
    expect(await Promise.all([compare(ID, OTHER), compare(ID, OTHER)])).toEqual([1, 1]);
    expect(await compare(OTHER, ID)).toBe(2);
  });

  it('compares names anew, because they move', async () => {
    const { compare } = createCounter();
    await compare('main', ID);
    expect(await compare('main', ID)).toBe(2);
  });

  it('compares again after a failure', async () => {
    const { compare, compared, store } = createCounter();
    const failing = compared(store, ID, OTHER, async () => Promise.reject(new Error('no memory')));
    await expect(failing).rejects.toThrow('no memory');
    expect(await compare(ID, OTHER)).toBe(1);
  });
});
