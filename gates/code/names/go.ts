import type { SyntaxNode } from '../parsing/syntax-node.ts';
import type { IdentifierRole } from './identifier-role.ts';

const NAMES = new Set(['identifier', 'type_identifier', 'package_identifier', 'blank_identifier']);
const NAMED = new Set([
  'function_declaration',
  'var_spec',
  'const_spec',
  'type_spec',
  'type_alias',
  'parameter_declaration',
  'variadic_parameter_declaration',
  'type_parameter_declaration',
]);

export function classifyGoIdentifier(node: SyntaxNode): IdentifierRole {
  if (!NAMES.has(node.type)) return null;
  const parent = node.parent;
  if (parent === null) return 'uses';
  if (parent.type === 'import_spec') return 'imports';
  if (parent.type === 'package_clause') return null;
  if (NAMED.has(parent.type)) return node.field === 'name' ? 'binds' : 'uses';
  if (parent.type === 'qualified_type' && node.field === 'name') return null;
  if (parent.type === 'expression_list' && parent.field === 'left') return assigned(parent.parent);
  if (parent.type === 'type_switch_statement' && node.field === 'alias') return 'binds';
  // `Type{name: 1}`: the name of a field, or a constant; who can tell?
  if (parent.type === 'literal_element' && parent.field === 'key') return null;
  return 'uses';
}

const assigned = (node: SyntaxNode | null): IdentifierRole =>
  node?.type === 'short_var_declaration' ||
  (node?.type !== 'assignment_statement' && node?.hasChildOfType(':='))
    ? 'binds'
    : 'uses';
