import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckoutError } from './checkout-error.ts';
import type { GitProcessPermissions } from './git-environment.ts';
import { DISCARDING_GIT_OBJECT_SINK, readObjects } from './git-object-reader.ts';
import { createGitStore, detectGitObjectFormat, type GitStore, runGitInStore } from './git-store.ts';
import { gitErrorMessage } from './run-git.ts';

export interface FetchOptions {
  readonly url: string;
  /** Branch, tag or full commit id. */
  readonly ref: string;
  readonly authorization?: string | null;
  readonly allowFile?: boolean;
  readonly timeoutMs?: number;
}

const BASE_REF = 'refs/assay/base';
const ALSO_REF = 'refs/assay/also';
const FULL_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const MISSING_REF = /couldn't find remote ref|not our ref|no such remote ref|Server does not allow request/i;

/** Makes a store in `dir` that holds exactly one commit of the repository, without its history. */
export async function fetchBaseCommit(
  dir: string,
  options: FetchOptions,
): Promise<{ readonly store: GitStore; readonly commit: string }> {
  const wanted = FULL_ID.test(options.ref) ? options.ref : null;
  let store = await createGitStore(dir, wanted ? detectGitObjectFormat(wanted) : 'sha1');
  let result = await fetchInto(store, options);
  if (result.code !== 0 && !wanted && /mismatched algorithms/.test(result.stderr)) {
    store = await createGitStore(`${dir}-sha256`, 'sha256');
    result = await fetchInto(store, options);
  }
  if (result.code !== 0) {
    if (result.stopped !== 'timed_out' && MISSING_REF.test(result.stderr))
      throw new CheckoutError('base_ref_missing', `the repository has no "${options.ref}"`);
    throw new CheckoutError('repository_unavailable', gitErrorMessage(result));
  }
  return { store, commit: await fetchedCommit(store, options.ref) };
}

/**
 * Does the same as `fetchBaseCommit` for one commit that the caller names by its full id.
 * @throws CheckoutError `base_ref_missing` also where the id is that of something else, such as an annotated tag: what is built on it
 * would be bound to a commit that nobody has named.
 */
export async function fetchCommit(
  dir: string,
  options: FetchOptions,
): Promise<{ readonly store: GitStore; readonly commit: string }> {
  const fetched = await fetchBaseCommit(dir, options);
  if (fetched.commit !== options.ref)
    throw new CheckoutError('base_ref_missing', `"${options.ref}" is not a commit`);
  return fetched;
}

/**
 * Adds the newest commit of a branch or tag to a store, without its history.
 * @returns the commit, or null when it cannot be had.
 */
export async function fetchSecondRef(store: GitStore, options: FetchOptions): Promise<string | null> {
  const result = await fetchInto(store, options, ALSO_REF);
  if (result.code !== 0) return null;
  return peelTo(store, ALSO_REF, 'commit');
}

/** The owner of a file:// repository is not always who we are; git would refuse to read it. */
export const buildFileUrlFetchArguments = (url: string): string[] =>
  url.startsWith('file:') ? ['--upload-pack=git -c safe.directory=* upload-pack'] : [];

function fetchInto(store: GitStore, options: FetchOptions, into = BASE_REF) {
  const access: GitProcessPermissions = {
    url: options.url,
    authorization: options.authorization ?? null,
    allowFile: options.allowFile ?? false,
  };
  return runGitInStore(
    store,
    [
      'fetch',
      '--quiet',
      '--depth=1',
      '--no-tags',
      ...buildFileUrlFetchArguments(options.url),
      '--',
      options.url,
      `+${options.ref}:${into}`,
    ],
    { access, timeoutMs: options.timeoutMs ?? 300_000 },
  );
}

/** A branch is a commit by definition; a tag or an object id may have to be peeled, which costs a process. */
async function fetchedCommit(store: GitStore, ref: string): Promise<string> {
  const [fetched, head] = await Promise.all([
    readFile(join(store.dir, BASE_REF), 'utf8'),
    readFile(join(store.dir, 'FETCH_HEAD'), 'utf8'),
  ]);
  if (/\tbranch '/.test(head)) return fetched.trim();
  const commit = await peelTo(store, fetched.trim(), 'commit');
  if (commit === null) throw new CheckoutError('base_ref_missing', `"${ref}" is not a commit`);
  return commit;
}

/** What a name stands for in the end, or null when that is nothing of this type. */
async function peelTo(store: GitStore, name: string, type: 'commit' | 'tree'): Promise<string | null> {
  let found: string | null = null;
  await readObjects(store, '--batch-check', [`${name}^{${type}}`], (header) => {
    if (header.type === type) found = header.id;
    return DISCARDING_GIT_OBJECT_SINK;
  });
  return found;
}

/** The tree of a commit. @throws CheckoutError */
export async function resolveTree(store: GitStore, commit: string): Promise<string> {
  const tree = await peelTo(store, commit, 'tree');
  if (tree === null) throw new CheckoutError('unknown', `git has no tree ${commit}`);
  return tree;
}
