import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { findParentOutsidePattern, type IdentifierRole } from './identifier-role.ts';

const PATTERNS = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'list_splat_pattern',
  'dictionary_splat_pattern',
]);
/** Where a pattern gives names, by the node and the place in it; '' is any place. */
const BINDING: Readonly<Record<string, string>> = {
  function_definition: 'name',
  class_definition: 'name',
  parameters: '',
  lambda_parameters: '',
  default_parameter: 'name',
  typed_default_parameter: 'name',
  assignment: 'left',
  for_statement: 'left',
  for_in_clause: 'left',
  as_pattern_target: '',
  named_expression: 'name',
  case_pattern: '',
  type_alias_statement: 'left',
};

export function classifyPythonIdentifier(node: SyntaxNode): IdentifierRole {
  if (node.type !== 'identifier') return null;
  const direct = node.parent;
  if (direct?.type === 'attribute' && node.field === 'attribute') return null;
  if (direct?.type === 'keyword_argument' && node.field === 'name') return null;
  if (direct?.type === 'global_statement' || direct?.type === 'nonlocal_statement') return null;
  if (direct?.type === 'dotted_name' || direct?.type === 'aliased_import') return importRole(direct);
  const { place, parent } = findParentOutsidePattern(node, PATTERNS);
  if (parent === null) return 'uses';
  // `name: type` has no place of its own for the name.
  if (parent.type === 'typed_parameter') return place.field === 'type' ? 'uses' : 'binds';
  const where = BINDING[parent.type];
  if (where === undefined) return 'uses';
  return where === '' || place.field === where ? 'binds' : 'uses';
}

function importRole(node: SyntaxNode): IdentifierRole {
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    if (
      at.type === 'import_statement' ||
      at.type === 'import_from_statement' ||
      at.type === 'future_import_statement'
    )
      return 'imports';
    // `case a.b:` and decorators also have dotted names.
    if (at.type === 'case_pattern') return node.children.length > 1 ? 'uses' : 'binds';
  }
  return 'uses';
}
