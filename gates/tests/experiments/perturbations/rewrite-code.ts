import { editTree, type GitTreeEdit, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { isRegularFile, listFiles } from '../../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import { type Grammar, grammarOfPath, isProjectCode } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';

/** Most files of code that are written in another way. In a larger project nobody could say what a test that passes means. */
const MAX_REWRITTEN_FILES = 400;

/** What runs tests, or is run to build, is no code under test. */
const RUNNER_FILE = /(?:^|\/)(?:conftest|setup|noxfile|build)\.(?:py|rs)$|\.config\.[cm]?[jt]s$/;

/** The text of a file of code in another way; null: as it was. */
export type RewriteFile = (file: {
  readonly path: string;
  readonly text: string;
  readonly grammar: Grammar;
}) => Promise<string | null>;

/**
 * A tree with its code written in another way; tests, and what lies beside them, are as they were.
 * @returns null where nothing is, or where there is too much code.
 */
export async function rewriteProductCode(
  { store }: Pick<PatchSubject, 'store'>,
  tree: string,
  rewrite: RewriteFile,
): Promise<string | null> {
  const files = (await listFiles(store, tree)).filter(
    (file) =>
      isRegularFile(file) &&
      isProjectCode(file.path) &&
      !isTestPath(file.path) &&
      !RUNNER_FILE.test(file.path),
  );
  if (files.length === 0 || files.length > MAX_REWRITTEN_FILES) return null;
  const texts = await readBlobs(
    store,
    files.map(({ id }) => id),
  );
  const edits: GitTreeEdit[] = [];
  for (const { path, id, mode } of files) {
    const text = texts.get(id)?.toString('utf8');
    const grammar = grammarOfPath(path);
    const made =
      text === undefined || grammar === null
        ? null
        : await nullIfUnreadable(rewrite({ path, text, grammar }));
    if (made !== null) edits.push({ path, entry: { id: writeBlob(store, made), mode } });
  }
  return edits.length === 0 ? null : editTree(store, tree, edits);
}

/** What a file becomes; one that cannot be read, or is too deep to be walked, stays as it was. */
async function nullIfUnreadable(rewriting: Promise<string | null>): Promise<string | null> {
  try {
    return await rewriting;
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}
