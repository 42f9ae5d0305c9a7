import type { Syntax } from '../parsing/syntax.ts';
import { type Surface, SurfaceBuilder } from './surface.ts';

/** Items of a module, public or not: whoever may see them, they have to be there. Macros have rules of their own. */
export function rustSurface(root: Syntax): Surface {
  const surface = new SurfaceBuilder();
  for (const node of root.namedChildren) {
    const name = node.type.endsWith('_item') ? node.child('name') : null;
    if (name) surface.define([name.text]);
    if (node.type === 'use_declaration') {
      for (const inner of node.walk()) {
        if (inner.type === 'use_wildcard') surface.open = true;
        if (inner.type === 'identifier' || inner.type === 'type_identifier') surface.passOn([inner.text]);
      }
    }
    if (node.type === 'extern_crate_declaration') surface.passOn([node.child('name')?.text ?? '']);
    // A macro between the items may make any number of them.
    if (node.type === 'macro_invocation' || node.first('macro_invocation')) surface.open = true;
  }
  return surface;
}
