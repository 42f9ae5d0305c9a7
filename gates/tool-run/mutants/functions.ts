import { type Edit, editTree, readBlobs, writeBlob } from '../../checkout/edit.ts';
import { listFiles } from '../../checkout/list.ts';
import { isForTests } from '../../code/definitions.ts';
import { type Grammar, grammarOf, isOwnCode, type Language, languageOf } from '../../code/language.ts';
import { parse } from '../../code/parse.ts';
import type { Syntax } from '../../code/syntax.ts';
import { Unreadable } from '../../code/unreadable.ts';
import type { Subject } from '../../engine/subject.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { FUNCTIONS, nameOf } from './emptied.ts';
import type { Replaced } from './instead/instead.ts';
import { OF_THE_RUN } from './switch-off.ts';

/** Most files whose functions are written in another way. In a larger project nobody could say what a test that passes means. */
const MAX_FILES = 400;

/** What becomes of one function; empty: nothing. */
export type FunctionEdit = (at: {
  readonly language: Language;
  readonly node: Syntax;
  readonly body: Syntax;
  /** The last word of its name. */
  readonly name: string;
  readonly path: string;
}) => readonly Replaced[];

export interface TreeEdit {
  readonly inFunctions: FunctionEdit;
  /** What is put at the end of a file in which something was replaced. */
  readonly atEnd?: (language: Language, path: string) => string;
}

/**
 * A tree with functions of its code written in another way; tests, and what lies beside them, are as they were.
 * @returns null where none is, or where there is too much code.
 */
export async function withFunctions(
  { store }: Pick<Subject, 'store'>,
  tree: string,
  edit: TreeEdit,
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
    const grammar = grammarOf(path);
    const made = text === undefined || grammar === null ? null : await rewritten(grammar, path, text, edit);
    if (made !== null) edits.push({ path, to: { id: await writeBlob(store, made), mode } });
  }
  return edits.length === 0 ? null : editTree(store, tree, edits);
}

/** The text of a file with its functions written in another way; null where none is. */
export async function rewritten(
  grammar: Grammar,
  path: string,
  text: string,
  { inFunctions, atEnd }: TreeEdit,
): Promise<string | null> {
  const language = languageOf(grammar);
  const root = await treeOf(grammar, text);
  if (root === null) return null;
  const all: Replaced[] = [];
  for (const node of root.walk((inner) => !isForTests(inner))) {
    if (!FUNCTIONS[language].test(node.type)) continue;
    const body = node.child('body');
    const name = nameOf(node)?.split('.').at(-1);
    if (name !== undefined && body !== null) all.push(...inFunctions({ language, node, body, name, path }));
  }
  return all.length === 0 ? null : replacedIn(text, all) + (atEnd?.(language, path) ?? '');
}

async function treeOf(grammar: Grammar, text: string): Promise<Syntax | null> {
  try {
    return (await parse(grammar, text)).root;
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return null;
    throw error;
  }
}

/** Pieces lie beside each other or within: each replaces nothing, or what none of the others touches. What begins last ends first. */
function replacedIn(text: string, all: readonly Replaced[]): string {
  const numbered = all.map((each, at) => ({ ...each, at: each.closes ? -at - 1 : at }));
  const inOrder = numbered.toSorted((a, b) => a.start - b.start || a.at - b.at);
  let made = '';
  let at = 0;
  for (const { start, end, by } of inOrder) {
    made += text.slice(at, start) + by;
    at = end;
  }
  return made + text.slice(at);
}
