import { classifyJavascriptIdentifier } from '../names/javascript.ts';
import { decodeIdentifier, evaluateConstantString } from '../parsing/string-literal.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { type ModulePublicNames, ModulePublicNamesBuilder } from './module-public-names.ts';

/** Exports of an ES or CommonJS module, and its types. What `export *` passes on is not in it. */
export function readJavascriptPublicNames(root: SyntaxNode): ModulePublicNames {
  const surface = new ModulePublicNamesBuilder();
  for (const node of root.namedChildren)
    if (node.type === 'export_statement') addExportStatement(node, surface);
  if (/\bexports\b/.test(root.source)) commonjs(root, surface);
  return surface;
}

function addExportStatement(node: SyntaxNode, surface: ModulePublicNamesBuilder): void {
  if (node.hasChildOfType('=')) surface.mayHaveMoreNames = true;
  if (node.hasChildOfType('default')) surface.addOwnNames(['default']);
  const declaration = node.childForField('declaration');
  if (declaration && !node.hasChildOfType('default')) surface.addOwnNames(listDeclaredNames(declaration));
  const from = node.childForField('source') !== null;
  const namespace = node.firstChildOfType('namespace_export')?.firstChildOfType('identifier', 'string');
  if (namespace) surface.addReexportedNames([keyName(namespace)]);
  for (const specifier of node.firstChildOfType('export_clause')?.namedChildren ?? []) {
    const name = specifier.childForField('alias') ?? specifier.childForField('name');
    if (!name) continue;
    if (from) surface.addReexportedNames([keyName(name)]);
    else surface.addOwnNames([keyName(name)]);
  }
}

/** The names that a declaration gives, patterns included. */
export function listDeclaredNames(declaration: SyntaxNode): string[] {
  if (declaration.type === 'ambient_declaration') return declaration.namedChildren.flatMap(listDeclaredNames);
  if (declaration.type === 'expression_statement')
    return declaration.namedChildren.flatMap(listDeclaredNames);
  const own = declaration.childForField('name');
  if (own) return [keyName(own)];
  return declaration.namedChildren
    .filter(({ type }) => type === 'variable_declarator')
    .flatMap((declarator) => {
      const pattern = declarator.childForField('name');
      return pattern
        ? [...pattern.walk()]
            .filter((node) => classifyJavascriptIdentifier(node) === 'binds')
            .map(decodeIdentifier)
        : [];
    });
}

function commonjs(root: SyntaxNode, surface: ModulePublicNamesBuilder): void {
  for (const node of root.walk()) {
    if (
      node.type === 'call_expression' &&
      /^(?:Object\.(?:assign|definePropert)|__export|module\.exports)/.test(node.text)
    ) {
      if (/\bexports\b/.test(node.childForField('arguments')?.text ?? '') || node.text.startsWith('__export'))
        surface.mayHaveMoreNames = true;
      continue;
    }
    if (node.type !== 'assignment_expression') continue;
    const left = node.childForField('left');
    const object = left?.childForField('object')?.text;
    const property = left?.childForField('property');
    if (left?.text === 'module.exports' || left?.text === 'exports')
      addModuleExports(node.childForField('right'), surface);
    else if (property && (object === 'exports' || object === 'module.exports'))
      surface.addOwnNames([keyName(property)]);
    else if (left?.type === 'subscript_expression' && /^(?:module\.)?exports$/.test(object ?? ''))
      surface.mayHaveMoreNames = true;
  }
}

/** `module.exports = value`. */
function addModuleExports(value: SyntaxNode | null, surface: ModulePublicNamesBuilder): void {
  surface.addOwnNames(['default']);
  // What a function or a class has as properties is beyond us, and so is any other value.
  if (value?.type !== 'object') surface.mayHaveMoreNames = true;
  for (const child of value?.type === 'object' ? value.namedChildren : []) {
    const key =
      child.childForField('key') ??
      child.childForField('name') ??
      (child.type === 'shorthand_property_identifier' ? child : null);
    if (key === null || key.type === 'computed_property_name')
      surface.mayHaveMoreNames ||= child.type !== 'comment';
    else surface.addOwnNames([keyName(key)]);
  }
}

const keyName = (node: SyntaxNode): string =>
  node.type === 'string' ? (evaluateConstantString(node) ?? '') : decodeIdentifier(node);
