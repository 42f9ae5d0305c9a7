import { execFileSync } from 'node:child_process';

/** One commit of a real history, and the one that it was made on. */
export interface HistoryCommit {
  readonly id: string;
  readonly parent: string;
  readonly subject: string;
}

/** Commits that touch only these say nothing about code. */
const WORDS = /\.(md|rst|txt|adoc)$|(^|\/)(LICENSE|CHANGELOG|AUTHORS|README)[^/]*$/i;
const SEPARATOR = '\x01';

/** Answers of git on a repository whose owner may be somebody else. */
function git(dir: string, args: readonly string[]): string {
  return execFileSync('git', ['-c', 'safe.directory=*', '--git-dir', dir, ...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1_048_576,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The git folder of a checkout, or the folder itself. */
export const findGitDir = (path: string): string =>
  execFileSync('git', ['-C', path, '-c', 'safe.directory=*', 'rev-parse', '--absolute-git-dir'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** The newest commits with exactly one parent that change more than prose, newest first. */
export function listHistoryCommits(dir: string, most: number, from = 'HEAD'): HistoryCommit[] {
  const format = `--format=${SEPARATOR}%H %P%x00%s`;
  const log = git(dir, ['log', '--no-merges', '--name-only', '--no-renames', format, `-${most * 4}`, from]);
  return log
    .split(SEPARATOR)
    .slice(1)
    .flatMap((entry): HistoryCommit[] => {
      const [head = '', ...files] = entry.split('\n').filter((each) => each !== '');
      const [ids = '', subject = ''] = head.split('\0');
      const [id, parent, more] = ids.split(' ');
      if (!id || !parent || more !== undefined || files.every((file) => WORDS.test(file))) return [];
      return [{ id, parent, subject }];
    })
    .slice(0, most);
}

/** The tree of a commit. */
export const getTreeId = (dir: string, commit: string): string =>
  git(dir, ['rev-parse', `${commit}^{tree}`]).trim();
