import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BRANCHES } from './content.ts';

/** The demo's own git: whatever the user's configuration says of hooks, signing or names has no part in it. */
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
  /** The bare repository, which stands for the one at a forge. */
  readonly folder: string;
  readonly url: string;
}

/** Makes the bare repository with its branches in `folder`. */
export function makeRepository(folder: string): DemoRepository {
  const work = `${folder}.work`;
  git(dirname(folder), 'init', '--quiet', '--bare', '--initial-branch=main', folder);
  git(dirname(folder), 'init', '--quiet', '--initial-branch=main', work);
  for (const { name, from, message, files } of BRANCHES) {
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

/** `<hash> <branch> <subject>` of each branch that Assay has delivered. */
export const deliveredBranches = ({ folder }: DemoRepository): string[] =>
  git(
    folder,
    'for-each-ref',
    '--format=%(objectname:short) %(refname:short) %(contents:subject)',
    'refs/heads/assay/',
  )
    .split('\n')
    .filter((line) => line !== '');
