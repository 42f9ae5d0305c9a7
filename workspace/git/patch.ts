import { copyFile, mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_PATCH_BYTES } from '../../shared/contract/names.ts';
import { evict } from '../process/evict.ts';
import type { RunAs } from '../process/run-as.ts';
import { CheckoutError } from './error.ts';
import { complaint } from './git.ts';
import { handOver } from './hand-over.ts';
import { inStore, line, type Store, type StoreCall } from './store.ts';
import { splitRaw } from './submodules.ts';

export interface Snapshot {
  readonly tree: string;
  readonly patch: Buffer;
}

export interface SnapshotOptions {
  readonly base: string;
  readonly workTree: string;
  /** The index that the work tree was made with; it saves reading unchanged files again. */
  readonly index: string;
  /** A folder to be made for what git writes meanwhile. */
  readonly dir: string;
  /** Who has left the work tree, and runs no more; null: we ourselves. */
  readonly runAs: RunAs | null;
}

/** How git writes patches here: whole, whatever the user's or the repository's settings say. */
export const PATCH_FORMAT = [
  '--binary',
  '--full-index',
  '--find-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--src-prefix=a/',
  '--dst-prefix=b/',
] as const;

/**
 * Everything that differs between a work tree and its base: untracked files that are not ignored, deletions, renames,
 * modes, binaries.
 *
 * git looks at what untrusted code has left, also into the repositories of submodules, whose settings can name programs. So it runs
 * as who has left it, with an object folder and an index of that user's, and only reads our store; it could do nothing here that this
 * user could not do anyway. Nothing that it wrote is read by us or comes into the store: tree and patch are what the user hands in, and
 * whoever judges them makes the tree anew from base and patch.
 * @throws CheckoutError `patch_too_large` over MAX_PATCH_BYTES; `agent_failed` when something was left that git cannot take.
 */
export async function snapshot(store: Store, options: SnapshotOptions): Promise<Snapshot> {
  const { dir, runAs } = options;
  await mkdir(dir, { mode: 0o700 });
  await Promise.all([mkdir(join(dir, 'objects')), copyIndex(options.index, join(dir, 'index'))]);
  if (runAs) await handOver(runAs, [dir]);
  try {
    return await take(store, options);
  } finally {
    // A program that a submodule's settings name may have left something behind.
    if (runAs) await evict(runAs);
  }
}

/**
 * A copy that is as old as its original. git takes a file for unchanged whose size and second are what the index says, unless the index is
 * as young as the file: a younger copy would lose what was changed within the second of the checkout.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const { atime, mtime } = await stat(from);
  await utimes(to, atime, mtime);
}

/** `git add` goes by a folder that it cannot look into, says so, and ends well: work would be missing that nobody has taken away. */
const UNSEEN = /^warning: (could not open directory .*)$/m;

async function take(store: Store, { base, workTree, dir, runAs }: SnapshotOptions): Promise<Snapshot> {
  const call: StoreCall = {
    index: join(dir, 'index'),
    objects: join(dir, 'objects'),
    runAs,
    timeoutMs: 600_000,
  };
  const added = await inStore(store, ['add', '--all', '--', '.'], { ...call, workTree });
  if (added.code !== 0)
    throw new CheckoutError('agent_failed', `what was left cannot be taken: ${complaint(added)}`);
  const unseen = UNSEEN.exec(added.stderr)?.[1];
  if (unseen !== undefined)
    throw new CheckoutError('agent_failed', `what was left cannot be taken: ${unseen.slice(0, 300)}`);
  const [written, diff] = await Promise.all([
    inStore(store, ['write-tree'], call),
    inStore(store, ['diff-index', '--cached', '--patch-with-raw', ...PATCH_FORMAT, base], {
      ...call,
      outputBytes: MAX_PATCH_BYTES,
    }),
  ]);
  if (diff.stopped === 'output_limit')
    throw new CheckoutError('patch_too_large', `the patch is over ${MAX_PATCH_BYTES} bytes`);
  for (const result of [written, diff])
    if (result.code !== 0)
      throw new CheckoutError('agent_failed', `what was left cannot be taken: ${complaint(result)}`);
  const { patch, submodule } = splitRaw(diff.stdout);
  if (submodule !== null)
    throw new CheckoutError(
      'agent_failed',
      submodule.isNew
        ? `${submodule.path} is a git repository of its own; its files cannot be handed in`
        : `${submodule.path} is a submodule; which commit of it is used cannot be changed here`,
    );
  const tree = line(written.stdout);
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(tree))
    throw new CheckoutError('agent_failed', 'what was left cannot be taken: git names no tree');
  return { tree, patch };
}
