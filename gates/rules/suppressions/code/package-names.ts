import { evaluateConstantString } from '../../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getLoadedModule } from './dotted-names.ts';

/** Modules of the project itself: by path, by an alias, or by one of the folders that stand at its top. */
const OWN = /^(?:$|[.#~/]|@\/|(?:src|lib|app|server|client|shared|utils|components|packages)\/)/;

const KNOWN = new WeakMap<SyntaxNode, ReadonlySet<string>>();

/** Names that a file of JavaScript has from packages, or makes out of what it has from them. */
export function findPackageNames(node: SyntaxNode): ReadonlySet<string> {
  let root = node;
  while (root.parent) root = root.parent;
  const known = KNOWN.get(root) ?? read(root);
  KNOWN.set(root, known);
  return known;
}

/** The name that a chain of members and calls begins with; empty for none. */
export function getRootIdentifier(node: SyntaxNode | null): string {
  let at = node;
  while (at && at.type !== 'identifier')
    at =
      at.childForField('object') ??
      at.childForField('function') ??
      at.childForField('constructor') ??
      (/^(?:await|parenthesized)_expression$/.test(at.type) ? (at.namedChildren[0] ?? null) : null);
  return at?.text ?? '';
}

function read(root: SyntaxNode): Set<string> {
  const names = new Set<string>();
  const learn = (pattern: SyntaxNode | null): void => {
    for (const each of pattern?.walk() ?? [])
      if (/^(?:identifier|shorthand_property_identifier_pattern)$/.test(each.type)) names.add(each.text);
  };
  for (const node of root.walk()) {
    if (node.type === 'import_statement') {
      const source = evaluateConstantString(node.childForField('source'));
      if (source !== null && !OWN.test(source)) learn(node.firstChildOfType('import_clause'));
    } else if (node.type === 'variable_declarator') {
      const value = node.childForField('value');
      const module = value?.type === 'call_expression' ? getLoadedModule(value) : null;
      if (module !== null ? !OWN.test(module) : names.has(getRootIdentifier(value)))
        learn(node.childForField('name'));
    }
  }
  return names;
}
