import type { SyntaxNode } from '../parsing/syntax-node.ts';
import type { ImportedName, ImportKind, ImportReader, ImportReference } from './import-reference.ts';

/**
 * `use`, `mod` and full paths in code. A specifier is a path from the module that the file is: `self::a::b`, `super::b`, `crate::b`,
 * or `name::b` where `name` is a crate or a module beside. `mod` becomes `contains`, with the value of `#[path]` after a `=`.
 */
export const rustImportReader: ImportReader = {
  createNodeFilter: () => (type) => !/comment$|^string_literal$/.test(type),
  readImports: (root) => {
    const references: ImportReference[] = [];
    for (const node of root.walk((outer) => !WHOLE.has(outer.type))) {
      if (node.type === 'mod_item') {
        if (!node.childForField('body')) references.push(declared(node));
      } else if (node.type === 'use_declaration' || node.type === 'extern_crate_declaration') {
        for (const each of used(node)) references.push(each);
      } else if (WHOLE.has(node.type)) {
        const path = textOf(node).replace(/\s|<.*/gs, '');
        if (/^(crate|self|super)::|^[a-z_]\w*::/.test(path)) references.push(reference(node, path, []));
      }
    }
    return references;
  },
};

/** Nodes that count as a whole: a path is made of shorter paths. */
const WHOLE = new Set([
  'use_declaration',
  'extern_crate_declaration',
  'scoped_identifier',
  'scoped_type_identifier',
]);
const textOf = (node: SyntaxNode): string => (node.end - node.start < 1_000 ? node.text : '');

interface Place {
  readonly kind: ImportKind;
  /** Modules of the same file that a node is in, outermost first. */
  readonly inside: readonly string[];
}

function placeOf(node: SyntaxNode): Place {
  const inside: string[] = [];
  let kind: ImportKind = 'runtime';
  for (const outer of node.ancestors()) {
    if (isForTests(outer)) kind = 'test';
    if (outer.type === 'mod_item') inside.unshift(outer.childForField('name')?.text ?? '');
  }
  if (isForTests(node)) kind = 'test';
  return { kind, inside };
}

/** `#[cfg(test)]` or `#[test]` before an item. */
function isForTests(node: SyntaxNode): boolean {
  if (!node.type.endsWith('_item') && !node.type.endsWith('_declaration')) return false;
  return attributesOf(node).some((text) =>
    /^#\[\s*(cfg\s*\(\s*(all\s*\(\s*)?test\b|(\w+::)*test\b)/.test(text),
  );
}

const BEFORE = new WeakMap<SyntaxNode, Map<SyntaxNode, readonly string[]>>();

/** The attributes right before an item, worked out once for all children of its parent. */
function attributesOf(node: SyntaxNode): readonly string[] {
  if (!node.parent) return [];
  const known = BEFORE.get(node.parent) ?? new Map<SyntaxNode, readonly string[]>();
  if (known.size === 0) {
    let attributes: string[] = [];
    for (const child of node.parent.children) {
      if (child.type === 'attribute_item') attributes.push(textOf(child));
      else if (!child.type.endsWith('comment')) {
        known.set(child, attributes);
        attributes = [];
      }
    }
    BEFORE.set(node.parent, known);
  }
  return known.get(node) ?? [];
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
  node: SyntaxNode,
  path: string,
  names: readonly ImportedName[],
  reexports = false,
): ImportReference {
  const { kind, inside } = placeOf(node);
  return { kind, specifier: fromFile(path, inside), names, reexports, line: node.line };
}

function declared(node: SyntaxNode): ImportReference {
  const name = node.childForField('name')?.text ?? '';
  const { kind, inside } = placeOf(node);
  const path = attributesOf(node)
    .map((text) => /^#\[\s*path\s*=\s*"([^"]*)"/.exec(text)?.[1])
    .find((value) => value !== undefined);
  return {
    kind: kind === 'test' ? 'test' : 'contains',
    specifier: `${['self', ...inside, name].join('::')}${path === undefined ? '' : `=${path}`}`,
    names: [],
    reexports: false,
    line: node.line,
  };
}

function used(declaration: SyntaxNode): ImportReference[] {
  if (declaration.type === 'extern_crate_declaration') {
    const name = declaration.childForField('name')?.text ?? '';
    const local = declaration.childForField('alias')?.text ?? name;
    return [reference(declaration, name, [{ name: '*', local }])];
  }
  const argument = declaration.childForField('argument');
  const reexports = declaration.hasChildOfType('visibility_modifier');
  return argument
    ? leaves(argument, '').map(({ path, name }) => reference(declaration, path, [name], reexports))
    : [];
}

interface Leaf {
  readonly path: string;
  readonly name: ImportedName;
}

const plain = (node: SyntaxNode | null): string => node?.text.replace(/\s/g, '') ?? '';
const under = (prefix: string, path: string): string => (prefix === '' ? path : `${prefix}::${path}`);

/** Every path that a tree of `use` names, e.g. `a::{b, c::d}`. */
function leaves(node: SyntaxNode, prefix: string): Leaf[] {
  switch (node.type) {
    case 'use_list':
      return node.namedChildren.flatMap((child) => leaves(child, prefix));
    case 'scoped_use_list': {
      const list = node.childForField('list');
      return list ? leaves(list, under(prefix, plain(node.childForField('path')))) : [];
    }
    case 'use_wildcard':
      return [
        { path: under(prefix, plain(node.namedChildren[0] ?? null)), name: { name: '*', local: null } },
      ];
    case 'use_as_clause':
      return [
        leaf(under(prefix, plain(node.childForField('path'))), node.childForField('alias')?.text ?? null),
      ];
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
