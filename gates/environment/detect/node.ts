import { type DetectedDependencySetup, joinPathInFolder, type RepositoryFiles } from './repository-files.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

interface PackageJson {
  readonly packageManager?: unknown;
  readonly workspaces?: unknown;
}

/** Lock files by package manager; the first that exists decides, after the field `packageManager`. */
const LOCK_FILES: readonly (readonly [file: string, manager: Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Most packages outside of a workspace that are installed. */
const MAX_PACKAGES = 5;

const parsePackageJson = (text: string | null): PackageJson => {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
};

/**
 * Proposes how packages of Node are installed: at the top, and in every other folder that has a lock file of its own. Packages of a
 * workspace have none.
 */
export async function detectNodeSetup(files: RepositoryFiles): Promise<DetectedDependencySetup[]> {
  const own = files
    .foldersWith('package.json')
    .filter(
      (folder, index, all) =>
        folder === '' ||
        LOCK_FILES.some(([name]) => files.paths.includes(joinPathInFolder(folder, name))) ||
        // The only package of a repository may lie in a folder, without a lock file.
        (index === 0 && all.length === 1),
    )
    .slice(0, MAX_PACKAGES);
  return Promise.all(own.map((folder) => detectPackage(files, folder)));
}

async function detectPackage(files: RepositoryFiles, folder: string): Promise<DetectedDependencySetup> {
  const manifest = parsePackageJson(await files.read(joinPathInFolder(folder, 'package.json')));
  const lock = LOCK_FILES.find(([name]) => files.paths.includes(joinPathInFolder(folder, name)));
  const declared = /^(npm|pnpm|yarn|bun)@(\d[\w.-]*)/.exec(String(manifest.packageManager ?? ''));
  const manager = (declared?.[1] as Manager | undefined) ?? lock?.[1] ?? 'npm';
  const hasLock = lock !== undefined && lock[1] === manager;
  const isBerry =
    manager === 'yarn' &&
    (files.paths.includes(joinPathInFolder(folder, '.yarnrc.yml')) ||
      Number.parseInt(declared?.[2] ?? '1', 10) > 1 ||
      ((await files.read(joinPathInFolder(folder, 'yarn.lock'))) ?? '').includes('__metadata:'));
  const lockVersion =
    manager === 'pnpm' ? await readPnpmLockVersion(files, joinPathInFolder(folder, 'pnpm-lock.yaml')) : null;
  return {
    reason: lock === undefined ? joinPathInFolder(folder, 'package.json') : joinPathInFolder(folder, lock[0]),
    lines: [
      ...(manager === 'npm' || files.hasProgram(manager)
        ? []
        : [
            {
              run: `npm install --global ${managerPackage(manager, declared?.[2] ?? lockVersion, isBerry)}`,
              folder: '',
            },
          ]),
      { run: installLine(manager, hasLock, isBerry), folder },
    ],
  };
}

/** Returns the major version of pnpm that writes the lock file. */
async function readPnpmLockVersion(files: RepositoryFiles, path: string): Promise<string | null> {
  const version = /^lockfileVersion: '?(\d+)/m.exec((await files.read(path)) ?? '')?.[1];
  return version === '5' ? '7' : version === '6' ? '8' : null;
}

const managerPackage = (manager: Manager, version: string | null, isBerry: boolean): string =>
  // Yarn 2 and newer is published under another name.
  `${isBerry ? '@yarnpkg/cli-dist' : manager}${version === null ? '' : `@${version.replace(/\+.*$/, '')}`}`;

function installLine(manager: Manager, hasLock: boolean, isBerry: boolean): string {
  if (!hasLock) return manager === 'npm' ? 'npm install --no-package-lock' : `${manager} install`;
  if (manager === 'npm') return 'npm ci';
  return `${manager} install ${isBerry ? '--immutable' : '--frozen-lockfile'}`;
}
