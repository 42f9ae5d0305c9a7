import type { ChangedProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import { foldPathCase } from '../../../shared/lib/glob/glob.ts';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { type ChangedPathEntries, classifyChange } from './protection-lookup.ts';

interface PackageManager {
  /** Files in which it writes exactly what it installs. */
  readonly locks: readonly string[];
  /** Files that say what is wanted. */
  readonly manifests: RegExp;
}

const MANAGERS: readonly PackageManager[] = [
  {
    locks: [
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'bun.lockb',
      '.pnp.cjs',
      '.pnp.loader.mjs',
    ],
    manifests: /^(?:package\.json|pnpm-workspace\.yaml)$/,
  },
  { locks: ['deno.lock'], manifests: /^(?:deno\.jsonc?|package\.json)$/ },
  {
    locks: ['poetry.lock', 'uv.lock', 'pdm.lock', 'pipfile.lock', 'pylock.toml', 'conda-lock.yml'],
    manifests:
      /^(?:pyproject\.toml|setup\.(?:py|cfg)|pipfile|requirements.*\.(?:txt|in)|environment\.ya?ml)$/,
  },
  { locks: ['go.sum', 'go.work.sum'], manifests: /^go\.(?:mod|work)$/ },
  { locks: ['cargo.lock'], manifests: /^cargo\.toml$/ },
  { locks: ['gemfile.lock'], manifests: /^gemfile$/ },
  { locks: ['composer.lock'], manifests: /^composer\.json$/ },
];

/** Keys of package.json that a lock follows from. */
const WANTS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'overrides',
  'resolutions',
  'pnpm',
  'workspaces',
  'packageManager',
];

/** Most bytes of all manifests together, in both versions. */
const MAX_BYTES = 16 * 1_048_576;

export interface LockFileChange {
  readonly side: ChangedPathEntries;
  readonly file: ChangedProtectedFile;
}

/**
 * The lock files that a patch touches. What is installed must not change unless what is wanted changes too: then the lock is put
 * back. Where both change, the lock stays, because nothing could be installed otherwise, and is named for a person to look at.
 */
export async function findLockFileChanges(
  store: GitStore,
  touched: readonly ChangedPathEntries[],
): Promise<LockFileChange[]> {
  const locks = touched.flatMap((side) => {
    const manager = MANAGERS.find((each) => each.locks.includes(nameOf(side.path)));
    return manager ? [{ side, manager }] : [];
  });
  if (locks.length === 0) return [];
  const changes: LockFileChange[] = [];
  for (const { side, manager } of locks) {
    const wanted = await findChangedManifest(store, touched, side, manager);
    const isSame = wanted === null && (await installsTheSame(store, side));
    const reason = wanted
      ? `what is installed was changed together with ${wanted}`
      : isSame
        ? 'installs the same as before'
        : 'what is installed was changed, and nothing that asks for it';
    changes.push({
      side,
      file: {
        path: side.path,
        change: classifyChange(side),
        reason,
        checked_version: wanted !== null || isSame ? 'patch' : 'base',
        kind: 'dependencies',
        allowed_by: null,
        review_reason: wanted !== null || isSame ? null : reason,
      },
    });
  }
  return changes;
}

/** Whether a lock of npm differs in the version of the project itself only, as after a release. */
async function installsTheSame(store: GitStore, { path, base, head }: ChangedPathEntries): Promise<boolean> {
  if (!base || !head || !/^(?:package-lock|npm-shrinkwrap)\.json$/.test(nameOf(path))) return false;
  const blobs = await readBlobs(store, [base.id, head.id], MAX_BYTES).catch(() => null);
  const installed = (id: string): string | null => {
    try {
      const {
        version: _,
        packages,
        ...rest
      } = JSON.parse((blobs?.get(id) ?? Buffer.alloc(0)).toString('utf8'));
      const { '': own, ...others } = packages;
      return JSON.stringify([rest, others, { ...own, version: null }]);
    } catch {
      return null;
    }
  };
  const before = installed(base.id);
  return before !== null && before === installed(head.id);
}

/** The path of a changed manifest that the lock belongs to, or null. */
async function findChangedManifest(
  store: GitStore,
  touched: readonly ChangedPathEntries[],
  lock: ChangedPathEntries,
  { manifests }: PackageManager,
): Promise<string | null> {
  for (const side of touched) {
    if (!manifests.test(nameOf(side.path)) || !areRelated(folderOf(side.path), folderOf(lock.path))) continue;
    if (nameOf(side.path) !== 'package.json' || (await hasOtherDependencies(store, side))) return side.path;
  }
  return null;
}

/** Whether package.json asks for something else than before. What cannot be read asks for nothing. */
async function hasOtherDependencies(store: GitStore, { base, head }: ChangedPathEntries): Promise<boolean> {
  const ids = [base, head].flatMap((entry) => (entry ? [entry.id] : []));
  const blobs = await readBlobs(store, ids, MAX_BYTES).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  const wants = (entry: ChangedPathEntries['base']): string => {
    try {
      const parsed = entry && JSON.parse((blobs?.get(entry.id) ?? Buffer.alloc(0)).toString('utf8'));
      return JSON.stringify(WANTS.map((key) => parsed?.[key] ?? null));
    } catch {
      return JSON.stringify(WANTS.map(() => null));
    }
  };
  return wants(base) !== wants(head);
}

const nameOf = (path: string): string => foldPathCase(path.slice(path.lastIndexOf('/') + 1));
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** One lock serves a workspace: its manifests lie in the same folder, below it, or above. */
const areRelated = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
