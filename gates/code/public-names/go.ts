import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { type ModulePublicNames, ModulePublicNamesBuilder } from './module-public-names.ts';

const SPECS = new Set(['var_spec', 'const_spec', 'type_spec', 'type_alias']);

/** What one file declares for its package; methods belong to their types. */
export function readGoPublicNames(root: SyntaxNode): ModulePublicNames {
  const surface = new ModulePublicNamesBuilder();
  for (const node of root.namedChildren) {
    if (node.type === 'function_declaration')
      surface.addOwnNames(node.childrenForField('name').map(({ text }) => text));
    if (!node.type.endsWith('_declaration') || node.type === 'method_declaration') continue;
    for (const spec of node.walk((inner) => !SPECS.has(inner.type) && !inner.type.startsWith('function')))
      if (SPECS.has(spec.type)) surface.addOwnNames(spec.childrenForField('name').map(({ text }) => text));
  }
  return surface;
}
