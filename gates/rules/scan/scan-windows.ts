/** Stretches of a text that one detector is to look at, in order and never overlapping. */
export class ScanWindows {
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  /** Adds a stretch. It must not begin before an earlier one did, by more than that one's own length. */
  add(from: number, to: number): void {
    let start = from;
    let end = to;
    for (let last = this.#to.at(-1); last !== undefined && start <= last; last = this.#to.at(-1)) {
      start = Math.min(start, this.#from.pop() ?? start);
      end = Math.max(end, last);
      this.#to.pop();
    }
    this.#from.push(start);
    this.#to.push(end);
  }

  /** The stretches, each cut into pieces of at most `longest` bytes that overlap by `overlap`. */
  *pieces(longest = Number.POSITIVE_INFINITY, overlap = 0): Generator<readonly [from: number, to: number]> {
    for (const [index, from] of this.#from.entries()) {
      const to = this.#to[index] ?? from;
      for (let at = from; ; at += longest - overlap) {
        yield [at, Math.min(at + longest, to)];
        if (at + longest >= to) break;
      }
    }
  }
}
