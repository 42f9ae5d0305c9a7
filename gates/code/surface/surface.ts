/** What others can take from a module by name. */
export interface Surface {
  readonly names: ReadonlySet<string>;
  /** Names that the module makes itself, rather than passes on. */
  readonly own: ReadonlySet<string>;
  /** It may have further names, which nobody can tell from its text. */
  readonly open: boolean;
}

/** Not any iterable: a text would be taken for its letters. */
type Names = readonly string[] | ReadonlySet<string>;

/** Collects a surface. */
export class SurfaceBuilder {
  readonly names = new Set<string>();
  readonly own = new Set<string>();
  open = false;

  define(names: Names): void {
    for (const name of names) {
      this.names.add(name);
      this.own.add(name);
    }
  }
  passOn(names: Names): void {
    for (const name of names) this.names.add(name);
  }
}
