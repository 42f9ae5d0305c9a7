import type { SyntaxNode } from '../parsing/syntax-node.ts';

/**
 * What an identifier does where it stands: it gives a name to something (`binds`), brings one in (`imports`), or refers to
 * something by its name (`uses`). Members after a dot and keys of literals do none of it.
 */
export type IdentifierRole = 'binds' | 'imports' | 'uses' | null;

/** The nearest node above that is not just a part of a pattern. */
export function findParentOutsidePattern(
  node: SyntaxNode,
  patterns: ReadonlySet<string>,
): { readonly place: SyntaxNode; readonly parent: SyntaxNode | null } {
  let place = node;
  for (; place.parent && patterns.has(place.parent.type); place = place.parent);
  return { place, parent: place.parent };
}
