import { type CommitFields, commitObject } from '../../shared/contract/repository/commit.ts';
import { line, mustInStore, type Store } from './store.ts';

/**
 * Makes a commit whose id depends on nothing but the fields. Not by `git commit-tree`, which changes some messages: one with a code point
 * that is no character it takes for Latin-1.
 */
export const commitTree = async (store: Store, fields: CommitFields): Promise<string> =>
  line(
    await mustInStore(store, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      input: commitObject(fields),
    }),
  );
