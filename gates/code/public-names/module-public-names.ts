/** What others can take from a module by name. */
export interface ModulePublicNames {
  readonly names: ReadonlySet<string>;
  /** Names that the module makes itself, rather than passes on. */
  readonly ownNames: ReadonlySet<string>;
  /** It may have further names, which nobody can tell from its text. */
  readonly mayHaveMoreNames: boolean;
}

/** Not any iterable: a text would be taken for its letters. */
type NameCollection = readonly string[] | ReadonlySet<string>;

/** Collects a surface. */
export class ModulePublicNamesBuilder {
  readonly names = new Set<string>();
  readonly ownNames = new Set<string>();
  mayHaveMoreNames = false;

  addOwnNames(names: NameCollection): void {
    for (const name of names) {
      this.names.add(name);
      this.ownNames.add(name);
    }
  }
  addReexportedNames(names: NameCollection): void {
    for (const name of names) this.names.add(name);
  }
}
