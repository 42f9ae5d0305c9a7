import { evaluateConstantString, normalizePythonIdentifier } from '../parsing/string-literal.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import {
  alwaysEnterNode,
  type ImportedName,
  type ImportKind,
  type ImportReader,
  type ImportReference,
} from './import-reference.ts';

const FLAG = 'TYPE_CHECKING';
const MAIN = /^\(?\s*__name__\s*==\s*(['"])__main__\1\s*\)?$/;
const STATEMENTS = new Set(['import_statement', 'import_from_statement']);
/** What has no statements in it, and mostly makes up a file. */
const EXPRESSIONS =
  /^(?:expression_statement|parameters|argument_list|string|return_statement|assert_statement|raise_statement|decorator|type)$/;

export const pythonImportReader: ImportReader = {
  createNodeFilter: (source) =>
    source.includes('import_module') || source.includes('__import__')
      ? alwaysEnterNode
      : (type) => !EXPRESSIONS.test(type),
  readImports: (root) => {
    const references: ImportReference[] = [];
    const checking: { readonly reference: ImportReference; readonly flag: string }[] = [];
    for (const node of root.walk()) {
      const isCall =
        node.type === 'call' && LOADERS.test(node.childForField('function')?.text.slice(-20) ?? '');
      if (!isCall && !STATEMENTS.has(node.type)) continue;
      const { kind, flag } = placeOf(node);
      for (const reference of isCall ? [call(node, kind)] : statement(node, kind)) {
        references.push(reference);
        if (flag) checking.push({ reference, flag });
      }
    }
    const set = valuesOf(root.source);
    const isFlag = (flag: string): boolean =>
      set.every((value) => value === 'False') && (set.length > 0 || isTypings(flag, references));
    const typeOnly = new Set(checking.filter(({ flag }) => isFlag(flag)).map(({ reference }) => reference));
    return references.map((reference) =>
      typeOnly.has(reference) ? { ...reference, kind: 'type' } : reference,
    );
  },
};

const LOADERS = /(?:^|\.)import_module$|^__import__$/;

/** Whether an import waits for a call, and the flag that keeps it for type checkers, as it is written. */
function placeOf(node: SyntaxNode): { readonly kind: ImportKind; readonly flag: string | null } {
  let kind: ImportKind = 'runtime';
  let flag: string | null = null;
  let inner = node;
  for (const outer of node.ancestors()) {
    if (outer.type === 'function_definition' || outer.type === 'lambda') kind = 'deferred';
    const condition =
      outer.type === 'if_statement' && inner.field === 'consequence'
        ? textOf(outer.childForField('condition'))
        : '';
    // A module that is imported is never the main one.
    if (MAIN.test(condition)) kind = 'deferred';
    if (condition === FLAG || condition.endsWith(`.${FLAG}`)) flag = condition;
    inner = outer;
  }
  return { kind, flag };
}

/** The text of a short node; longer ones are nothing that we know. */
const textOf = (node: SyntaxNode | null): string => (node && node.end - node.start < 200 ? node.text : '');

/** Whether a flag is the one of the `typing` module, and not a variable of the same name that is true at run time. */
function isTypings(flag: string, references: readonly ImportReference[]): boolean {
  const owner = flag === FLAG ? null : flag.slice(0, -FLAG.length - 1);
  return references.some(
    ({ specifier, names }) =>
      (specifier === 'typing' || specifier === 'typing_extensions') &&
      names.some(({ name, local }) =>
        owner === null ? name === FLAG && local === FLAG : name === '*' && local === owner,
      ),
  );
}

/** What the code itself sets the flag to: `False` is a custom that saves the import of `typing`. */
const valuesOf = (source: string): string[] =>
  [...source.matchAll(/\bTYPE_CHECKING[ \t]*(?::[^=\n]{0,40})?=(?!=)[ \t]*(\w*)/g)].map(
    (match) => match[1] ?? '',
  );

function statement(node: SyntaxNode, kind: ImportKind): ImportReference[] {
  const common = { kind, reexports: false, line: node.line };
  if (node.type === 'import_statement')
    return node.childrenForField('name').map((child) => {
      const specifier = dotted(child);
      const alias = child.childForField('alias')?.text;
      const local =
        alias === undefined ? (specifier.split('.')[0] ?? specifier) : normalizePythonIdentifier(alias);
      return { ...common, specifier, names: [{ name: '*', local }] };
    });
  const names: ImportedName[] = node.hasChildOfType('wildcard_import')
    ? [{ name: '*', local: null }]
    : node.childrenForField('name').map((child) => {
        const name = dotted(child);
        return { name, local: normalizePythonIdentifier(child.childForField('alias')?.text ?? name) };
      });
  const module = node.childForField('module_name');
  return [{ ...common, specifier: module === null ? null : dotted(module), names }];
}

/** `a.b`, `..a.b` or `.` without the blank space that may stand between its parts. */
function dotted(node: SyntaxNode): string {
  const from = node.type === 'aliased_import' ? (node.childForField('name') ?? node) : node;
  return normalizePythonIdentifier(from.text.replace(/\\\r?\n|\s/g, ''));
}

function call(node: SyntaxNode, kind: ImportKind): ImportReference {
  const [argument = null, second] = (node.childForField('arguments')?.namedChildren ?? []).filter(
    ({ type }) => type !== 'comment',
  );
  const specifier = evaluateConstantString(argument);
  // `import_module('.x', package)` depends on what the second argument is.
  const known = specifier?.startsWith('.') && second ? null : specifier;
  return { kind, specifier: known, names: [{ name: '*', local: null }], reexports: false, line: node.line };
}
