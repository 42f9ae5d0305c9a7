import { evaluateConstantString, normalizePythonIdentifier } from '../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import {
  type DocumentedFunction,
  extractFirstSentence,
  type ParsedDoc,
  type SignatureParameter,
} from './doc-model.ts';

/** Public functions and methods with a docstring. Those inside of functions are nobody's business. */
export function findDocumentedPythonFunctions(root: SyntaxNode): DocumentedFunction[] {
  const found: DocumentedFunction[] = [];
  for (const node of root.walk((inner) => inner.type !== 'function_definition' || inner.parent === null)) {
    if (node.type !== 'function_definition') continue;
    const name = normalizePythonIdentifier(node.childForField('name')?.text ?? '_');
    const docstring = docstringOf(node);
    const isHidden = name.startsWith('_') || isInPrivate(node) || isMarked(node, 'overload');
    if (docstring === null || isHidden) continue;
    const doc = evaluateConstantString(docstring) ?? '';
    found.push({ name, line: docstring.line, doc, parameters: parametersOf(node) });
  }
  return found;
}

const docstringOf = (node: SyntaxNode): SyntaxNode | null => {
  const first = node.childForField('body')?.namedChildren.find(({ type }) => type !== 'comment');
  const text = first?.type === 'expression_statement' ? first.namedChildren[0] : undefined;
  return text?.type === 'string' || text?.type === 'concatenated_string' ? text : null;
};

const isInPrivate = (node: SyntaxNode): boolean =>
  [...node.ancestors()].some(
    (outer) => outer.type === 'class_definition' && (outer.childForField('name')?.text ?? '').startsWith('_'),
  );

/** Whether a definition has a decorator, by its own name or through a module. */
const isMarked = ({ parent }: SyntaxNode, decorator: string): boolean =>
  parent?.type === 'decorated_definition' &&
  parent.children.some(
    ({ type, text }) => type === 'decorator' && /^@(?:\w+\.)?(\w+)/.exec(text)?.[1] === decorator,
  );

function parametersOf(node: SyntaxNode): SignatureParameter[] {
  const isMethod =
    node.parent?.parent?.type === 'class_definition' ||
    node.parent?.parent?.parent?.type === 'class_definition';
  const names = (node.childForField('parameters')?.namedChildren ?? []).flatMap(nameOf);
  return names
    .slice(isMethod && !isMarked(node, 'staticmethod') ? 1 : 0)
    .map((name) => ({ name, parts: [] }));
}

function nameOf(parameter: SyntaxNode): string[] {
  switch (parameter.type) {
    case 'identifier':
      return [normalizePythonIdentifier(parameter.text)];
    case 'default_parameter':
    case 'typed_default_parameter':
      return [normalizePythonIdentifier(parameter.childForField('name')?.text ?? '')];
    case 'typed_parameter':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return parameter.namedChildren.filter(({ field }) => field !== 'type').flatMap(nameOf);
    default:
      return [];
  }
}

const FIELD = /^[ \t]*[:@](?:param|parameter|arg|argument|key|keyword)s?\b([^:\n]*):/gm;
const HEADING =
  /^(?:args|arguments|parameters|params|attributes|(?:keyword|other|receives) (?:args|arguments|parameters))$/i;
const UNDERLINE = /^\s*-{3,}\s*$/;

/** What a docstring says, in the styles of Google, NumPy and reStructuredText, which may be mixed. */
export function parseDocstring(doc: string): ParsedDoc {
  const [first = '', ...rest] = doc.replaceAll('\t', '    ').split('\n');
  const lines = [first.trim(), ...rest];
  const fields = [...doc.matchAll(FIELD)].map(([, words = '']) => words.trim().split(/\s+/).at(-1) ?? '');
  const listed = lines.flatMap((line, at) => {
    const heading = line.trim();
    if (heading.endsWith(':') && HEADING.test(heading.slice(0, -1)))
      return googleEntries(lines.slice(at + 1), indentOf(line));
    return HEADING.test(heading) && UNDERLINE.test(lines[at + 1] ?? '')
      ? numpyEntries(lines.slice(at + 2))
      : [];
  });
  return {
    summary: extractFirstSentence(doc),
    parameters: [...listed, ...fields].map((name) => name.replace(/^\\?\*{1,2}|\\\*/g, '')),
    parameterCoverage: /\binherit|^\s*see\b.{0,80}$/i.test(doc) ? 'free' : 'must',
  };
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Entries are indented, the first one says how far; what is further in goes on with an entry. */
function googleEntries(lines: readonly string[], indent: number): string[] {
  const entries: string[] = [];
  let depth: number | null = null;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const own = indentOf(line);
    if (own <= indent) break;
    depth ??= own;
    const entry =
      own === depth
        ? /^\s*(\\?\*{0,2}[\w.]+)\s*(?:(?:\([^)]*\)|\[[^\]]*\])\s*)?:/.exec(line)?.[1]
        : undefined;
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Entries stand at the margin, with their types after a colon; the next underlined heading ends the section. */
function numpyEntries(lines: readonly string[]): string[] {
  const entries: string[] = [];
  const margin = indentOf(lines.find((line) => line.trim() !== '') ?? '');
  for (const [at, line] of lines.entries()) {
    if (UNDERLINE.test(lines[at + 1] ?? '')) break;
    if (line.trim() === '' || indentOf(line) > margin) continue;
    const names = /^\s*((?:\\?\*{0,2}[\w.]+)(?:\s*,\s*\\?\*{0,2}[\w.]+)*)\s*(?::|$)/.exec(line)?.[1];
    if (names !== undefined) entries.push(...names.split(',').map((name) => name.trim()));
  }
  return entries;
}
