import { type Language, languageOf } from '../core/language.ts';
import type { ImportReference } from './imports/reference.ts';
import type { Edge } from './imports.ts';
import type { Syntax } from './parsing/syntax.ts';
import type { CodeSide } from './project.ts';
import type { CodeReader } from './reader.ts';
import { goSurface } from './surface/go.ts';
import { javascriptSurface } from './surface/javascript.ts';
import { pythonSurface } from './surface/python.ts';
import { rustSurface } from './surface/rust.ts';
import { type Surface, SurfaceBuilder } from './surface/surface.ts';

const SURFACES: Readonly<Record<Language, (root: Syntax) => Surface>> = {
  python: pythonSurface,
  javascript: javascriptSurface,
  go: goSurface,
  rust: rustSurface,
};

/** What the modules of one tree offer, with what they pass on from others by `export *`. */
export class Exports {
  readonly #side: CodeSide;
  readonly #reader: CodeReader;
  readonly #own = new Map<string, Promise<Surface | null>>();

  constructor(side: CodeSide, reader: CodeReader) {
    this.#side = side;
    this.#reader = reader;
  }

  /** The surface of a module; null when there is none by that name. */
  async of(module: string): Promise<Surface | null> {
    const own = await this.#ownOf(module);
    if (own === null) return null;
    const all = new SurfaceBuilder();
    const seen = new Set<string>();
    const waiting = [module];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const surface = await this.#ownOf(at);
      all.open ||= surface === null || surface.open;
      for (const name of surface?.names ?? []) if (at === module || name !== 'default') all.passOn([name]);
      for (const edge of this.#side.graph.from.get(at) ?? []) if (passesAllOn(edge)) waiting.push(edge.to);
      if (this.#passesForeignOn(at)) all.open = true;
    }
    return { names: all.names, own: own.own, open: all.open };
  }

  /** `export * from` something that is not in the tree. */
  #passesForeignOn(module: string): boolean {
    const known = new Set(
      (this.#side.graph.from.get(module) ?? []).filter(passesAllOn).map(({ line }) => line),
    );
    return this.#side
      .filesOf(module)
      .filter(({ grammar }) => languageOf(grammar) === 'javascript')
      .some((file) => this.#side.importsOf(file).some((each) => isStar(each) && !known.has(each.line)));
  }

  #ownOf(module: string): Promise<Surface | null> {
    const known = this.#own.get(module) ?? this.#read(module);
    this.#own.set(module, known);
    return known;
  }

  async #read(module: string): Promise<Surface | null> {
    const files = this.#side.filesOf(module);
    if (files.length === 0) return null;
    const all = new SurfaceBuilder();
    for (const file of files) {
      const root = await this.#reader.read(file);
      const surface = root && SURFACES[languageOf(file.grammar)](root);
      // A file with broken parts may have names in them.
      all.open ||= surface === null || surface.open || this.#side.isBroken(file);
      if (surface) all.define(surface.own);
      if (surface) all.passOn(surface.names);
    }
    return all;
  }
}

const isStar = ({ reexports, names }: Pick<ImportReference, 'reexports' | 'names'>): boolean =>
  reexports && names[0]?.name === '*' && names[0].local === null;

const passesAllOn = (edge: Edge): boolean => isStar(edge) && !edge.file.endsWith('.rs');
