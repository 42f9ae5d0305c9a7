import type { Syntax } from '../../code/syntax.ts';
import { type DocContent, type DocumentedFunction, firstSentence, type Parameter } from './documented.ts';
import { ownBody } from './python-docs.ts';

/** Public functions with a doc comment; what a trait prescribes is documented there. */
export function rustDocumented(root: Syntax): DocumentedFunction[] {
  const found: DocumentedFunction[] = [];
  for (const node of root.walk((inner) => inner.type !== 'block')) {
    if (node.type !== 'function_item' || !node.has('visibility_modifier')) continue;
    const comments = commentsBefore(node);
    const [first] = comments;
    if (!first) continue;
    const result = /\bResult\b/.test(node.child('return_type')?.text ?? '');
    const isUnsafe = node.first('function_modifiers')?.has('unsafe') === true;
    found.push({
      name: node.child('name')?.text ?? '',
      line: first.line,
      doc: comments.map((comment) => (comment.child('doc')?.text ?? '').replace(/\n$/, '')).join('\n'),
      parameters: parametersOf(node),
      returns: false,
      raises: [
        ...(result ? ['Errors'] : []),
        ...(isUnsafe ? ['Safety'] : []),
        ...(panics(node) ? ['Panics'] : []),
      ],
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

function panics(node: Syntax): boolean {
  for (const inner of ownBody(node, /^(?:function_item|closure_expression)$/))
    if (inner.type === 'macro_invocation' && inner.child('macro')?.text === 'panic') return true;
  return false;
}

const HEADING = /^[ \t]*#+[ \t]*(\w+)[ \t]*$/gm;

/** Sections of rustdoc; without one for arguments, nobody expects them to be listed. */
export function rustContent(doc: string): DocContent {
  const headings = [...doc.matchAll(HEADING)].map(([, name = '']) => name);
  return {
    summary: firstSentence(doc),
    parameters: argumentsOf(doc),
    returns: true,
    raises: headings,
    styles: [],
    inherits: false,
  };
}

function argumentsOf(doc: string): string[] {
  const section =
    /^[ \t]*#+[ \t]*(?:Arguments|Parameters|Args)[ \t]*\n([\s\S]*?)(?=^[ \t]*#|$(?![\s\S]))/m.exec(doc)?.[1];
  return [...(section ?? '').matchAll(/^[ \t]*[-*][ \t]*`?(\w+)`?[ \t]*(?::|-|–|—)/gm)].map(
    ([, name = '']) => name,
  );
}
