/** A piece of a text that is replaced; offsets in UTF-16 units. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** It ends what another piece begins. */
  readonly closesOther?: boolean;
}
