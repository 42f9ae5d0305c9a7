import { javascriptRole } from '../names/javascript.ts';
import { identifierName } from '../parsing/identifier.ts';
import { stringValue } from '../parsing/literal.ts';
import type { Syntax } from '../parsing/syntax.ts';
import { type Surface, SurfaceBuilder } from './surface.ts';

/** Exports of an ES or CommonJS module, and its types. What `export *` passes on is not in it. */
export function javascriptSurface(root: Syntax): Surface {
  const surface = new SurfaceBuilder();
  for (const node of root.namedChildren) if (node.type === 'export_statement') exported(node, surface);
  if (/\bexports\b/.test(root.source)) commonjs(root, surface);
  return surface;
}

function exported(node: Syntax, surface: SurfaceBuilder): void {
  if (node.has('=')) surface.open = true;
  if (node.has('default')) surface.define(['default']);
  const declaration = node.child('declaration');
  if (declaration && !node.has('default')) surface.define(declared(declaration));
  const from = node.child('source') !== null;
  const namespace = node.first('namespace_export')?.first('identifier', 'string');
  if (namespace) surface.passOn([keyName(namespace)]);
  for (const specifier of node.first('export_clause')?.namedChildren ?? []) {
    const name = specifier.child('alias') ?? specifier.child('name');
    if (!name) continue;
    if (from) surface.passOn([keyName(name)]);
    else surface.define([keyName(name)]);
  }
}

/** The names that a declaration gives, patterns included. */
export function declared(declaration: Syntax): string[] {
  if (declaration.type === 'ambient_declaration') return declaration.namedChildren.flatMap(declared);
  if (declaration.type === 'expression_statement') return declaration.namedChildren.flatMap(declared);
  const own = declaration.child('name');
  if (own) return [keyName(own)];
  return declaration.namedChildren
    .filter(({ type }) => type === 'variable_declarator')
    .flatMap((declarator) => {
      const pattern = declarator.child('name');
      return pattern
        ? [...pattern.walk()].filter((node) => javascriptRole(node) === 'binds').map(identifierName)
        : [];
    });
}

function commonjs(root: Syntax, surface: SurfaceBuilder): void {
  for (const node of root.walk()) {
    if (
      node.type === 'call_expression' &&
      /^(?:Object\.(?:assign|definePropert)|__export|module\.exports)/.test(node.text)
    ) {
      if (/\bexports\b/.test(node.child('arguments')?.text ?? '') || node.text.startsWith('__export'))
        surface.open = true;
      continue;
    }
    if (node.type !== 'assignment_expression') continue;
    const left = node.child('left');
    const object = left?.child('object')?.text;
    const property = left?.child('property');
    if (left?.text === 'module.exports' || left?.text === 'exports') whole(node.child('right'), surface);
    else if (property && (object === 'exports' || object === 'module.exports'))
      surface.define([keyName(property)]);
    else if (left?.type === 'subscript_expression' && /^(?:module\.)?exports$/.test(object ?? ''))
      surface.open = true;
  }
}

/** `module.exports = value`. */
function whole(value: Syntax | null, surface: SurfaceBuilder): void {
  surface.define(['default']);
  // What a function or a class has as properties is beyond us, and so is any other value.
  if (value?.type !== 'object') surface.open = true;
  for (const child of value?.type === 'object' ? value.namedChildren : []) {
    const key =
      child.child('key') ??
      child.child('name') ??
      (child.type === 'shorthand_property_identifier' ? child : null);
    if (key === null || key.type === 'computed_property_name') surface.open ||= child.type !== 'comment';
    else surface.define([keyName(key)]);
  }
}

const keyName = (node: Syntax): string =>
  node.type === 'string' ? (stringValue(node) ?? '') : identifierName(node);
