import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import {
  type DocumentedFunction,
  extractFirstSentence,
  getRequiredParameterCoverage,
  type ParsedDoc,
} from './doc-model.ts';

/** Exported functions and methods with a doc comment. */
export const findDocumentedGoFunctions = (root: SyntaxNode): DocumentedFunction[] =>
  root.namedChildren.flatMap((node, at) => {
    if (node.type !== 'function_declaration' && node.type !== 'method_declaration') return [];
    const name = node.childForField('name')?.text ?? '';
    const comments = commentsBefore(root.namedChildren, at);
    const [first] = comments;
    if (!/^\p{Lu}/u.test(name) || !first) return [];
    const parameters = (node.childForField('parameters')?.namedChildren ?? [])
      .flatMap((parameter) => parameter.childrenForField('name'))
      .map(({ text }) => ({ name: text, parts: [] }));
    return [{ name, line: first.line, doc: comments.map(plain).join('\n'), parameters }];
  });

/** The comments that touch a declaration; an empty line ends them. */
function commentsBefore(siblings: readonly SyntaxNode[], at: number): SyntaxNode[] {
  const comments: SyntaxNode[] = [];
  let line = siblings[at]?.line ?? 0;
  for (let index = at - 1; index >= 0; index--) {
    const before = siblings[index];
    if (before?.type !== 'comment' || before.line + before.text.split('\n').length !== line) break;
    // `//go:build` and its like are for tools.
    if (!/^\/\/(?:go:|nolint|export )/.test(before.text)) comments.unshift(before);
    line = before.line;
  }
  return comments;
}

const plain = ({ text }: SyntaxNode): string =>
  text.startsWith('//') ? text.slice(2).replace(/^ /, '') : text.slice(2, -2).trim();

/** Go has no sections for parameters; a list under such a heading is all there can be. */
export function parseGoDoc(doc: string): ParsedDoc {
  const parameters = listed(doc);
  return {
    summary: extractFirstSentence(doc),
    parameters,
    parameterCoverage: getRequiredParameterCoverage(parameters),
  };
}

function listed(doc: string): string[] {
  const lines = doc.split('\n');
  const start = lines.findIndex((line) => /^[\s#]*(?:parameters|params|arguments|args):?\s*$/i.test(line));
  if (start < 0) return [];
  const names: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const name = /^\s*[-*•]\s*`?(\w+)`?\s*(?::|-|–)/.exec(line)?.[1];
    if (name !== undefined) names.push(name);
    else if (names.length > 0 && /^\S/.test(line)) break;
  }
  return names;
}
