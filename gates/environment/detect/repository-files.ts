import type { EnvironmentCommand } from '../environment-setting.ts';

/** The files of a commit, as far as detection looks at them. */
export interface RepositoryFiles {
  readonly paths: readonly string[];
  /** Text of a file, or null. */
  read(path: string): Promise<string | null>;
  /** Folders that hold a file of that name, outermost first; vendored and test data folders are left out. */
  foldersWith(name: string): string[];
  /** Whether a program is installed on this machine. */
  hasProgram(name: string): boolean;
}

/** How the dependencies of one project are installed. */
export interface DetectedDependencySetup {
  /** The file that says so. */
  readonly reason: string;
  readonly lines: readonly EnvironmentCommand[];
  /** Lines that fill the caches of its compiler. */
  readonly warmUp?: readonly EnvironmentCommand[];
}

const NOT_THE_PROJECT =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|__fixtures__|testdata|test-data|examples?|samples?|templates?|benchmarks?)\//;

/** @param isInstalled whether a program is installed on this machine. */
export function createRepositoryFiles(
  paths: readonly string[],
  read: RepositoryFiles['read'],
  isInstalled: RepositoryFiles['hasProgram'],
): RepositoryFiles {
  return {
    paths,
    read,
    hasProgram: isInstalled,
    foldersWith: (name) =>
      paths
        .filter((path) => (path === name || path.endsWith(`/${name}`)) && !NOT_THE_PROJECT.test(path))
        .map((path) => path.slice(0, Math.max(0, path.length - name.length - 1)))
        .toSorted((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1)),
  };
}

export const joinPathInFolder = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;
