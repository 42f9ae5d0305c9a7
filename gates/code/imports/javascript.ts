import { decodeIdentifier, evaluateConstantString } from '../parsing/string-literal.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import {
  alwaysEnterNode,
  type ImportedName,
  type ImportKind,
  type ImportReader,
  type ImportReference,
} from './import-reference.ts';

/** Where import and export statements stand; calls may stand everywhere. */
const PLACES = new Set([
  'program',
  'import_statement',
  'import_clause',
  'named_imports',
  'import_specifier',
  'namespace_import',
  'import_require_clause',
  'export_statement',
  'export_clause',
  'export_specifier',
  'namespace_export',
  'string',
  'expression_statement',
  'ambient_declaration',
  'module',
  'internal_module',
  'statement_block',
  'ERROR',
]);
const DYNAMIC = /\brequire\b|\bimport\s*\(/;

/** ES modules, `require` and `import()`; also of TypeScript. */
export const javascriptImportReader: ImportReader = {
  createNodeFilter: (source) => (DYNAMIC.test(source) ? alwaysEnterNode : (type) => PLACES.has(type)),
  readImports: (root) => [...root.walk()].flatMap(referencesAt),
};

function referencesAt(node: SyntaxNode): ImportReference[] {
  switch (node.type) {
    case 'import_statement':
      return statement(node);
    case 'export_statement':
      return node.childForField('source') ? statement(node) : [];
    case 'call_expression': {
      const callee = node.childForField('function');
      const loads = callee?.type === 'import' || (callee?.type === 'identifier' && callee.text === 'require');
      return loads ? [call(node, whenCalled(node))] : [];
    }
    case 'identifier':
      // Whoever holds `require` under another name can load anything with it.
      return node.text === 'require' && isPassedOn(node)
        ? [{ kind: 'runtime', specifier: null, names: [], reexports: false, line: node.line }]
        : [];
    default:
      return [];
  }
}

function statement(node: SyntaxNode): ImportReference[] {
  const clause = node.firstChildOfType('import_require_clause');
  const specifier = evaluateConstantString(
    node.childForField('source') ?? clause?.childForField('source') ?? null,
  );
  const names = clause
    ? [{ name: '*', local: clause.firstChildOfType('identifier')?.text ?? null }]
    : node.type === 'import_statement'
      ? importedNames(node)
      : exportedNames(node);
  return [
    {
      kind: isTypeOnly(node) ? 'type' : 'runtime',
      specifier,
      names,
      reexports: node.type === 'export_statement',
      line: node.line,
    },
  ];
}

/** `import type`, or a list in which every name is marked as a type. */
function isTypeOnly(node: SyntaxNode): boolean {
  if (node.children.some((child) => child.type === 'type' || child.type === 'typeof')) return true;
  const clause = node.firstChildOfType('import_clause');
  const list = clause ? clause.firstChildOfType('named_imports') : node.firstChildOfType('export_clause');
  if (!list || clause?.firstChildOfType('identifier', 'namespace_import')) return false;
  const names = list.namedChildren.filter(isSpecifier);
  return (
    names.length > 0 && names.every((name) => name.hasChildOfType('type') || name.hasChildOfType('typeof'))
  );
}

const isSpecifier = (node: SyntaxNode): boolean =>
  node.type === 'import_specifier' || node.type === 'export_specifier';

function importedNames(node: SyntaxNode): ImportedName[] {
  const clause = node.firstChildOfType('import_clause');
  if (!clause) return [];
  return clause.namedChildren.flatMap((child): ImportedName[] => {
    if (child.type === 'identifier') return [{ name: 'default', local: decodeIdentifier(child) }];
    if (child.type === 'namespace_import') {
      const local = child.firstChildOfType('identifier');
      return [{ name: '*', local: local && decodeIdentifier(local) }];
    }
    return child.type === 'named_imports' ? specifiers(child) : [];
  });
}

function exportedNames(node: SyntaxNode): ImportedName[] {
  const clause = node.firstChildOfType('export_clause');
  if (clause) return specifiers(clause);
  const namespace =
    node.firstChildOfType('namespace_export')?.firstChildOfType('identifier', 'string') ?? null;
  return [{ name: '*', local: namespace && nameOf(namespace) }];
}

const specifiers = (list: SyntaxNode): ImportedName[] =>
  list.namedChildren.filter(isSpecifier).map((specifier) => {
    const name = nameOf(specifier.childForField('name'));
    return { name, local: nameOf(specifier.childForField('alias')) || name };
  });

const nameOf = (node: SyntaxNode | null): string =>
  node === null ? '' : node.type === 'string' ? (evaluateConstantString(node) ?? '') : decodeIdentifier(node);

function call(node: SyntaxNode, kind: ImportKind): ImportReference {
  const argument =
    node.childForField('arguments')?.namedChildren.find((child) => child.type !== 'comment') ?? null;
  return {
    kind,
    specifier: evaluateConstantString(argument),
    names: [{ name: '*', local: null }],
    reexports: false,
    line: node.line,
  };
}

const FUNCTIONS = new Set([
  'function_declaration',
  'function_expression',
  'function',
  'arrow_function',
  'method_definition',
  'generator_function',
  'generator_function_declaration',
]);

function whenCalled(node: SyntaxNode): ImportKind {
  for (const { type } of node.ancestors()) if (FUNCTIONS.has(type)) return 'deferred';
  return 'runtime';
}

/** Whether an identifier stands where its value is taken, neither called nor looked into nor declared. */
function isPassedOn({ parent, field }: SyntaxNode): boolean {
  if (!parent) return false;
  if (parent.type === 'call_expression') return field !== 'function';
  if (parent.type === 'variable_declarator') return field === 'value';
  return ['assignment_expression', 'arguments', 'return_statement', 'pair', 'array'].includes(parent.type);
}
