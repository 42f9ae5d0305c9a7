import { copyFile, mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_PATCH_BYTES } from '../../shared/contract/resource-names.ts';
import { killUserProcesses } from '../process/kill-user-processes.ts';
import type { ProcessUser } from '../process/process-user.ts';
import { changeOwner } from './change-owner.ts';
import { CheckoutError } from './checkout-error.ts';
import { type GitStore, type GitStoreCallOptions, readSingleLine, runGitInStore } from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

const SUBMODULE = '160000';
const NEWLINE = 0x0a;

interface ChangedSubmodule {
  /** As git shows it, quoted where it is odd. */
  readonly path: string;
  /** The base has none there. */
  readonly isNew: boolean;
}

/**
 * Takes the output of `git diff-index --patch-with-raw` apart: a line for each change, an empty line, and the patch.
 * @returns the patch, and the first submodule that was added, removed or moved to another commit.
 */
function splitRawPatch(output: Buffer): {
  readonly patch: Buffer;
  readonly submodule: ChangedSubmodule | null;
} {
  let submodule: ChangedSubmodule | null = null;
  let at = 0;
  while (output[at] === 0x3a) {
    const end = output.indexOf(NEWLINE, at);
    const stop = end < 0 ? output.length : end;
    const [facts = '', ...paths] = output.toString('utf8', at + 1, stop).split('\t');
    const [before, after] = facts.split(' ');
    if (before === SUBMODULE || after === SUBMODULE)
      submodule ??= { path: paths.at(-1) ?? '', isNew: before !== SUBMODULE };
    at = stop + 1;
  }
  if (at > 0 && output[at] === NEWLINE) at++;
  return { patch: output.subarray(Math.min(at, output.length)), submodule };
}

/** The agent is told what to do about it, and tries again; it is no failure of its model. */
const undeliverable = (reason: string): CheckoutError => new CheckoutError('work_not_deliverable', reason);

export interface WorkTreeSnapshot {
  readonly tree: string;
  readonly patch: Buffer;
}

export interface WorkTreeSnapshotOptions {
  readonly base: string;
  readonly workTree: string;
  /** The index that the work tree was made with; it saves reading unchanged files again. */
  readonly index: string;
  /** A folder to be made for what git writes meanwhile. */
  readonly scratchFolder: string;
  /** Who has left the work tree, and runs no more; null: we ourselves. */
  readonly runAs: ProcessUser | null;
}

/** How git writes patches here: whole, whatever the user's or the repository's settings say. */
export const PATCH_FORMAT_ARGUMENTS = [
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
 * @throws CheckoutError `patch_too_large` over MAX_PATCH_BYTES; `work_not_deliverable` when something was left that no patch can hold.
 */
export async function takeWorkTreeSnapshot(
  store: GitStore,
  options: WorkTreeSnapshotOptions,
): Promise<WorkTreeSnapshot> {
  const { scratchFolder, runAs } = options;
  await mkdir(scratchFolder, { mode: 0o700 });
  await Promise.all([
    mkdir(join(scratchFolder, 'objects')),
    copyIndex(options.index, join(scratchFolder, 'index')),
  ]);
  if (runAs) await changeOwner(runAs, [scratchFolder]);
  try {
    return await take(store, options);
  } finally {
    // A program that a submodule's settings name may have left something behind.
    if (runAs) await killUserProcesses(runAs);
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

async function take(
  store: GitStore,
  { base, workTree, scratchFolder, runAs }: WorkTreeSnapshotOptions,
): Promise<WorkTreeSnapshot> {
  const call: GitStoreCallOptions = {
    indexFile: join(scratchFolder, 'index'),
    objectsFolder: join(scratchFolder, 'objects'),
    runAs,
    timeoutMs: 600_000,
  };
  const added = await runGitInStore(store, ['add', '--all', '--', '.'], { ...call, workTree });
  if (added.code !== 0) throw undeliverable(`what was left cannot be taken: ${gitErrorMessage(added)}`);
  const unseen = UNSEEN.exec(added.stderr)?.[1];
  if (unseen !== undefined) throw undeliverable(`what was left cannot be taken: ${unseen.slice(0, 300)}`);
  const [written, diff, inSubmodules] = await Promise.all([
    runGitInStore(store, ['write-tree'], call),
    runGitInStore(store, ['diff-index', '--cached', '--patch-with-raw', ...PATCH_FORMAT_ARGUMENTS, base], {
      ...call,
      maxOutputBytes: MAX_PATCH_BYTES,
    }),
    // After `add`, only what lies in submodules still differs from the index.
    runGitInStore(store, ['diff-files', '--raw', '-z', '--ignore-submodules=none'], { ...call, workTree }),
  ]);
  if (diff.stopped === 'output_limit')
    throw new CheckoutError('patch_too_large', `the patch is over ${MAX_PATCH_BYTES} bytes`);
  for (const result of [written, diff])
    if (result.code !== 0) throw undeliverable(`what was left cannot be taken: ${gitErrorMessage(result)}`);
  const { patch, submodule } = splitRawPatch(diff.stdout);
  if (submodule !== null)
    throw undeliverable(
      submodule.isNew
        ? `${submodule.path} is a git repository of its own; its files cannot be handed in: remove ${submodule.path}/.git`
        : `${submodule.path} is a submodule; which commit of it is used cannot be changed here`,
    );
  // Settings that an agent has left in a submodule can make git fail there.
  if (inSubmodules.code !== 0)
    throw undeliverable(`what was left cannot be taken: ${gitErrorMessage(inSubmodules)}`);
  const edited = /^:160000 [^\0]*\0([^\0]+)/m.exec(inSubmodules.stdout.toString('utf8'))?.[1];
  if (edited !== undefined)
    throw undeliverable(`${edited} is a submodule; edits in it cannot be handed in: undo them`);
  const tree = readSingleLine(written.stdout);
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(tree))
    throw undeliverable('what was left cannot be taken: git names no tree');
  return { tree, patch };
}
