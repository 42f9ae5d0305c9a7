/** A piece of a text that is replaced; offsets in UTF-16 units. */
export interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly by: string;
  /** It ends what another piece begins. */
  readonly closes?: boolean;
}
