import { join } from 'node:path';
import { type FileChange, listFileChanges } from './file-changes.ts';
import type { GitStore } from './git-store.ts';
import { decodePath, encodePath } from './path-encoding.ts';
import { readBlobs } from './read-blobs.ts';
import { buildUserGitEnvironment } from './repository-layout.ts';
import { type GitResult, runGit } from './run-git.ts';
import { readBlobSizes } from './stream-blobs.ts';

/** Something in a working tree that its tree object does not hold, or not as it will be delivered. */
export interface UndeliverablePath {
  readonly path: string;
  /** Follows the path in a sentence. */
  readonly reason: string;
}

/** Most that are named. */
export const MAX_LISTED_UNDELIVERABLE_PATHS = 50;

export interface UndeliverablePathOptions {
  readonly ask: (args: readonly string[]) => Promise<GitResult>;
  readonly must: (...args: readonly string[]) => Promise<Buffer>;
  readonly store: GitStore;
  readonly base: string;
  readonly tree: string;
  readonly workTreeRoot: string;
}

const SUBMODULE = '160000';
/** Largest pointer of Git LFS, and how it begins. */
const MAX_POINTER_BYTES = 1_024;
const POINTER = 'version https://git-lfs.github.com/spec/';

/** Lists nested repositories, submodules with edits of their own, and raw content at paths that Git LFS keeps. */
export async function findUndeliverablePaths(
  options: UndeliverablePathOptions,
): Promise<UndeliverablePath[]> {
  const changes = await listFileChanges(options.store, options.base, options.tree);
  const found = [
    ...(await findRepositories(options, changes)),
    ...(await findRawLfsContent(options, changes)),
  ];
  return found.slice(0, MAX_LISTED_UNDELIVERABLE_PATHS);
}

async function findRepositories(
  { must, tree, workTreeRoot }: UndeliverablePathOptions,
  changes: readonly FileChange[],
): Promise<UndeliverablePath[]> {
  const staged = (await must('ls-files', '--stage', '-z')).toString('latin1').split('\0');
  const links = staged.flatMap((line) =>
    line.startsWith(SUBMODULE) ? [decodePath(Buffer.from(line.slice(line.indexOf('\t') + 1), 'latin1'))] : [],
  );
  if (links.length === 0) return [];
  const configured = await must(
    'config',
    '--blob',
    `${tree}:.gitmodules`,
    '--get-regexp',
    String.raw`\.path$`,
  ).catch(() => Buffer.alloc(0));
  const submodules = new Set(
    configured
      .toString('utf8')
      .split('\n')
      .map((line) => line.slice(line.indexOf(' ') + 1)),
  );
  const changed = new Set(changes.map(({ path }) => path));
  const found: UndeliverablePath[] = [];
  for (const path of links) {
    if (!submodules.has(path)) {
      if (changed.has(path)) found.push({ path, reason: 'is a repository of its own, and no submodule' });
      continue;
    }
    const folder = join(workTreeRoot, path);
    const top = await runGit(['-C', folder, 'rev-parse', '--show-prefix'], {
      env: buildUserGitEnvironment(),
    }).catch(() => null);
    // A submodule that is not checked out answers for the repository around it.
    if (top?.code !== 0 || top.stdout.toString('utf8').trim() !== '') continue;
    const status = await runGit(['-C', folder, '-c', 'core.fsmonitor=false', 'status', '--porcelain'], {
      env: { ...buildUserGitEnvironment(), GIT_OPTIONAL_LOCKS: '0' },
    });
    if (status.code !== 0 || status.stdout.length > 0)
      found.push({ path, reason: 'is a submodule with edits that are not committed in it' });
  }
  return found;
}

/** Where Git LFS is not installed, git adds a file itself instead of a pointer to it. */
async function findRawLfsContent(
  { store, workTreeRoot }: UndeliverablePathOptions,
  allChanges: readonly FileChange[],
): Promise<UndeliverablePath[]> {
  const changes = allChanges.filter(({ headEntry }) => headEntry !== null && headEntry.mode !== SUBMODULE);
  if (changes.length === 0) return [];
  const asked = await runGit(['-C', workTreeRoot, 'check-attr', '--stdin', '-z', 'filter'], {
    env: buildUserGitEnvironment(),
    input: Buffer.concat(changes.map(({ path }) => Buffer.concat([encodePath(path), Buffer.from([0])]))),
  });
  const fields = asked.stdout.toString('latin1').split('\0');
  const kept = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3)
    if (fields[at + 2] === 'lfs') kept.add(decodePath(Buffer.from(fields[at] ?? '', 'latin1')));
  const files = changes.filter(({ path }) => kept.has(path));
  if (files.length === 0) return [];
  const ids = files.flatMap(({ headEntry }) => headEntry?.id ?? []);
  const sizes = await readBlobSizes(store, ids);
  const small = ids.filter((id) => (sizes.get(id) ?? 0) <= MAX_POINTER_BYTES);
  const texts = await readBlobs(store, small);
  return files.flatMap(({ path, headEntry }) => {
    const text = texts.get(headEntry?.id ?? '')?.toString('utf8') ?? '';
    return text.startsWith(POINTER)
      ? []
      : [{ path, reason: 'holds its content itself at a path that Git LFS keeps' }];
  });
}
