import { line, mustInStore, type Store } from './store.ts';

export interface CommitOptions {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
  /** `Name <address>`. */
  readonly author: string;
  /** ISO 8601; author and committer date, so that the same work gives the same commit id each time. */
  readonly at: string;
}

/** Makes a commit whose id depends on nothing but the options. */
export async function commitTree(store: Store, options: CommitOptions): Promise<string> {
  const match = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(options.author);
  const name = match?.[1] || options.author.replace(/[<>\n]/g, '').trim() || 'assay';
  const email = match?.[2] ?? '';
  const date = `${Math.floor(Date.parse(options.at) / 1000)} +0000`;
  const commit = await mustInStore(store, ['commit-tree', options.tree, '-p', options.parent, '-F', '-'], {
    input: options.message,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return line(commit);
}
