import type { ChangedProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import { foldPathCase } from '../../../shared/lib/glob/glob.ts';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import { editTree, type GitTreeEdit, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { type FileChange, type GitTreeEntry, getPathInBase } from '../../../workspace/git/file-changes.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile } from '../../../workspace/git/list-files.ts';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { ProtectedConfigMerger } from './config-merger.ts';
import { IndirectlyProtectedFiles } from './indirect-protection.ts';
import { findLockFileChanges } from './lock-files.ts';
import { type ChangedPathEntries, classifyChange, findFileProtection } from './protection-lookup.ts';
import type { ProtectionPolicy } from './protection-policy.ts';
import type { FileProtection, FileRestoreScope } from './protection-rule.ts';

/** Most bytes of all partly protected files together, in both versions. */
const MAX_BYTES = 16 * 1_048_576;

export interface TreesWithRestoredFiles {
  /** The tree that commands run on: the patch, with what steers the checks as the base has it. */
  readonly gateTree: string;
  /** The same with the patch's own lock files: what would be installed once the patch is in. */
  readonly deliveredTree: string;
  readonly protectedFiles: readonly ChangedProtectedFile[];
}

/** Loaded only when there is something to take apart: most patches touch nothing of this. */
const MERGES: Record<Exclude<FileRestoreScope, 'whole'>, () => Promise<ProtectedConfigMerger>> = {
  package_json: async () => (await import('./package-json.ts')).mergePackageJson,
  deno_json: async () => (await import('./package-json.ts')).mergeDenoJson,
  cargo_toml: async () => (await import('./toml.ts')).mergeCargoToml,
  pyproject_toml: async () => (await import('./toml.ts')).mergePyproject,
  sections: async () => (await import('./ini-sections.ts')).mergeIniSections,
  requirements: async () => (await import('./requirements.ts')).mergeRequirements,
  go_mod: async () => (await import('./go-mod.ts')).mergeGoMod,
  conftest: async () => (await import('./conftest.ts')).createConftestMerger(),
};

interface PlannedRestore {
  readonly side: ChangedPathEntries & FileProtection;
  readonly edit: GitTreeEdit;
  readonly file: ChangedProtectedFile;
}

/**
 * Puts the protected files that a patch touches back to their version in the base commit, but for those that it may change: what is
 * in force for them is what will be delivered. `loadPolicy` is called only when there is something to decide.
 */
export async function restoreProtectedFiles(
  store: GitStore,
  base: string,
  tree: string,
  changes: readonly FileChange[],
  loadPolicy: () => Promise<ProtectionPolicy>,
): Promise<TreesWithRestoredFiles> {
  const touched = changes.flatMap(sidesOf);
  const indirect = await IndirectlyProtectedFiles.load(store, base, touched);
  const sides = touched.flatMap((side) => {
    const rule =
      indirect.findNestedModuleProtection(side) ??
      findFileProtection(side.path) ??
      indirect.findProtection(side);
    return rule ? [{ ...side, ...rule }] : [];
  });
  const locks = await findLockFileChanges(store, touched);
  const named = namedFiles(touched.filter(({ path }) => !sides.some((side) => side.path === path)));
  if (sides.length + locks.length === 0)
    return { gateTree: tree, deliveredTree: tree, protectedFiles: named };
  const policy = await loadPolicy();
  const { exemptionReason } = policy;
  const texts = await readBlobs(
    store,
    sides.flatMap((side) =>
      side.restoreScope === 'whole'
        ? []
        : [side.base, side.head].flatMap((entry) => (entry ? [entry.id] : [])),
    ),
    MAX_BYTES,
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  const deleted = new Set(touched.filter(({ head }) => head === null).map(({ path }) => path));
  const planned: PlannedRestore[] = [];
  for (const side of sides) {
    const to =
      side.restoreScope === 'whole'
        ? side.base
        : await mergeWithBase(store, side, side.restoreScope, texts, deleted);
    if (to === undefined) continue;
    const by = exemptionReason(toDisplayPath(side.path), side.kind);
    planned.push({
      side,
      edit: { path: side.path, entry: to },
      file: {
        path: side.path,
        change: classifyChange(side),
        kind: side.kind,
        reason: side.reason,
        checked_version: by !== null ? 'patch' : to?.id === side.base?.id ? 'base' : 'part',
        allowed_by: by,
        review_reason: null,
      },
    });
  }
  const put = planned.filter(({ file }) => file.checked_version !== 'patch');
  const shipped = await editTree(
    store,
    tree,
    put.map(({ edit }) => edit),
  );
  const reasons = await loadReviewReasons(store, { base, patched: tree }, put, policy);
  const seen = locks.map(({ side, file }) => {
    const by = file.checked_version === 'base' ? exemptionReason(toDisplayPath(side.path), file.kind) : null;
    return {
      side,
      file:
        by === null
          ? file
          : { ...file, checked_version: 'patch' as const, allowed_by: by, review_reason: null },
    };
  });
  const restored = seen.flatMap(({ side, file }) =>
    file.checked_version === 'base' ? [{ path: side.path, entry: side.base }] : [],
  );
  return {
    gateTree: await editTree(store, shipped, restored),
    deliveredTree: shipped,
    protectedFiles: [
      ...planned.map(({ file }) => ({ ...file, review_reason: reasons.get(file.path) ?? null })),
      ...seen.map(({ file }) => file),
      ...named,
    ],
  };
}

/** Compares base and patch only where something was restored. */
async function loadReviewReasons(
  store: GitStore,
  trees: { readonly base: string; readonly patched: string },
  restored: readonly PlannedRestore[],
  policy: ProtectionPolicy,
): Promise<ReadonlyMap<string, string | null>> {
  if (restored.length === 0) return new Map();
  const { findReviewReasons } = await import('./review-reasons.ts');
  return findReviewReasons(
    store,
    trees,
    restored.map(({ side }) => side),
    policy,
  );
}

/** Files that are used as the patch has them, and that a person may want to look at. */
const namedFiles = (sides: readonly ChangedPathEntries[]): ChangedProtectedFile[] =>
  sides.flatMap((side) => {
    if (!isBuildScript(side.path)) return [];
    const reason = BUILD_SCRIPT_REASON;
    const file = { path: side.path, change: classifyChange(side), kind: 'build_scripts' as const, reason };
    return [{ ...file, checked_version: 'patch', allowed_by: null, review_reason: null }];
  });

/** A rename is a deletion here and an addition there. */
const sidesOf = (change: FileChange): ChangedPathEntries[] => {
  const from = getPathInBase(change);
  return from === null || from === change.path
    ? [{ path: change.path, base: change.baseEntry, head: change.headEntry }]
    : [
        { path: from, base: change.baseEntry, head: null },
        { path: change.path, base: null, head: change.headEntry },
      ];
};

/** What a partly protected file becomes; undefined when it may stay as the patch has it. */
async function mergeWithBase(
  store: GitStore,
  { path, base, head }: ChangedPathEntries & FileProtection,
  extent: Exclude<FileRestoreScope, 'whole'>,
  texts: ReadonlyMap<string, Buffer> | null,
  deleted: ReadonlySet<string>,
): Promise<GitTreeEntry | null | undefined> {
  // A link or a submodule in its place is not a configuration that anybody reviewed, nor is one without end.
  if (texts === null || head === null || !isRegularFile(head) || (base && !isRegularFile(base))) return base;
  const text = (entry: GitTreeEntry): string => (texts.get(entry.id) ?? Buffer.alloc(0)).toString('utf8');
  const merge = await MERGES[extent]();
  const result = merge(base && text(base), text(head), {
    folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
    isDeleted: (each) => deleted.has(each),
  });
  if (result === null) return undefined;
  return result === 'base' ? base : { id: writeBlob(store, result), mode: head.mode };
}

/** Files that steer no check and are often the work itself, but run wherever the project is installed or built. */
const NAMED =
  /(?:^|\/)(?:setup\.py|build\.rs|binding\.gyp|(?:[^/]*\.)?(?:docker|container)file(?:\.[^/]*)?|(?:docker-)?compose(?:\.[^/]*)?\.ya?ml)$/;

const BUILD_SCRIPT_REASON = 'runs when the project is installed or built';

/** Whether a reviewer may want to look at a change of this file, which is used as the patch has it. */
const isBuildScript = (path: string): boolean => NAMED.test(foldPathCase(path));
