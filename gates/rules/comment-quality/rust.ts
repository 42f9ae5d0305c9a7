import type { Syntax } from '../../code/parsing/syntax.ts';
import {
  type DocContent,
  type DocumentedFunction,
  firstSentence,
  type Parameter,
  wholeIfListed,
} from './documented.ts';

/** Public functions with a doc comment; what a trait prescribes is documented there. */
export function rustDocumented(root: Syntax): DocumentedFunction[] {
  const found: DocumentedFunction[] = [];
  for (const node of root.walk((inner) => inner.type !== 'block')) {
    if (node.type !== 'function_item' || !node.has('visibility_modifier')) continue;
    const comments = commentsBefore(node);
    const [first] = comments;
    if (!first) continue;
    found.push({
      name: node.child('name')?.text ?? '',
      line: first.line,
      doc: comments.map((comment) => (comment.child('doc')?.text ?? '').replace(/\n$/, '')).join('\n'),
      parameters: parametersOf(node),
    });
  }
  return found;
}

function commentsBefore(node: Syntax): Syntax[] {
  const siblings = node.parent?.children ?? [];
  const comments: Syntax[] = [];
  for (let at = siblings.indexOf(node) - 1; at >= 0; at--) {
    const before = siblings[at];
    if (before?.type === 'attribute_item') continue;
    if (!before?.child('outer')) break;
    comments.unshift(before);
  }
  return comments;
}

const parametersOf = (node: Syntax): Parameter[] =>
  (node.child('parameters')?.namedChildren ?? []).flatMap((parameter): Parameter[] => {
    const pattern = parameter.child('pattern');
    if (parameter.type !== 'parameter' || !pattern) return [];
    const names = [...pattern.walk()].filter(({ type }) => type === 'identifier').map(({ text }) => text);
    return [names.length === 1 ? { name: names[0] ?? '', parts: [] } : { name: null, parts: names }];
  });

/** Sections of rustdoc; without one for arguments, nobody expects them to be listed. */
export function rustContent(doc: string): DocContent {
  const parameters = argumentsOf(doc);
  return { summary: firstSentence(doc), parameters, whole: wholeIfListed(parameters) };
}

function argumentsOf(doc: string): string[] {
  const section =
    /^[ \t]*#+[ \t]*(?:Arguments|Parameters|Args)[ \t]*\n([\s\S]*?)(?=^[ \t]*#|$(?![\s\S]))/m.exec(doc)?.[1];
  return [...(section ?? '').matchAll(/^[ \t]*[-*][ \t]*`?(\w+)`?[ \t]*(?::|-|–|—)/gm)].map(
    ([, name = '']) => name,
  );
}
