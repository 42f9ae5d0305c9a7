import { MAX_PATCH_BYTES } from '../names.ts';
import { CheckoutError } from './error.ts';
import { inStore, line, mustInStore, type Store } from './store.ts';

export interface Snapshot {
  readonly tree: string;
  readonly patch: Buffer;
}

/**
 * Everything that differs between a work tree and its base: untracked files that are not ignored, deletions, renames,
 * modes, binaries.
 * @param index the index that the work tree was made with; it saves reading unchanged files again.
 * @throws CheckoutError `patch_too_large` over MAX_PATCH_BYTES.
 */
export async function snapshot(
  store: Store,
  base: string,
  workTree: string,
  index: string,
): Promise<Snapshot> {
  await mustInStore(store, ['add', '--all', '--', '.'], { index, workTree, timeoutMs: 600_000 });
  const [tree, diff] = await Promise.all([
    mustInStore(store, ['write-tree'], { index }),
    inStore(
      store,
      [
        'diff-index',
        '--cached',
        '--patch',
        '--binary',
        '--full-index',
        '--find-renames',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        base,
      ],
      { index, outputBytes: MAX_PATCH_BYTES, timeoutMs: 600_000 },
    ),
  ]);
  if (diff.stopped === 'output_limit')
    throw new CheckoutError('patch_too_large', `the patch is over ${MAX_PATCH_BYTES} bytes`);
  if (diff.code !== 0) throw new CheckoutError('unknown', `git diff-index: ${diff.stderr}`);
  return { tree: line(tree), patch: diff.stdout };
}
