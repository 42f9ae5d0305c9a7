import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import {
  type DocumentedFunction,
  extractFirstSentence,
  getRequiredParameterCoverage,
  type ParsedDoc,
  type SignatureParameter,
} from './doc-model.ts';

/** Public functions with a doc comment; what a trait prescribes is documented there. */
export function findDocumentedRustFunctions(root: SyntaxNode): DocumentedFunction[] {
  const found: DocumentedFunction[] = [];
  for (const node of root.walk((inner) => inner.type !== 'block')) {
    if (node.type !== 'function_item' || !node.hasChildOfType('visibility_modifier')) continue;
    const comments = commentsBefore(node);
    const [first] = comments;
    if (!first) continue;
    found.push({
      name: node.childForField('name')?.text ?? '',
      line: first.line,
      doc: comments
        .map((comment) => (comment.childForField('doc')?.text ?? '').replace(/\n$/, ''))
        .join('\n'),
      parameters: parametersOf(node),
    });
  }
  return found;
}

function commentsBefore(node: SyntaxNode): SyntaxNode[] {
  const siblings = node.parent?.children ?? [];
  const comments: SyntaxNode[] = [];
  for (let at = siblings.indexOf(node) - 1; at >= 0; at--) {
    const before = siblings[at];
    if (before?.type === 'attribute_item') continue;
    if (!before?.childForField('outer')) break;
    comments.unshift(before);
  }
  return comments;
}

const parametersOf = (node: SyntaxNode): SignatureParameter[] =>
  (node.childForField('parameters')?.namedChildren ?? []).flatMap((parameter): SignatureParameter[] => {
    const pattern = parameter.childForField('pattern');
    if (parameter.type !== 'parameter' || !pattern) return [];
    const names = [...pattern.walk()].filter(({ type }) => type === 'identifier').map(({ text }) => text);
    return [names.length === 1 ? { name: names[0] ?? '', parts: [] } : { name: null, parts: names }];
  });

/** Sections of rustdoc; without one for arguments, nobody expects them to be listed. */
export function parseRustdoc(doc: string): ParsedDoc {
  const parameters = argumentsOf(doc);
  return {
    summary: extractFirstSentence(doc),
    parameters,
    parameterCoverage: getRequiredParameterCoverage(parameters),
  };
}

function argumentsOf(doc: string): string[] {
  const section =
    /^[ \t]*#+[ \t]*(?:Arguments|Parameters|Args)[ \t]*\n([\s\S]*?)(?=^[ \t]*#|$(?![\s\S]))/m.exec(doc)?.[1];
  return [...(section ?? '').matchAll(/^[ \t]*[-*][ \t]*`?(\w+)`?[ \t]*(?::|-|–|—)/gm)].map(
    ([, name = '']) => name,
  );
}
