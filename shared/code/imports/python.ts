import type { Node } from '@vscode/tree-sitter-wasm';
import { pythonName } from '../identifier.ts';
import { stringValue } from '../literal.ts';
import { type Syntax, toSyntax } from '../syntax.ts';
import {
  around,
  type ImportedName,
  type ImportKind,
  type ImportReader,
  type ImportReference,
} from './reference.ts';

const STATEMENTS = '[(import_statement) (import_from_statement)] @statement';
const CALLS = `${STATEMENTS}
  (call function: (identifier) @callee (#any-of? @callee "__import__" "import_module")) @call
  (call function: (attribute attribute: (identifier) @callee) (#eq? @callee "import_module")) @call`;
const FLAG = 'TYPE_CHECKING';
const MAIN = /^\(?\s*__name__\s*==\s*(['"])__main__\1\s*\)?$/;

export const pythonImports: ImportReader = (tree, { query }, source) => {
  const references: ImportReference[] = [];
  const checking: { readonly reference: ImportReference; readonly flag: string }[] = [];
  const dynamic = source.includes('import_module') || source.includes('__import__');
  for (const { name, node } of query(dynamic ? CALLS : STATEMENTS).captures(tree.rootNode)) {
    if (name === 'callee') continue;
    const { kind, flag } = placeOf(node);
    for (const reference of name === 'call'
      ? [call(toSyntax(node, source), kind)]
      : statement(toSyntax(node, source), kind)) {
      references.push(reference);
      if (flag) checking.push({ reference, flag });
    }
  }
  const set = valuesOf(source);
  const isFlag = (flag: string): boolean =>
    set.every((value) => value === 'False') && (set.length > 0 || isTypings(flag, references));
  const typeOnly = new Set(checking.filter(({ flag }) => isFlag(flag)).map(({ reference }) => reference));
  return references.map((reference) =>
    typeOnly.has(reference) ? { ...reference, kind: 'type' } : reference,
  );
};

/** Whether an import waits for a call, and the flag that keeps it for type checkers, as it is written. */
function placeOf(node: Node): { readonly kind: ImportKind; readonly flag: string | null } {
  let kind: ImportKind = 'runtime';
  let flag: string | null = null;
  for (const { outer, inner } of around(node)) {
    if (outer.type === 'function_definition' || outer.type === 'lambda') kind = 'deferred';
    if (outer.type !== 'if_statement' || outer.childForFieldName('consequence')?.id !== inner.id) continue;
    const condition = outer.childForFieldName('condition')?.text ?? '';
    // A module that is imported is never the main one.
    if (MAIN.test(condition)) kind = 'deferred';
    if (condition === FLAG || condition.endsWith(`.${FLAG}`)) flag = condition;
  }
  return { kind, flag };
}

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

function statement(node: Syntax, kind: ImportKind): ImportReference[] {
  const common = { kind, reexports: false, line: node.line };
  if (node.type === 'import_statement')
    return node.childrenAt('name').map((child) => {
      const specifier = dotted(child);
      const alias = child.child('alias')?.text;
      const local = alias === undefined ? (specifier.split('.')[0] ?? specifier) : pythonName(alias);
      return { ...common, specifier, names: [{ name: '*', local }] };
    });
  const names: ImportedName[] = node.has('wildcard_import')
    ? [{ name: '*', local: null }]
    : node.childrenAt('name').map((child) => {
        const name = dotted(child);
        return { name, local: pythonName(child.child('alias')?.text ?? name) };
      });
  const module = node.child('module_name');
  return [{ ...common, specifier: module === null ? null : dotted(module), names }];
}

/** `a.b`, `..a.b` or `.` without the blank space that may stand between its parts. */
function dotted(node: Syntax): string {
  const from = node.type === 'aliased_import' ? (node.child('name') ?? node) : node;
  return pythonName(from.text.replace(/\\\r?\n|\s/g, ''));
}

function call(node: Syntax, kind: ImportKind): ImportReference {
  const [argument = null, second] = (node.child('arguments')?.namedChildren ?? []).filter(
    ({ type }) => type !== 'comment',
  );
  const specifier = stringValue(argument);
  // `import_module('.x', package)` depends on what the second argument is.
  const known = specifier?.startsWith('.') && second ? null : specifier;
  return { kind, specifier: known, names: [{ name: '*', local: null }], reexports: false, line: node.line };
}
