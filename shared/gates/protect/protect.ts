import { basePath, type Change, type Entry } from '../../checkout/changes.ts';
import { type Edit, editTree, readBlobs, writeBlob } from '../../checkout/edit.ts';
import { CheckoutError } from '../../checkout/error.ts';
import type { Store } from '../../checkout/store.ts';
import type { ProtectedFile } from '../../evidence/schema.ts';
import { steeredByBase } from './package-json.ts';
import { sectionsByBase } from './sections.ts';
import { type Extent, protection } from './table.ts';

/** Most bytes of all partly protected files together, in both versions. */
const MAX_BYTES = 16 * 1_048_576;

export interface Protected {
  /** The tree that commands run on: the patch, with what steers the checks as the base has it. */
  readonly tree: string;
  readonly files: readonly ProtectedFile[];
}

const MERGE: Record<
  Exclude<Extent, 'whole'>,
  (base: string | null, head: string) => string | null | 'base'
> = {
  package_json: steeredByBase,
  sections: sectionsByBase,
};

interface Planned {
  readonly edit: Edit;
  readonly file: ProtectedFile;
}

/** Puts the protected files that a patch touches back to their base version. */
export async function protect(
  store: Store,
  tree: string,
  changes: readonly Change[],
  index: string,
): Promise<Protected> {
  const sides = changes.flatMap(sidesOf).flatMap((side) => {
    const rule = protection(side.path);
    return rule ? [{ ...side, ...rule }] : [];
  });
  if (sides.length === 0) return { tree, files: [] };
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
  const planned: Planned[] = [];
  for (const side of sides) {
    const to = side.extent === 'whole' ? side.base : await merged(store, side, side.extent, texts);
    if (to === undefined) continue;
    planned.push({
      edit: { path: side.path, to },
      file: {
        path: side.path,
        change: side.base === null ? 'added' : side.head === null ? 'deleted' : 'modified',
        reason: side.reason,
      },
    });
  }
  const edits = planned.map(({ edit }) => edit);
  return { tree: await editTree(store, tree, edits, index), files: planned.map(({ file }) => file) };
}

interface Side {
  readonly path: string;
  readonly base: Entry | null;
  readonly head: Entry | null;
}

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

const isFile = (entry: Entry): boolean => entry.mode.startsWith('100');

/** What a partly protected file becomes; undefined when it may stay as the patch has it. */
async function merged(
  store: Store,
  { base, head }: Side,
  extent: Exclude<Extent, 'whole'>,
  texts: ReadonlyMap<string, Buffer> | null,
): Promise<Entry | null | undefined> {
  // A link or a submodule in its place is not a configuration that anybody reviewed, nor is one without end.
  if (texts === null || head === null || !isFile(head) || (base && !isFile(base))) return base;
  const text = (entry: Entry): string => (texts.get(entry.id) ?? Buffer.alloc(0)).toString('utf8');
  const result = MERGE[extent](base && text(base), text(head));
  if (result === null) return undefined;
  return result === 'base' ? base : { id: await writeBlob(store, result), mode: head.mode };
}
