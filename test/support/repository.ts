import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real git repository in a temporary folder. */
export interface Repository {
  readonly dir: string;
  readonly url: string;
  git(...args: string[]): string;
  /** Writes files (null deletes) without committing. */
  write(files: Readonly<Record<string, string | Buffer | null>>): void;
  /** Writes files and commits everything; gives the commit id. */
  commit(files: Readonly<Record<string, string | Buffer | null>>, message?: string): string;
}

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

export function temporaryFolder(prefix = 'assay-test-'): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

export function makeRepository(files: Readonly<Record<string, string | Buffer>> = {}): Repository {
  const dir = temporaryFolder('assay-repo-');
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      env: ENVIRONMENT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write: Repository['write'] = (changes) => {
    for (const [path, content] of Object.entries(changes)) {
      const target = join(dir, path);
      if (content === null) {
        rmSync(target, { recursive: true });
        continue;
      }
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
  };
  const commit: Repository['commit'] = (changes, message = 'change') => {
    write(changes);
    git('add', '--all', '--force');
    git('commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  commit(files, 'base');
  return { dir, url: `file://${dir}`, git, write, commit };
}
