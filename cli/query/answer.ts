/** What a cell of an answer may be; null: unknown. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

/** What a query says, in its own order of columns and rows. */
export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** What whoever asked should know of it, in sentences. */
  readonly notes: readonly string[];
}
