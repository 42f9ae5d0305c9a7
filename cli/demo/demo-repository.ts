import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEMO_BRANCHES } from './demo-branches.ts';

/** Environment of git that ignores the user's configuration: hooks, signing, names. */
const GIT_ENV = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Demo',
  GIT_AUTHOR_EMAIL: 'demo@example.com',
  GIT_COMMITTER_NAME: 'Demo',
  GIT_COMMITTER_EMAIL: 'demo@example.com',
};

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env: GIT_ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

export interface DemoRepository {
  /** The bare repository: the remote of the demo. */
  readonly folder: string;
  readonly url: string;
}

/** Creates the bare repository with its branches in `folder`. */
export function createDemoRepository(folder: string): DemoRepository {
  const work = `${folder}.work`;
  git(dirname(folder), 'init', '--quiet', '--bare', '--initial-branch=main', folder);
  git(dirname(folder), 'init', '--quiet', '--initial-branch=main', work);
  for (const { name, from, message, files } of DEMO_BRANCHES) {
    if (from === null) git(work, 'checkout', '--quiet', '--orphan', name);
    else git(work, 'checkout', '--quiet', '-B', name, from);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    }
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '--message', message);
  }
  git(work, 'push', '--quiet', folder, '--all');
  rmSync(work, { recursive: true, force: true });
  return { folder, url: pathToFileURL(folder).href };
}

/** Lists each delivered branch as `<hash> <branch> <subject>`. */
export const listDeliveredBranches = ({ folder }: DemoRepository): string[] =>
  git(
    folder,
    'for-each-ref',
    '--format=%(objectname:short) %(refname:short) %(contents:subject)',
    'refs/heads/assay/',
  )
    .split('\n')
    .filter((line) => line !== '');
