import { type Language, languageOf } from '../core/language.ts';
import type { FactsOfCode } from './facts.ts';
import type { ImportedName, ImportKind, ImportReference } from './imports/reference.ts';
import { goPackage, goResolver } from './resolve/go.ts';
import { javascriptResolver } from './resolve/javascript.ts';
import { pythonResolver } from './resolve/python.ts';
import type { Resolver, TreeFiles } from './resolve/resolver.ts';
import { rustResolver } from './resolve/rust.ts';
import type { CodeFile, CodeFiles } from './tree-files.ts';

/** One import, resolved to a module of the same tree. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: ImportKind;
  /** What the import says to look for. */
  readonly specifier: string;
  readonly names: readonly ImportedName[];
  readonly reexports: boolean;
  /** File and 1-based line of the import. */
  readonly file: string;
  readonly line: number;
}

/** Modules of a tree and how they import each other. A module is a file; for Go it is a package, named by its folder. */
export interface ImportGraph {
  /** Edges by the module that imports. */
  readonly from: ReadonlyMap<string, readonly Edge[]>;
  /** Edges by the module that is imported. */
  readonly into: ReadonlyMap<string, readonly Edge[]>;
  /** Imports that are computed at run time: where they lead to, nobody can know from the text. */
  readonly unknown: readonly { readonly file: string; readonly line: number }[];
}

const RESOLVERS: Readonly<Record<Language, (files: TreeFiles) => Resolver>> = {
  python: pythonResolver,
  javascript: javascriptResolver,
  go: goResolver,
  rust: rustResolver,
};

/** The module that a file belongs to. A Go test is a module of its own, because no package can import it. */
export const moduleOf = (path: string): string =>
  path.endsWith('.go') && !path.endsWith('_test.go') ? goPackage(path) : path;

/** Builds the graph from facts that have been learnt before. */
export function importGraph(files: CodeFiles, facts: FactsOfCode): ImportGraph {
  const resolvers = new Map<Language, Resolver>();
  const resolver = (language: Language): Resolver => {
    const known = resolvers.get(language) ?? RESOLVERS[language](files);
    resolvers.set(language, known);
    return known;
  };
  const from = new Map<string, Edge[]>();
  const into = new Map<string, Edge[]>();
  const unknown: { readonly file: string; readonly line: number }[] = [];
  const add = (edge: Edge): void => {
    if (edge.from === edge.to) return;
    push(from, edge.from, edge);
    push(into, edge.to, edge);
  };
  for (const file of files.code.values()) {
    const known = facts.of(file);
    if (!('imports' in known)) continue;
    if (file.path.endsWith('_test.go')) add(ownPackage(file));
    const resolve = resolver(languageOf(file.grammar));
    for (const reference of known.imports) {
      if (reference.specifier === null) unknown.push({ file: file.path, line: reference.line });
      for (const edge of edgesOf(file, reference, resolve)) add(edge);
    }
  }
  return { from, into, unknown };
}

function edgesOf({ path }: CodeFile, reference: ImportReference, resolve: Resolver): Edge[] {
  const { kind, reexports, line } = reference;
  const specifier = reference.specifier ?? '';
  return resolve(path, reference).map(({ module, names }) => ({
    from: moduleOf(path),
    to: module,
    kind,
    specifier,
    names,
    reexports,
    file: path,
    line,
  }));
}

/** A Go test sees the package that it lies in without importing it. */
const ownPackage = ({ path }: CodeFile): Edge => ({
  from: path,
  to: goPackage(path),
  kind: 'runtime',
  specifier: '.',
  names: [{ name: '*', local: null }],
  reexports: false,
  file: path,
  line: 1,
});

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Every module that the start modules import, directly or through others, themselves included. */
export function reachable(
  starts: Iterable<string>,
  edges: (module: string) => Iterable<string>,
): Set<string> {
  const seen = new Set(starts);
  const waiting = [...seen];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop())
    for (const next of edges(module)) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  return seen;
}
