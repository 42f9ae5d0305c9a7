/**
 * The longest text that a pattern can match, in characters. Infinite when a repetition in it has no upper limit.
 * Look-arounds count for what they look at, because that is work too.
 */
export function longestMatch(source: string): number {
  const parser = new Parser(source);
  const length = parser.alternatives();
  if (!parser.done) throw new Error(`cannot read the pattern at ${parser.at}: ${source}`);
  return length;
}

class Parser {
  readonly #source: string;
  at = 0;
  readonly #groups = new Map<string, number>();

  constructor(source: string) {
    this.#source = source;
  }

  get done(): boolean {
    return this.at >= this.#source.length;
  }

  alternatives(): number {
    let longest = this.#sequence();
    while (this.#take('|')) longest = Math.max(longest, this.#sequence());
    return longest;
  }

  #sequence(): number {
    let length = 0;
    while (!this.done && !'|)'.includes(this.#source[this.at] ?? ''))
      length += this.#atom() * this.#repetitions();
    return length;
  }

  #atom(): number {
    if (this.#take('(')) {
      const opening = /^(?:\?:|\?=|\?!|\?<=|\?<!|\?<(\w+)>)?/.exec(this.#source.slice(this.at));
      this.at += opening?.[0].length ?? 0;
      const length = this.alternatives();
      if (!this.#take(')')) throw new Error('a group is not closed');
      if (opening?.[1] !== undefined) this.#groups.set(opening[1], length);
      return length;
    }
    if (this.#take('[')) {
      for (; this.#source[this.at] !== ']'; this.at++) if (this.#source[this.at] === '\\') this.at++;
      this.at++;
      return 1;
    }
    if (this.#take('\\')) {
      const escaped = /^(?:k<(\w+)>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/s.exec(this.#source.slice(this.at));
      this.at += escaped?.[0].length ?? 1;
      if (escaped?.[1] !== undefined) return this.#groups.get(escaped[1]) ?? 0;
      return escaped?.[0] === 'b' || escaped?.[0] === 'B' ? 0 : 1;
    }
    const character = this.#source[this.at++];
    return character === '^' || character === '$' ? 0 : 1;
  }

  #repetitions(): number {
    const quantifier = /^(?:[*+?]|\{\d+(,\d*)?\})\??/.exec(this.#source.slice(this.at))?.[0];
    if (quantifier === undefined) return 1;
    this.at += quantifier.length;
    if (quantifier.startsWith('?')) return 1;
    const limit = /^\{(?:\d+,)?(\d+)\}/.exec(quantifier)?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  }

  #take(character: string): boolean {
    if (this.#source[this.at] !== character) return false;
    this.at++;
    return true;
  }
}
