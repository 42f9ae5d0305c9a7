import { type Language, languageOfGrammar } from '../core/language.ts';
import type { ImportEdge } from './import-graph.ts';
import type { ImportReference } from './imports/import-reference.ts';
import type { SyntaxNode } from './parsing/syntax-node.ts';
import type { RevisionCode } from './project-code.ts';
import { readGoPublicNames } from './public-names/go.ts';
import { readJavascriptPublicNames } from './public-names/javascript.ts';
import { type ModulePublicNames, ModulePublicNamesBuilder } from './public-names/module-public-names.ts';
import { readPythonPublicNames } from './public-names/python.ts';
import { readRustPublicNames } from './public-names/rust.ts';
import type { SyntaxTreeReader } from './syntax-reader.ts';

const SURFACES: Readonly<Record<Language, (root: SyntaxNode) => ModulePublicNames>> = {
  python: readPythonPublicNames,
  javascript: readJavascriptPublicNames,
  go: readGoPublicNames,
  rust: readRustPublicNames,
};

/** What the modules of one tree offer, with what they pass on from others by `export *`. */
export class ModuleExports {
  readonly #side: RevisionCode;
  readonly #reader: SyntaxTreeReader;
  readonly #own = new Map<string, Promise<ModulePublicNames | null>>();

  constructor(side: RevisionCode, reader: SyntaxTreeReader) {
    this.#side = side;
    this.#reader = reader;
  }

  /** The surface of a module; null when there is none by that name. */
  async readSurface(module: string): Promise<ModulePublicNames | null> {
    const own = await this.#ownOf(module);
    if (own === null) return null;
    const all = new ModulePublicNamesBuilder();
    const seen = new Set<string>();
    const waiting = [module];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const surface = await this.#ownOf(at);
      all.mayHaveMoreNames ||= surface === null || surface.mayHaveMoreNames;
      for (const name of surface?.names ?? [])
        if (at === module || name !== 'default') all.addReexportedNames([name]);
      for (const edge of this.#side.importGraph.outgoingEdges.get(at) ?? [])
        if (passesAllOn(edge)) waiting.push(edge.to);
      if (this.#passesForeignOn(at)) all.mayHaveMoreNames = true;
    }
    return { names: all.names, ownNames: own.ownNames, mayHaveMoreNames: all.mayHaveMoreNames };
  }

  /** `export * from` something that is not in the tree. */
  #passesForeignOn(module: string): boolean {
    const known = new Set(
      (this.#side.importGraph.outgoingEdges.get(module) ?? []).filter(passesAllOn).map(({ line }) => line),
    );
    return this.#side
      .filesOfModule(module)
      .filter(({ grammar }) => languageOfGrammar(grammar) === 'javascript')
      .some((file) => this.#side.importsOfFile(file).some((each) => isStar(each) && !known.has(each.line)));
  }

  #ownOf(module: string): Promise<ModulePublicNames | null> {
    const known = this.#own.get(module) ?? this.#read(module);
    this.#own.set(module, known);
    return known;
  }

  async #read(module: string): Promise<ModulePublicNames | null> {
    const files = this.#side.filesOfModule(module);
    if (files.length === 0) return null;
    const all = new ModulePublicNamesBuilder();
    for (const file of files) {
      const root = await this.#reader.readSyntax(file);
      const surface = root && SURFACES[languageOfGrammar(file.grammar)](root);
      // A file with broken parts may have names in them.
      all.mayHaveMoreNames ||=
        surface === null || surface.mayHaveMoreNames || this.#side.hasParseErrors(file);
      if (surface) all.addOwnNames(surface.ownNames);
      if (surface) all.addReexportedNames(surface.names);
    }
    return all;
  }
}

const isStar = ({ reexports, names }: Pick<ImportReference, 'reexports' | 'names'>): boolean =>
  reexports && names[0]?.name === '*' && names[0].local === null;

const passesAllOn = ({ isReexport, names, file }: ImportEdge): boolean =>
  isStar({ reexports: isReexport, names }) && !file.endsWith('.rs');
