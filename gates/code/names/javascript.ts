import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { findParentOutsidePattern, type IdentifierRole } from './identifier-role.ts';

const PATTERNS = new Set(['object_pattern', 'array_pattern', 'rest_pattern']);
const NAMED = new Set([
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'function_signature',
  'class_declaration',
  'class',
  'abstract_class_declaration',
  'variable_declarator',
  'enum_declaration',
  'interface_declaration',
  'type_alias_declaration',
  'internal_module',
  'module',
  'type_parameter',
]);
const PARAMETERS = new Set(['formal_parameters', 'required_parameter', 'optional_parameter']);
const NAMES = new Set([
  'identifier',
  'type_identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
]);

export function classifyJavascriptIdentifier(node: SyntaxNode): IdentifierRole {
  if (!NAMES.has(node.type)) return null;
  const direct = node.parent;
  if (direct === null) return 'uses';
  if (
    direct.type === 'import_specifier' ||
    direct.type === 'import_clause' ||
    direct.type === 'namespace_import'
  )
    return 'imports';
  if (direct.type === 'import_require_clause') return 'imports';
  if (direct.type === 'export_specifier') return exportRole(node, direct);
  if (direct.type === 'namespace_export') return null;
  if (direct.type === 'nested_type_identifier' && node.field === 'name') return null;
  return inPattern(node) ? 'binds' : 'uses';
}

/** `export { name as alias }` uses the name; with `from` it is a name of another module. */
function exportRole(node: SyntaxNode, specifier: SyntaxNode): IdentifierRole {
  const from = specifier.parent?.parent?.childForField('source') ?? null;
  return node.field === 'name' && from === null ? 'uses' : null;
}

function inPattern(node: SyntaxNode): boolean {
  let { place, parent } = findParentOutsidePattern(node, PATTERNS);
  // `{ key: name = value }`: the way up leads through pairs and defaults, on the side of the name only.
  while (parent) {
    const isName =
      (parent.type === 'pair_pattern' && place.field === 'value') ||
      ((parent.type === 'assignment_pattern' || parent.type === 'object_assignment_pattern') &&
        place.field === 'left');
    if (!isName) break;
    ({ place, parent } = findParentOutsidePattern(parent, PATTERNS));
  }
  if (parent === null) return false;
  if (NAMED.has(parent.type)) return place.field === 'name';
  if (PARAMETERS.has(parent.type))
    return place.field !== 'type' && place.field !== 'value' && place.field !== 'decorator';
  if (parent.type === 'arrow_function') return place.field === 'parameter';
  if (parent.type === 'catch_clause') return place.field === 'parameter';
  return (
    parent.type === 'for_in_statement' && place.field === 'left' && parent.childForField('kind') !== null
  );
}
