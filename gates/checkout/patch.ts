import { MAX_PATCH_BYTES } from '../../shared/names.ts';
import { CheckoutError } from './error.ts';
import { complaint } from './git.ts';
import { inStore, line, mustInStore, type Store } from './store.ts';

export interface Snapshot {
  readonly tree: string;
  readonly patch: Buffer;
}

/**
 * Everything that differs between a work tree and its base: untracked files that are not ignored, deletions, renames,
 * modes, binaries.
 * @param index the index that the work tree was made with; it saves reading unchanged files again.
 * @throws CheckoutError `patch_too_large` over MAX_PATCH_BYTES; `agent_failed` when something was left that git cannot take.
 */
export async function snapshot(
  store: Store,
  base: string,
  workTree: string,
  index: string,
): Promise<Snapshot> {
  const added = await inStore(store, ['add', '--all', '--', '.'], { index, workTree, timeoutMs: 600_000 });
  // git would record such a folder as a submodule, without a single one of its files.
  const embedded = /adding embedded git repository: (.*)/.exec(added.stderr)?.[1];
  if (embedded !== undefined)
    throw new CheckoutError(
      'agent_failed',
      `${embedded} is a git repository of its own; its files cannot be handed in`,
    );
  if (added.code !== 0)
    throw new CheckoutError('agent_failed', `what was left cannot be taken: ${complaint(added)}`);
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
