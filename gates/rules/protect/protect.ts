import type { ProtectedFile } from '../../../shared/contract/evidence/schema.ts';
import { readBlobs } from '../../../workspace/git/blobs.ts';
import { basePath, type Change, type Entry } from '../../../workspace/git/changes.ts';
import { type Edit, editTree, writeBlob } from '../../../workspace/git/edit.ts';
import { CheckoutError } from '../../../workspace/git/error.ts';
import { isRegular } from '../../../workspace/git/list.ts';
import { shownPath } from '../../../workspace/git/path-bytes.ts';
import type { Store } from '../../../workspace/git/store.ts';
import type { Allowance } from './allowance.ts';
import { Indirect } from './indirect.ts';
import { lockChanges } from './locks.ts';
import type { Merge } from './merge.ts';
import { reasonToLook } from './named.ts';
import type { Extent, Protection } from './rule.ts';
import { kindOf, type Side } from './side.ts';
import { protection } from './table.ts';

/** Most bytes of all partly protected files together, in both versions. */
const MAX_BYTES = 16 * 1_048_576;

export interface Protected {
  /** The tree that commands run on: the patch, with what steers the checks as the base has it. */
  readonly tree: string;
  /** The same with the patch's own lock files: what would be installed once the patch is in. */
  readonly shipped: string;
  readonly files: readonly ProtectedFile[];
}

/** Loaded only when there is something to take apart: most patches touch nothing of this. */
const MERGES: Record<Exclude<Extent, 'whole'>, () => Promise<Merge>> = {
  package_json: async () => (await import('./package-json.ts')).packageByBase,
  deno_json: async () => (await import('./package-json.ts')).denoByBase,
  cargo_toml: async () => (await import('./toml.ts')).cargoByBase,
  pyproject_toml: async () => (await import('./toml.ts')).pyprojectByBase,
  sections: async () => (await import('./sections.ts')).sectionsByBase,
  requirements: async () => (await import('./requirements.ts')).requirementsByBase,
  go_mod: async () => (await import('./go-mod.ts')).goModByBase,
  conftest: async () => (await import('./conftest.ts')).conftestByBase(),
};

interface Planned {
  readonly edit: Edit;
  readonly file: ProtectedFile;
}

/**
 * Puts the protected files that a patch touches back to their version in the base commit, but for those that it may change: what is
 * in force for them is what will be delivered. `allowed` is asked only when there is something to allow.
 */
export async function protect(
  store: Store,
  base: string,
  tree: string,
  changes: readonly Change[],
  allowed: () => Promise<Allowance>,
): Promise<Protected> {
  const touched = changes.flatMap(sidesOf);
  const indirect = await Indirect.of(store, base, touched);
  const sides = touched.flatMap((side) => {
    const rule = indirect.module(side) ?? protection(side.path) ?? indirect.protection(side);
    return rule ? [{ ...side, ...rule }] : [];
  });
  const locks = await lockChanges(store, touched);
  const named = namedFiles(touched.filter(({ path }) => !sides.some((side) => side.path === path)));
  if (sides.length + locks.length === 0) return { tree, shipped: tree, files: named };
  const allowance = await allowed();
  const texts = await readBlobs(
    store,
    sides.flatMap((side) =>
      side.extent === 'whole' ? [] : [side.base, side.head].flatMap((entry) => (entry ? [entry.id] : [])),
    ),
    MAX_BYTES,
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  const deleted = new Set(touched.filter(({ head }) => head === null).map(({ path }) => path));
  const planned: Planned[] = [];
  for (const side of sides) {
    const to = side.extent === 'whole' ? side.base : await merged(store, side, side.extent, texts, deleted);
    if (to === undefined) continue;
    const by = allowance(shownPath(side.path), side.class);
    planned.push({
      edit: { path: side.path, to },
      file: {
        path: side.path,
        change: kindOf(side),
        class: side.class,
        reason: side.reason,
        used: by !== null ? 'patch' : to?.id === side.base?.id ? 'base' : 'part',
        allowed_by: by,
      },
    });
  }
  const put = planned.flatMap(({ edit, file }) => (file.used === 'patch' ? [] : [edit]));
  const shipped = await editTree(store, tree, put);
  const seen = locks.map(({ side, file }) => {
    const by = file.used === 'base' ? allowance(shownPath(side.path), file.class) : null;
    return { side, file: by === null ? file : { ...file, used: 'patch' as const, allowed_by: by } };
  });
  const restored = seen.flatMap(({ side, file }) =>
    file.used === 'base' ? [{ path: side.path, to: side.base }] : [],
  );
  return {
    tree: await editTree(store, shipped, restored),
    shipped,
    files: [...[...planned, ...seen].map(({ file }) => file), ...named],
  };
}

/** Files that are used as the patch has them, and that a person may want to look at. */
const namedFiles = (sides: readonly Side[]): ProtectedFile[] =>
  sides.flatMap((side) => {
    const reason = reasonToLook(side.path);
    if (reason === null) return [];
    const file = { path: side.path, change: kindOf(side), class: 'build_scripts' as const, reason };
    return [{ ...file, used: 'patch', allowed_by: null }];
  });

/** A rename is a deletion here and an addition there. */
const sidesOf = (change: Change): Side[] => {
  const from = basePath(change);
  return from === null || from === change.path
    ? [{ path: change.path, base: change.base, head: change.head }]
    : [
        { path: from, base: change.base, head: null },
        { path: change.path, base: null, head: change.head },
      ];
};

/** What a partly protected file becomes; undefined when it may stay as the patch has it. */
async function merged(
  store: Store,
  { path, base, head }: Side & Protection,
  extent: Exclude<Extent, 'whole'>,
  texts: ReadonlyMap<string, Buffer> | null,
  deleted: ReadonlySet<string>,
): Promise<Entry | null | undefined> {
  // A link or a submodule in its place is not a configuration that anybody reviewed, nor is one without end.
  if (texts === null || head === null || !isRegular(head) || (base && !isRegular(base))) return base;
  const text = (entry: Entry): string => (texts.get(entry.id) ?? Buffer.alloc(0)).toString('utf8');
  const merge = await MERGES[extent]();
  const result = merge(base && text(base), text(head), {
    folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
    isDeleted: (each) => deleted.has(each),
  });
  if (result === null) return undefined;
  return result === 'base' ? base : { id: writeBlob(store, result), mode: head.mode };
}
