import type { ImportReader } from './import-reference.ts';

const PLACES = new Set(['source_file', 'import_declaration', 'import_spec_list', 'import_spec', 'ERROR']);

export const goImportReader: ImportReader = {
  createNodeFilter: () => (type) => PLACES.has(type),
  readImports: (root) =>
    [...root.walk()]
      .filter(({ type }) => type === 'import_spec')
      .map((spec) => {
        const path = spec.childForField('path')?.text.slice(1, -1) ?? '';
        const alias = spec.childForField('name')?.text ?? null;
        return {
          kind: 'runtime',
          specifier: path,
          names: alias === '_' ? [] : [{ name: '*', local: alias ?? packageName(path) }],
          reexports: false,
          line: spec.line,
        };
      }),
};

/** The name that a package most likely has: the last part of its path that is no version. */
const packageName = (path: string): string =>
  (
    path
      .split('/')
      .reverse()
      .find((part) => !/^v\d+$/.test(part)) ?? path
  )
    .replace(/^go-|[-.]go$/g, '')
    .replace(/\.v\d+$/, '');
