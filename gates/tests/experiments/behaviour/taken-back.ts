import { basePath } from '../../../../workspace/git/changes.ts';
import { editTree, writeBlob } from '../../../../workspace/git/edit.ts';
import { withTestsOf } from '../../../code/cases/beside.ts';
import { baseFiles } from '../../../core/base-files.ts';
import { isOwnCode } from '../../../core/language.ts';
import type { Subject } from '../../../core/subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { type Hunk, hunksOf } from '../../running/added-lines.ts';
import type { Bodies } from './bodies.ts';

/** One part of what the patch does to the code, as the base has it. */
export interface TakenBack {
  readonly path: string;
  /** 1-based, in the patch. */
  readonly line: number;
  /** A tree with this part taken back. */
  in(tree: string): Promise<string>;
}

/** Every part of the patch's code that can be taken back by itself, the smallest first. */
export async function partsOf(
  subject: Subject,
  { texts }: Pick<Bodies, 'texts'>,
): Promise<readonly TakenBack[]> {
  const hunks = await hunksOf(subject.store, subject.base, subject.tree);
  const parts: { readonly size: number; readonly part: TakenBack }[] = [];
  for (const change of subject.changes) {
    const { path, head } = change;
    const text = texts.find((each) => each.path === path);
    if (!head || basePath(change) === null || !isOwnCode(path) || isTestPath(path)) continue;
    if (text?.before == null || text.after === null) continue;
    const [before, after] = [text.before.split('\n'), text.after.split('\n')];
    for (const hunk of (hunks.get(path) ?? []).flatMap(split)) {
      const back = takenBack(before, after, hunk);
      parts.push({
        size: hunk.count + hunk.oldCount,
        part: {
          path,
          line: Math.max(1, hunk.line),
          in: async (tree) => {
            const there = path.endsWith('.rs') ? await baseFiles(subject.store, tree)(path) : null;
            const put = (there && (await withTestsOf(back, there))) ?? back;
            return editTree(subject.store, tree, [
              { path, to: { id: writeBlob(subject.store, put), mode: head.mode } },
            ]);
          },
        },
      });
    }
  }
  return parts.toSorted((a, b) => a.size - b.size).map(({ part }) => part);
}

/** A hunk, and where it has as many lines on both sides each of them as well. */
function split(hunk: Hunk): Hunk[] {
  const { oldLine, oldCount, line, count } = hunk;
  if (count !== oldCount || count < 2) return [hunk];
  const lines = Array.from(
    { length: count },
    (_, at): Hunk => ({ oldLine: oldLine + at, oldCount: 1, line: line + at, count: 1 }),
  );
  return [hunk, ...lines];
}

function takenBack(before: readonly string[], after: readonly string[], hunk: Hunk): string {
  const { oldLine, oldCount, line, count } = hunk;
  // Where a side has no lines, the hunk stands after the line that is named.
  const at = count === 0 ? line : line - 1;
  const then = oldCount === 0 ? oldLine : oldLine - 1;
  return [...after.slice(0, at), ...before.slice(then, then + oldCount), ...after.slice(at + count)].join(
    '\n',
  );
}
