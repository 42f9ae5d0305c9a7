import { classifyPythonIdentifier } from '../names/python.ts';
import { normalizePythonIdentifier } from '../parsing/string-literal.ts';
import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { type ModulePublicNames, ModulePublicNamesBuilder } from './module-public-names.ts';

const SCOPES = new Set(['function_definition', 'lambda', 'class_definition']);
const DYNAMIC = /\b(?:globals|vars)\s*\(|\bsys\s*\.\s*modules\b|\bsetattr\s*\(|\bexec\s*\(/;

/** Names that a module or package has when it is imported, whatever way they come into it. */
export function readPythonPublicNames(root: SyntaxNode): ModulePublicNames {
  const surface = new ModulePublicNamesBuilder();
  const inside = (node: SyntaxNode): boolean => !SCOPES.has(node.type);
  for (const node of root.walk(inside)) {
    if (node.type === 'wildcard_import') surface.mayHaveMoreNames = true;
    const definition = SCOPES.has(node.type) ? node.childForField('name') : null;
    if (definition) surface.addOwnNames([normalizePythonIdentifier(definition.text)]);
    if (node.type !== 'identifier') continue;
    const role = classifyPythonIdentifier(node);
    if (role === 'binds') surface.addOwnNames([normalizePythonIdentifier(node.text)]);
    if (role === 'imports') surface.addReexportedNames([normalizePythonIdentifier(node.text)]);
  }
  for (const node of root.walk())
    if (node.type === 'global_statement')
      surface.addOwnNames(node.namedChildren.map((name) => normalizePythonIdentifier(name.text)));
  if (surface.names.has('__getattr__') || DYNAMIC.test(root.source)) surface.mayHaveMoreNames = true;
  return surface;
}
