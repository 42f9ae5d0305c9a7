import { pythonRole } from '../names/python.ts';
import { pythonName } from '../parsing/identifier.ts';
import type { Syntax } from '../parsing/syntax.ts';
import { type Surface, SurfaceBuilder } from './surface.ts';

const SCOPES = new Set(['function_definition', 'lambda', 'class_definition']);
const DYNAMIC = /\b(?:globals|vars)\s*\(|\bsys\s*\.\s*modules\b|\bsetattr\s*\(|\bexec\s*\(/;

/** Names that a module or package has when it is imported, whatever way they come into it. */
export function pythonSurface(root: Syntax): Surface {
  const surface = new SurfaceBuilder();
  const inside = (node: Syntax): boolean => !SCOPES.has(node.type);
  for (const node of root.walk(inside)) {
    if (node.type === 'wildcard_import') surface.open = true;
    const definition = SCOPES.has(node.type) ? node.child('name') : null;
    if (definition) surface.define([pythonName(definition.text)]);
    if (node.type !== 'identifier') continue;
    const role = pythonRole(node);
    if (role === 'binds') surface.define([pythonName(node.text)]);
    if (role === 'imports') surface.passOn([pythonName(node.text)]);
  }
  for (const node of root.walk())
    if (node.type === 'global_statement')
      surface.define(node.namedChildren.map((name) => pythonName(name.text)));
  if (surface.names.has('__getattr__') || DYNAMIC.test(root.source)) surface.open = true;
  return surface;
}
