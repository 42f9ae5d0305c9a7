/** Code that could not be looked at; the message says why, as the predicate of a sentence about the file. */
export class UnreadableCodeError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'UnreadableCodeError';
  }
}
