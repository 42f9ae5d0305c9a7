import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  // A process less for each commit.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};
const run = (cwd: string, args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd,
    env: ENVIRONMENT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

let prepared: string | null = null;
/** An empty repository, made once for all tests of a process: to copy it takes no process of its own. */
function emptyRepository(): string {
  if (prepared === null || !existsSync(prepared)) {
    prepared = temporaryFolder('assay-empty-');
    run(prepared, ['init', '--quiet', '--template=', '--initial-branch=main']);
    mkdirSync(join(prepared, '.git/hooks'));
  }
  return prepared;
}

/** The commit that is checked out, which was made just now. */
function headOf(dir: string): string {
  const read = (name: string): string => readFileSync(join(dir, '.git', name), 'utf8').trim();
  const head = read('HEAD');
  return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
}

export function temporaryFolder(prefix = 'assay-test-'): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

export function makeRepository(files: Readonly<Record<string, string | Buffer>> = {}): Repository {
  const dir = temporaryFolder('assay-repo-');
  const git = (...args: string[]): string => run(dir, args);
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
    return headOf(dir);
  };
  cpSync(emptyRepository(), dir, { recursive: true });
  commit(files, 'base');
  return { dir, url: `file://${dir}`, git, write, commit };
}
