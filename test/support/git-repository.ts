import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commitFolder } from './commit-folder.ts';

/** A real git repository in a temporary folder. */
export interface TestRepository {
  readonly dir: string;
  readonly url: string;
  git(...args: string[]): string;
  /** Writes files (null deletes) without committing. */
  write(files: Readonly<Record<string, string | Buffer | null>>): void;
  /** Writes files and commits everything; gives the commit id. */
  commit(files: Readonly<Record<string, string | Buffer | null>>, message?: string): string;
}

const WHO = { name: 'Ada', email: 'ada@example.org' };
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: WHO.name,
  GIT_AUTHOR_EMAIL: WHO.email,
  GIT_COMMITTER_NAME: WHO.name,
  GIT_COMMITTER_EMAIL: WHO.email,
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

let prepared: { readonly dir: string; readonly config: string } | null = null;
/** An empty repository, made once for all tests of a process: to copy it takes no process of its own. */
function emptyRepository(): NonNullable<typeof prepared> {
  if (prepared === null || !existsSync(prepared.dir)) {
    const dir = createTemporaryFolder('assay-empty-');
    run(dir, ['init', '--quiet', '--template=', '--initial-branch=main']);
    mkdirSync(join(dir, '.git/hooks'));
    prepared = { dir, config: readFileSync(join(dir, '.git/config'), 'utf8') };
  }
  return prepared;
}

/** The commit that is checked out, which was made just now. */
function headOf(dir: string): string {
  const read = (name: string): string => readFileSync(join(dir, '.git', name), 'utf8').trim();
  const head = read('HEAD');
  return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
}

export function createTemporaryFolder(prefix = 'assay-test-'): string {
  return mkdtempSync(join(tmpdir(), prefix));
}

export function createTestRepository(files: Readonly<Record<string, string | Buffer>> = {}): TestRepository {
  const empty = emptyRepository();
  const dir = createTemporaryFolder('assay-repo-');
  const git = (...args: string[]): string => run(dir, args);
  const write: TestRepository['write'] = (changes) => {
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
  const commit: TestRepository['commit'] = (changes, message = 'change') => {
    write(changes);
    const made = commitFolder(dir, { config: empty.config, who: `${WHO.name} <${WHO.email}>`, message });
    if (made !== null) return made;
    git('add', '--all', '--force');
    git('commit', '--quiet', '--allow-empty', '-m', message);
    return headOf(dir);
  };
  cpSync(empty.dir, dir, { recursive: true });
  commit(files, 'base');
  return { dir, url: `file://${dir}`, git, write, commit };
}
