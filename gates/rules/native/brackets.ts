/** Code in which nobody finds his way: more of it than people write, or nested deeper. */
export class TooTangled extends Error {
  constructor() {
    super('is nested deeper, or has more in it, than can be looked at');
    this.name = 'TooTangled';
  }
}

/** Most functions and modules of one file. */
const MAX_ITEMS = 5_000;
/** How often all characters of a file may be looked at again, because what holds them is looked at too. */
const MAX_READINGS = 20;

const PAIRS: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[' };

/** The brackets of a piece of code, matched in one pass, and a limit to how much of it is read over and over. */
export class Brackets {
  readonly code: string;
  readonly #ends = new Map<number, number>();
  #items = 0;
  #left: number;

  constructor(code: string) {
    this.code = code;
    this.#left = MAX_READINGS * code.length + 100_000;
    const open: Record<string, number[]> = { '(': [], '{': [], '[': [] };
    for (const match of code.matchAll(/[(){}[\]]/g)) {
      const kind = PAIRS[match[0]];
      if (kind === undefined) open[match[0]]?.push(match.index);
      else {
        const start = open[kind]?.pop();
        if (start !== undefined) this.#ends.set(start, match.index + 1);
      }
    }
  }

  /** Behind the bracket that closes the one at `at`; the end of the code where none does. */
  closing(at: number): number {
    return this.#ends.get(at) ?? this.code.length;
  }

  /** The body of what begins at `from`: from its brace to the end of it; null when it has none. @throws TooTangled */
  body(from: number): { readonly open: number; readonly end: number } | null {
    if (++this.#items > MAX_ITEMS) throw new TooTangled();
    const ahead = /[{;]/.exec(this.code.slice(from, from + 5_000));
    return ahead?.[0] === '{' ? { open: from + ahead.index, end: this.closing(from + ahead.index) } : null;
  }

  /** @throws TooTangled */
  slice(from: number, to: number): string {
    this.#left -= to - from;
    if (this.#left < 0) throw new TooTangled();
    return this.code.slice(from, to);
  }
}
