import type { SyntaxNode } from '../parsing/syntax-node.ts';
import type { IdentifierRole } from './identifier-role.ts';

const NAMES = new Set(['identifier', 'type_identifier', 'shorthand_field_identifier']);
const PLACES = new Set([
  'parameter',
  'let_declaration',
  'for_expression',
  'let_condition',
  'match_arm',
  'closure_parameters',
]);

export function classifyRustIdentifier(node: SyntaxNode): IdentifierRole {
  if (!NAMES.has(node.type)) return null;
  const parent = node.parent;
  if (parent === null) return 'uses';
  if (
    (parent.type === 'scoped_identifier' || parent.type === 'scoped_type_identifier') &&
    node.field === 'name'
  )
    return isImported(parent) ? 'imports' : null;
  if (isImported(node)) return 'imports';
  if (node.field === 'name' && (parent.type.endsWith('_item') || BINDERS.has(parent.type))) return 'binds';
  return inPattern(node) ? 'binds' : 'uses';
}

const BINDERS = new Set([
  'macro_definition',
  'type_parameter',
  'const_parameter',
  'associated_type',
  'enum_variant',
  'function_signature_item',
]);

function isImported(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | null = node; at; at = at.parent)
    if (at.type === 'use_declaration' || at.type === 'extern_crate_declaration') return true;
    else if (at.type.endsWith('_item') || at.type === 'block') return false;
  return false;
}

function inPattern(node: SyntaxNode): boolean {
  for (let at = node; at.parent; at = at.parent) {
    if (at.field === 'pattern') return PLACES.has(at.parent.type) || at.parent.type.endsWith('pattern');
    if (at.field === 'type' || at.field === 'value' || at.field === 'condition') return false;
    if (at.parent.type === 'closure_parameters') return true;
    if (!at.parent.type.endsWith('pattern')) return false;
  }
  return false;
}
