import { isRustTestModule } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { type Grammar, type Language, languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { FUNCTIONS, nameOf } from './emptied.ts';
import { withOwnCode } from './own-code.ts';
import type { Replaced } from './replaced.ts';

/** What becomes of one function; empty: nothing. */
type FunctionEdit = (at: {
  readonly language: Language;
  readonly node: SyntaxNode;
  readonly body: SyntaxNode;
  /** The last word of its name. */
  readonly name: string;
  readonly path: string;
}) => readonly Replaced[];

export interface TreeEdit {
  readonly inFunctions: FunctionEdit;
  /** What is put at the end of a file in which something was replaced. */
  readonly atEnd?: (language: Language, path: string) => string;
}

/** A tree with functions of its code written in another way. @returns null as `withOwnCode` does. */
export const withFunctions = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  edit: TreeEdit,
): Promise<string | null> =>
  withOwnCode(subject, tree, ({ grammar, path, text }) => rewritten(grammar, path, text, edit));

/** The text of a file with its functions written in another way; null where none is. */
export async function rewritten(
  grammar: Grammar,
  path: string,
  text: string,
  { inFunctions, atEnd }: TreeEdit,
): Promise<string | null> {
  const language = languageOfGrammar(grammar);
  const { root } = await parseSource(grammar, text);
  const all: Replaced[] = [];
  for (const node of root.walk((inner) => !isRustTestModule(inner))) {
    if (!FUNCTIONS[language].test(node.type)) continue;
    const body = node.childForField('body');
    const name = nameOf(node)?.split('.').at(-1);
    if (name !== undefined && body !== null) all.push(...inFunctions({ language, node, body, name, path }));
  }
  return all.length === 0 ? null : replacedIn(text, all) + (atEnd?.(language, path) ?? '');
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
