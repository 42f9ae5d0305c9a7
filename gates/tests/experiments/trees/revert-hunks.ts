import { editTree, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { getBasePath } from '../../../../workspace/git/file-changes.ts';
import { replaceInlineTests } from '../../../code/cases/rust-inline-tests.ts';
import { createBaseFileReader } from '../../../core/base-file-reader.ts';
import { isProjectCode } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { type DiffHunk, readDiffHunks } from '../../running/added-lines.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';

/** One part of what the patch does to the code, as the base has it. */
export interface HunkRevert {
  readonly path: string;
  /** 1-based, in the patch. */
  readonly line: number;
  /** A tree with this part taken back. */
  applyTo(tree: string): Promise<string>;
}

/** Every part of the patch's code that can be taken back by itself, the smallest first. */
export async function listHunkReverts(
  subject: PatchSubject,
  { changedTexts }: Pick<TestSourceIndex, 'changedTexts'>,
): Promise<readonly HunkRevert[]> {
  const hunks = await readDiffHunks(subject.store, subject.base, subject.tree);
  const parts: { readonly size: number; readonly part: HunkRevert }[] = [];
  for (const change of subject.changes) {
    const { path, headEntry } = change;
    const text = changedTexts.find((each) => each.path === path);
    if (!headEntry || getBasePath(change) === null || !isProjectCode(path) || isTestPath(path)) continue;
    if (text?.before == null || text.after === null) continue;
    const [before, after] = [text.before.split('\n'), text.after.split('\n')];
    for (const hunk of (hunks.get(path) ?? []).flatMap(splitHunk)) {
      const back = revertHunk(before, after, hunk);
      parts.push({
        size: hunk.newCount + hunk.oldCount,
        part: {
          path,
          line: Math.max(1, hunk.newLine),
          applyTo: async (tree) => {
            const there = path.endsWith('.rs') ? await createBaseFileReader(subject.store, tree)(path) : null;
            const put = (there && (await replaceInlineTests(back, there))) ?? back;
            return editTree(subject.store, tree, [
              { path, entry: { id: writeBlob(subject.store, put), mode: headEntry.mode } },
            ]);
          },
        },
      });
    }
  }
  return parts.toSorted((a, b) => a.size - b.size).map(({ part }) => part);
}

/** A hunk, and where it has as many lines on both sides each of them as well. */
function splitHunk(hunk: DiffHunk): DiffHunk[] {
  const { oldLine, oldCount, newLine, newCount } = hunk;
  if (newCount !== oldCount || newCount < 2) return [hunk];
  const lines = Array.from(
    { length: newCount },
    (_, at): DiffHunk => ({ oldLine: oldLine + at, oldCount: 1, newLine: newLine + at, newCount: 1 }),
  );
  return [hunk, ...lines];
}

function revertHunk(before: readonly string[], after: readonly string[], hunk: DiffHunk): string {
  const { oldLine, oldCount, newLine, newCount } = hunk;
  // Where a side has no lines, the hunk stands after the line that is named.
  const at = newCount === 0 ? newLine : newLine - 1;
  const then = oldCount === 0 ? oldLine : oldLine - 1;
  return [...after.slice(0, at), ...before.slice(then, then + oldCount), ...after.slice(at + newCount)].join(
    '\n',
  );
}
