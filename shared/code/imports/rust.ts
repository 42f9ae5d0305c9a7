import type { Node } from '@vscode/tree-sitter-wasm';
import { type Syntax, toSyntax } from '../syntax.ts';
import {
  around,
  type ImportedName,
  type ImportKind,
  type ImportReader,
  type ImportReference,
} from './reference.ts';

const QUERY = `
  (use_declaration) @use
  (mod_item) @mod
  (extern_crate_declaration) @crate
  (scoped_identifier) @path
  (scoped_type_identifier) @path`;

/**
 * `use`, `mod` and full paths in code. A specifier is a path from the module that the file is: `self::a::b`, `super::b`, `crate::b`,
 * or `name::b` where `name` is a crate or a module beside. `mod` becomes `contains`, with the value of `#[path]` after a `=`.
 */
export const rustImports: ImportReader = (tree, { query }, source) => {
  const references: ImportReference[] = [];
  // A path is made of shorter paths; only the whole one counts.
  let seenUntil = 0;
  for (const { name, node } of query(QUERY).captures(tree.rootNode)) {
    if (node.startIndex < seenUntil) continue;
    if (name === 'mod') {
      if (node.childForFieldName('body')) continue;
      references.push(declared(node));
    } else if (name === 'path') {
      seenUntil = node.endIndex;
      const path = node.text.replace(/\s|<.*/gs, '');
      if (/^(crate|self|super)::|^[a-z_]\w*::/.test(path)) references.push(reference(node, path, []));
    } else {
      seenUntil = node.endIndex;
      references.push(...used(node, toSyntax(node, source)));
    }
  }
  return references;
};

interface Place {
  readonly kind: ImportKind;
  /** Modules of the same file that a node is in, outermost first. */
  readonly inside: readonly string[];
}

function placeOf(node: Node): Place {
  const inside: string[] = [];
  let kind: ImportKind = 'runtime';
  for (const { outer } of around(node)) {
    if (isForTests(outer)) kind = 'test';
    if (outer.type === 'mod_item') inside.unshift(outer.childForFieldName('name')?.text ?? '');
  }
  if (isForTests(node)) kind = 'test';
  return { kind, inside };
}

/** `#[cfg(test)]` or `#[test]` before an item. */
function isForTests(node: Node): boolean {
  if (!node.type.endsWith('_item') && !node.type.endsWith('_declaration')) return false;
  for (let before = node.previousNamedSibling; before; before = before.previousNamedSibling) {
    if (before.type !== 'attribute_item') return false;
    if (/^#\[\s*(cfg\s*\(\s*(all\s*\(\s*)?test\b|(\w+::)*test\b)/.test(before.text)) return true;
  }
  return false;
}

/** A path as seen from the file: what is inside a module of the file loses that module. */
function fromFile(path: string, inside: readonly string[]): string {
  let parts = path.split('::');
  const outer = [...inside];
  while (parts[0] === 'super' && outer.length > 0) {
    outer.pop();
    parts = parts.slice(1);
    if (parts[0] !== 'super') return ['self', ...outer, ...parts].join('::');
  }
  return parts[0] === 'self' ? ['self', ...outer, ...parts.slice(1)].join('::') : parts.join('::');
}

function reference(
  node: Node,
  path: string,
  names: readonly ImportedName[],
  reexports = false,
): ImportReference {
  const { kind, inside } = placeOf(node);
  return { kind, specifier: fromFile(path, inside), names, reexports, line: node.startPosition.row + 1 };
}

function declared(node: Node): ImportReference {
  const name = node.childForFieldName('name')?.text ?? '';
  const { kind, inside } = placeOf(node);
  const path = /^#\[\s*path\s*=\s*"([^"]*)"/.exec(node.previousNamedSibling?.text ?? '')?.[1];
  return {
    kind: kind === 'test' ? 'test' : 'contains',
    specifier: `${['self', ...inside, name].join('::')}${path === undefined ? '' : `=${path}`}`,
    names: [],
    reexports: false,
    line: node.startPosition.row + 1,
  };
}

function used(node: Node, declaration: Syntax): ImportReference[] {
  if (node.type === 'extern_crate_declaration') {
    const name = declaration.child('name')?.text ?? '';
    const local = declaration.child('alias')?.text ?? name;
    return [reference(node, name, [{ name: '*', local }])];
  }
  const argument = declaration.child('argument');
  const reexports = declaration.has('visibility_modifier');
  return argument
    ? leaves(argument, '').map(({ path, name }) => reference(node, path, [name], reexports))
    : [];
}

interface Leaf {
  readonly path: string;
  readonly name: ImportedName;
}

const plain = (node: Syntax | null): string => node?.text.replace(/\s/g, '') ?? '';
const under = (prefix: string, path: string): string => (prefix === '' ? path : `${prefix}::${path}`);

/** Every path that a tree of `use` names, e.g. `a::{b, c::d}`. */
function leaves(node: Syntax, prefix: string): Leaf[] {
  switch (node.type) {
    case 'use_list':
      return node.namedChildren.flatMap((child) => leaves(child, prefix));
    case 'scoped_use_list': {
      const list = node.child('list');
      return list ? leaves(list, under(prefix, plain(node.child('path')))) : [];
    }
    case 'use_wildcard':
      return [
        { path: under(prefix, plain(node.namedChildren[0] ?? null)), name: { name: '*', local: null } },
      ];
    case 'use_as_clause':
      return [leaf(under(prefix, plain(node.child('path'))), node.child('alias')?.text ?? null)];
    case 'self':
      return [leaf(prefix, null)];
    case 'line_comment':
    case 'block_comment':
      return [];
    default:
      return [leaf(under(prefix, plain(node)), null)];
  }
}

function leaf(path: string, alias: string | null): Leaf {
  const clean = path.replace(/::self$/, '');
  const name = clean.slice(clean.lastIndexOf(':') + 1);
  return { path: clean, name: { name, local: alias ?? name } };
}
