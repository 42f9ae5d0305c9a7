import type { Syntax } from '../parsing/syntax.ts';
import { type Surface, SurfaceBuilder } from './surface.ts';

const SPECS = new Set(['var_spec', 'const_spec', 'type_spec', 'type_alias']);

/** What one file declares for its package; methods belong to their types. */
export function goSurface(root: Syntax): Surface {
  const surface = new SurfaceBuilder();
  for (const node of root.namedChildren) {
    if (node.type === 'function_declaration') surface.define(node.childrenAt('name').map(({ text }) => text));
    if (!node.type.endsWith('_declaration') || node.type === 'method_declaration') continue;
    for (const spec of node.walk((inner) => !SPECS.has(inner.type) && !inner.type.startsWith('function')))
      if (SPECS.has(spec.type)) surface.define(spec.childrenAt('name').map(({ text }) => text));
  }
  return surface;
}
