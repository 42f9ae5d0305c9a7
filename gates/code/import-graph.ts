import { type Language, languageOfGrammar } from '../core/language.ts';
import type { CodeFileAnalysisIndex } from './code-file-analysis.ts';
import type { CodeFile, RevisionCodeFiles } from './code-files.ts';
import type { ImportedName, ImportKind, ImportReference } from './imports/import-reference.ts';
import { createGoResolver, goPackageOfPath } from './resolve/go.ts';
import type { ImportResolver, RevisionFiles } from './resolve/import-resolver.ts';
import { createJavascriptResolver } from './resolve/javascript.ts';
import { createPythonResolver } from './resolve/python.ts';
import { createRustResolver } from './resolve/rust.ts';

/** One import, resolved to a module of the same tree. */
export interface ImportEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: ImportKind;
  /** What the import says to look for. */
  readonly specifier: string;
  readonly names: readonly ImportedName[];
  readonly isReexport: boolean;
  /** File and 1-based line of the import. */
  readonly file: string;
  readonly line: number;
}

/** Modules of a tree and how they import each other. A module is a file; for Go it is a package, named by its folder. */
export interface ImportGraph {
  /** Edges by the module that imports. */
  readonly outgoingEdges: ReadonlyMap<string, readonly ImportEdge[]>;
  /** Edges by the module that is imported. */
  readonly incomingEdges: ReadonlyMap<string, readonly ImportEdge[]>;
  /** Imports that are computed at run time: where they lead to, nobody can know from the text. */
  readonly dynamicImports: readonly { readonly file: string; readonly line: number }[];
}

const RESOLVERS: Readonly<Record<Language, (files: RevisionFiles) => ImportResolver>> = {
  python: createPythonResolver,
  javascript: createJavascriptResolver,
  go: createGoResolver,
  rust: createRustResolver,
};

/** The module that a file belongs to. A Go test is a module of its own, because no package can import it. */
export const moduleOfPath = (path: string): string =>
  path.endsWith('.go') && !path.endsWith('_test.go') ? goPackageOfPath(path) : path;

/** Builds the graph from facts that have been learnt before. */
export function buildImportGraph(files: RevisionCodeFiles, facts: CodeFileAnalysisIndex): ImportGraph {
  const resolvers = new Map<Language, ImportResolver>();
  const resolver = (language: Language): ImportResolver => {
    const known = resolvers.get(language) ?? RESOLVERS[language](files);
    resolvers.set(language, known);
    return known;
  };
  const from = new Map<string, ImportEdge[]>();
  const into = new Map<string, ImportEdge[]>();
  const unknown: { readonly file: string; readonly line: number }[] = [];
  const add = (edge: ImportEdge): void => {
    if (edge.from === edge.to) return;
    push(from, edge.from, edge);
    push(into, edge.to, edge);
  };
  for (const file of files.code.values()) {
    const known = facts.get(file);
    if (!('imports' in known)) continue;
    if (file.path.endsWith('_test.go')) add(ownPackage(file));
    const resolve = resolver(languageOfGrammar(file.grammar));
    for (const reference of known.imports) {
      if (reference.specifier === null) unknown.push({ file: file.path, line: reference.line });
      for (const edge of edgesOf(file, reference, resolve)) add(edge);
    }
  }
  return { outgoingEdges: from, incomingEdges: into, dynamicImports: unknown };
}

function edgesOf({ path }: CodeFile, reference: ImportReference, resolve: ImportResolver): ImportEdge[] {
  const { kind, reexports, line } = reference;
  const specifier = reference.specifier ?? '';
  return resolve(path, reference).map(({ module, names }) => ({
    from: moduleOfPath(path),
    to: module,
    kind,
    specifier,
    names,
    isReexport: reexports,
    file: path,
    line,
  }));
}

/** A Go test sees the package that it lies in without importing it. */
const ownPackage = ({ path }: CodeFile): ImportEdge => ({
  from: path,
  to: goPackageOfPath(path),
  kind: 'runtime',
  specifier: '.',
  names: [{ name: '*', local: null }],
  isReexport: false,
  file: path,
  line: 1,
});

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Every module that the start modules import, directly or through others, themselves included. */
export function findReachableModules(
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
