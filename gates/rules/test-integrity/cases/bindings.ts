import type { Syntax } from '../../../code/syntax.ts';

/** A name that a file imports. */
export interface Imported {
  readonly specifier: string;
  /** Its name there; `*` for the module as a whole. */
  readonly name: string;
  readonly line: number;
}

/** How a language binds names, as far as it matters here. */
export interface BindingRules {
  readonly isName: (node: Syntax) => boolean;
  /** Statements that make or change a value: whoever stands in one of them has to do with the others. */
  readonly isUnit: (node: Syntax) => boolean;
  /** Names that have to do with each other although no statement makes them so, as a table and the parameters of its case. */
  readonly linked?: (node: Syntax) => readonly string[];
  /** Names of assertion libraries, of runners and of the language: they carry nothing of the project. */
  readonly isNeutral: (name: string) => boolean;
  /** Members of a module that is imported as a whole, e.g. `cart.total`. */
  readonly memberOf: (node: Syntax) => string | null;
}

/** The names of one file, and which of them have to do with the project's own code. */
export interface Bindings {
  readonly imports: ReadonlyMap<string, Imported>;
  /** Names under which assertions are called. */
  readonly asserts: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, Syntax>;
  readonly isUsed: (name: string) => boolean;
  readonly isName: (node: Syntax) => boolean;
  /** Whether a name is that of a helper of the tests which may assert something. */
  readonly mayAssert: (name: string) => boolean;
  /** Whether something of the project, or something that we do not know, is in an expression. */
  readonly isAttached: (node: Syntax) => boolean;
  /** The names of the project's code that a name stands for, as they are called there. */
  readonly ownNames: (node: Syntax) => readonly string[];
}

/** What is known of the modules that a test imports. */
export interface Modules {
  /** One of the project. */
  readonly isOwn: (specifier: string) => boolean;
  /** A helper of the tests, in which there are assertions or which the patch leaves alone. */
  readonly mayAssert: (specifier: string) => boolean;
}

/** Most rounds in which names catch from each other. */
const MAX_ROUNDS = 20;

export function bindings(
  root: Syntax,
  imports: ReadonlyMap<string, Imported>,
  functions: ReadonlyMap<string, Syntax>,
  bound: ReadonlySet<string>,
  asserts: ReadonlySet<string>,
  { isOwn, mayAssert }: Modules,
  rules: BindingRules,
): Bindings {
  const times = new Map<string, number>();
  const units: string[][] = [];
  for (const node of root.walk()) {
    if (rules.isName(node)) times.set(node.text, (times.get(node.text) ?? 0) + 1);
    if (rules.isUnit(node)) units.push(namesIn(node, rules.isName));
    const linked = rules.linked?.(node) ?? [];
    if (linked.length > 0) units.push([...linked]);
  }
  const neutral = (name: string): boolean => {
    const imported = imports.get(name);
    return imported
      ? !isOwn(imported.specifier) && rules.isNeutral(imported.specifier)
      : !bound.has(name) && rules.isNeutral(name);
  };
  // What nobody here defines comes from somewhere: it may well be the project's.
  const attached = new Set(
    [...times.keys()].filter((name) => !neutral(name) && (imports.has(name) || !bound.has(name))),
  );
  let open = units.map((names) => names.filter((name) => !neutral(name)));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const caught = open.filter((names) => names.some((name) => attached.has(name)));
    open = open.filter((names) => !caught.includes(names));
    for (const name of caught.flat()) attached.add(name);
    if (caught.length === 0) break;
  }
  return {
    imports,
    asserts,
    functions,
    isUsed: (name) => (times.get(name) ?? 0) > 1,
    isName: rules.isName,
    mayAssert: (name) => {
      const imported = imports.get(name);
      return imported ? mayAssert(imported.specifier) : !bound.has(name);
    },
    // What is loaded on the spot has no name.
    isAttached: (node) =>
      namesIn(node, rules.isName).some((name) => attached.has(name)) ||
      /\b(?:import|require)\(\s{0,5}['"`][.#~]|\bimport_module\(/.test(node.text.slice(0, 500)),
    ownNames: (node) => {
      const imported = imports.get(node.text);
      if (!imported || !isOwn(imported.specifier)) return [];
      if (imported.name !== '*') return [imported.name];
      const member = rules.memberOf(node);
      return member === null ? [] : [member];
    },
  };
}

export function namesIn(node: Syntax, isName: (node: Syntax) => boolean): string[] {
  const names = new Set<string>();
  for (const each of node.walk()) if (isName(each)) names.add(each.text);
  return [...names];
}
