import type { SyntaxNode } from '../parsing/syntax-node.ts';

/**
 * When an import takes effect: `runtime` as soon as the module is loaded, `deferred` when a function is called, `type` for the
 * type checker only, `test` in the tests that lie in the same file, `contains` for a module that is declared, not used.
 */
export type ImportKind = 'runtime' | 'deferred' | 'type' | 'test' | 'contains';

export interface ImportedName {
  /** Name in the module that it comes from: `default` for its default export, `*` for all of it. */
  readonly name: string;
  /** Name that it has here; null when it has none, as with `export * from`. */
  readonly local: string | null;
}

/** One import as it is written, not yet resolved to a file. */
export interface ImportReference {
  readonly kind: ImportKind;
  /** What the language says to look for; null when it is computed at run time, so that nobody can know. */
  readonly specifier: string | null;
  /** Empty when the module is imported for its own sake. */
  readonly names: readonly ImportedName[];
  /** Whether it passes what it imports on to those who import this module. */
  readonly reexports: boolean;
  /** 1-based. */
  readonly line: number;
}

/** Reads the imports of a parsed file. */
export interface ImportReader {
  /** Below which types of nodes imports may be, for this source. */
  readonly createNodeFilter: (source: string) => (type: string) => boolean;
  readonly readImports: (root: SyntaxNode) => ImportReference[];
}

export const alwaysEnterNode = (): boolean => true;
