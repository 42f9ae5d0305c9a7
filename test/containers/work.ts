import { createTestRepository } from '../support/git-repository.ts';

/** A repository with a base and a piece of work on it, as an agent would hand it in. */
export function work(files: Record<string, string>, change: Record<string, string | null>) {
  const repository = createTestRepository(files);
  const base_commit = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '--detach');
  repository.commit(change);
  return {
    repository,
    base_commit,
    tree: repository.git('rev-parse', 'HEAD^{tree}'),
    patch: Buffer.from(`${repository.git('diff', '--binary', '--full-index', 'main', 'HEAD')}\n`),
  };
}
export type Work = ReturnType<typeof work>;
