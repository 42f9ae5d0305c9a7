import { toSyntax } from '../syntax.ts';
import type { ImportReader } from './reference.ts';

export const goImports: ImportReader = (tree, { query }, source) =>
  query('(import_spec) @import')
    .captures(tree.rootNode)
    .map(({ node }) => {
      const spec = toSyntax(node, source);
      const path = spec.child('path')?.text.slice(1, -1) ?? '';
      const alias = spec.child('name')?.text ?? null;
      return {
        kind: 'runtime',
        specifier: path,
        names: alias === '_' ? [] : [{ name: '*', local: alias ?? packageName(path) }],
        reexports: false,
        line: spec.line,
      };
    });

/** The name that a package most likely has: the last part of its path that is no version. */
export const packageName = (path: string): string =>
  (
    path
      .split('/')
      .reverse()
      .find((part) => !/^v\d+$/.test(part)) ?? path
  )
    .replace(/^go-|[-.]go$/g, '')
    .replace(/\.v\d+$/, '');
