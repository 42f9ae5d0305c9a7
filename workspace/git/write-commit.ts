import { type CommitFields, encodeCommit } from '../../shared/contract/repository/git-commit.ts';
import { type GitStore, readSingleLine, runGitInStoreOrThrow } from './git-store.ts';

/**
 * Makes a commit whose id depends on nothing but the fields. Not by `git commit-tree`, which changes some messages: one with a code point
 * that is no character it takes for Latin-1.
 */
export const writeCommit = async (store: GitStore, fields: CommitFields): Promise<string> =>
  readSingleLine(
    await runGitInStoreOrThrow(store, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      input: encodeCommit(fields),
    }),
  );
