import { isRustTestModule } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { type Grammar, type Language, languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { rewriteProductCode } from './rewrite-code.ts';
import { FUNCTION_NODE_TYPES, functionName } from './stubbable-functions.ts';
import type { TextEdit } from './text-edit.ts';

/** What becomes of one function; empty: nothing. */
type FunctionEdit = (at: {
  readonly language: Language;
  readonly node: SyntaxNode;
  readonly body: SyntaxNode;
  /** The last word of its name. */
  readonly name: string;
  readonly path: string;
}) => readonly TextEdit[];

export interface FunctionRewrite {
  readonly inFunctions: FunctionEdit;
  /** What is put at the end of a file in which something was replaced. */
  readonly atEnd?: (language: Language, path: string) => string;
}

/** A tree with functions of its code written in another way. @returns null as `withOwnCode` does. */
export const rewriteFunctions = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  edit: FunctionRewrite,
): Promise<string | null> =>
  rewriteProductCode(subject, tree, ({ grammar, path, text }) =>
    rewriteFunctionsInText(grammar, path, text, edit),
  );

/** The text of a file with its functions written in another way; null where none is. */
export async function rewriteFunctionsInText(
  grammar: Grammar,
  path: string,
  text: string,
  { inFunctions, atEnd }: FunctionRewrite,
): Promise<string | null> {
  const language = languageOfGrammar(grammar);
  const { root } = await parseSource(grammar, text);
  const all: TextEdit[] = [];
  for (const node of root.walk((inner) => !isRustTestModule(inner))) {
    if (!FUNCTION_NODE_TYPES[language].test(node.type)) continue;
    const body = node.childForField('body');
    const name = functionName(node)?.split('.').at(-1);
    if (name !== undefined && body !== null) all.push(...inFunctions({ language, node, body, name, path }));
  }
  return all.length === 0 ? null : applyEdits(text, all) + (atEnd?.(language, path) ?? '');
}

/** Pieces lie beside each other or within: each replaces nothing, or what none of the others touches. What begins last ends first. */
function applyEdits(text: string, all: readonly TextEdit[]): string {
  const numbered = all.map((each, at) => ({ ...each, at: each.closesOther ? -at - 1 : at }));
  const inOrder = numbered.toSorted((a, b) => a.start - b.start || a.at - b.at);
  let made = '';
  let at = 0;
  for (const { start, end, replacement } of inOrder) {
    made += text.slice(at, start) + replacement;
    at = end;
  }
  return made + text.slice(at);
}
