/** The value of a cell; null: unknown. */
export type QueryValue =
  | string
  | number
  | boolean
  | null
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue };

/** The result of a query, in its own order of columns and rows. */
export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly QueryValue[])[];
  /** Sentences about the result: what was left out, what it cost. */
  readonly notes: readonly string[];
}
