import { type Edit, editTree, readBlobs, writeBlob } from '../../checkout/edit.ts';
import { listFiles } from '../../checkout/list.ts';
import { grammarOf, isOwnCode, languageOf } from '../../code/language.ts';
import { parse } from '../../code/parse.ts';
import { Unreadable } from '../../code/unreadable.ts';
import type { Subject } from '../../engine/subject.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { type Emptied, emptiedFunctions } from './emptied.ts';

/** What functions do instead of working. */
export type Off = 'nothing' | 'breaks';

/** Most files of code that are switched off. In a larger project nobody could say what a test that passes means. */
const MAX_FILES = 400;

/** What runs tests, or is run to build, is no code under test. */
export const OF_THE_RUN = /(?:^|\/)(?:conftest|setup|noxfile|build)\.(?:py|rs)$|\.config\.[cm]?[jt]s$/;

/**
 * A tree in which no function of the project works any more; tests and what lies beside them are as they were.
 * @returns null where there is no function, or too much code.
 */
export async function switchedOff(
  { store }: Pick<Subject, 'store'>,
  tree: string,
  how: Off,
): Promise<string | null> {
  const files = (await listFiles(store, tree)).filter(
    ({ path }) => isOwnCode(path) && !isTestPath(path) && !OF_THE_RUN.test(path),
  );
  if (files.length === 0 || files.length > MAX_FILES) return null;
  const texts = await readBlobs(
    store,
    files.map(({ id }) => id),
  );
  const edits: Edit[] = [];
  for (const { path, id, mode } of files) {
    const text = texts.get(id)?.toString('utf8');
    const off = text === undefined ? null : await without(path, text, how);
    if (off !== null) edits.push({ path, to: { id: await writeBlob(store, off), mode } });
  }
  return edits.length === 0 ? null : editTree(store, tree, edits);
}

/** The text with no function in it that works; null where it has none, or cannot be read. */
async function without(path: string, text: string, how: Off): Promise<string | null> {
  const grammar = grammarOf(path);
  if (grammar === null) return null;
  try {
    const found = emptiedFunctions((await parse(grammar, text)).root, languageOf(grammar));
    return found.length === 0 ? null : allOff(text, found, how);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return null;
    throw error;
  }
}

/** What lies within something that is replaced goes with it. */
function allOff(text: string, functions: readonly Emptied[], how: Off): string {
  let off = '';
  let at = 0;
  for (const { start, end, nothing, breaks } of functions.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    off += text.slice(at, start) + (how === 'nothing' ? (nothing ?? breaks) : breaks);
    at = end;
  }
  return off + text.slice(at);
}
