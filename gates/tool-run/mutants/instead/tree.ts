import { createHash } from 'node:crypto';
import { type Edit, editTree, readBlobs, writeBlob } from '../../../checkout/edit.ts';
import { listFiles } from '../../../checkout/list.ts';
import { isForTests } from '../../../code/definitions.ts';
import { type Grammar, grammarOf, isOwnCode, languageOf } from '../../../code/language.ts';
import { parse } from '../../../code/parse.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { Unreadable } from '../../../code/unreadable.ts';
import type { Subject } from '../../../engine/subject.ts';
import { isTestPath } from '../../../languages/test-paths.ts';
import { FUNCTIONS, nameOf } from '../emptied.ts';
import { OF_THE_RUN } from '../switch-off.ts';
import { go } from './go.ts';
import type { Arounds, Instead, Replaced } from './instead.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

const AROUND: Arounds = { python, javascript, go, rust };

/** Most files whose functions come to something else. In a larger project nobody could say what a test that passes means. */
const MAX_FILES = 400;

/** A tree in which functions come to something else than they do; `changed` are their names. */
export interface OtherTree {
  readonly tree: string;
  readonly changed: ReadonlySet<string>;
}

/**
 * A tree whose code comes to something else; tests, and what lies beside them, are as they were.
 * @param named words of the tests: in Go and Rust only functions that they name are changed.
 * @returns null where there is no function of which that can be said, or too much code.
 */
export async function comingTo(
  { store }: Pick<Subject, 'store'>,
  tree: string,
  how: Instead,
  named: ReadonlySet<string>,
): Promise<OtherTree | null> {
  const files = (await listFiles(store, tree)).filter(
    ({ path }) => isOwnCode(path) && !isTestPath(path) && !OF_THE_RUN.test(path),
  );
  if (files.length === 0 || files.length > MAX_FILES) return null;
  const texts = await readBlobs(
    store,
    files.map(({ id }) => id),
  );
  const changed = new Set<string>();
  const edits: Edit[] = [];
  for (const { path, id, mode } of files) {
    const text = texts.get(id)?.toString('utf8');
    const grammar = grammarOf(path);
    if (text === undefined || grammar === null) continue;
    const made = await withOther(grammar, path, text, how, named);
    if (made === null) continue;
    edits.push({ path, to: { id: await writeBlob(store, made.text), mode } });
    for (const name of made.names) changed.add(name);
  }
  return edits.length === 0 ? null : { tree: await editTree(store, tree, edits), changed };
}

async function withOther(
  grammar: Grammar,
  path: string,
  text: string,
  how: Instead,
  named: ReadonlySet<string>,
): Promise<{ readonly text: string; readonly names: readonly string[] } | null> {
  const language = languageOf(grammar);
  const around = AROUND[language];
  const mark = createHash('sha256').update(path).digest('hex').slice(0, 8);
  const root = await treeOf(grammar, text);
  if (root === null) return null;
  const names: string[] = [];
  const all: Replaced[] = [];
  for (const node of root.walk((inner) => !isForTests(inner))) {
    if (!FUNCTIONS[language].test(node.type)) continue;
    const name = nameOf(node);
    const body = node.child('body');
    const own = name?.split('.').at(-1) ?? '';
    if (name === null || body === null || !(around.outermost || named.has(own))) continue;
    const replaced = around.of(node, body, how, mark);
    if (replaced.length > 0) names.push(own);
    all.push(...replaced);
  }
  return all.length === 0 ? null : { text: replacedIn(text, all) + around.atEnd(how, mark), names };
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
