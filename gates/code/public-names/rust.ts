import type { SyntaxNode } from '../parsing/syntax-node.ts';
import { type ModulePublicNames, ModulePublicNamesBuilder } from './module-public-names.ts';

/** Items of a module, public or not: whoever may see them, they have to be there. Macros have rules of their own. */
export function readRustPublicNames(root: SyntaxNode): ModulePublicNames {
  const surface = new ModulePublicNamesBuilder();
  for (const node of root.namedChildren) {
    const name = node.type.endsWith('_item') ? node.childForField('name') : null;
    if (name) surface.addOwnNames([name.text]);
    if (node.type === 'use_declaration') {
      for (const inner of node.walk()) {
        if (inner.type === 'use_wildcard') surface.mayHaveMoreNames = true;
        if (inner.type === 'identifier' || inner.type === 'type_identifier')
          surface.addReexportedNames([inner.text]);
      }
    }
    if (node.type === 'extern_crate_declaration')
      surface.addReexportedNames([node.childForField('name')?.text ?? '']);
    // A macro between the items may make any number of them.
    if (node.type === 'macro_invocation' || node.firstChildOfType('macro_invocation'))
      surface.mayHaveMoreNames = true;
  }
  return surface;
}
