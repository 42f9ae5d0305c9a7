/**
 * What was there before, by keys: as often as the base has one, the patch may have it too. What is beyond that is new. Everything that
 * tells new from old by keys asks this.
 */
export class BaselineOccurrences {
  readonly #left = new Map<string, number>();

  constructor(keys: Iterable<string> = []) {
    for (const key of keys) this.add(key);
  }

  add(key: string): void {
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
  }

  /** Whether there is one left of this key; then there is one less. */
  takeOne(key: string): boolean {
    const left = this.#left.get(key) ?? 0;
    if (left > 0) this.#left.set(key, left - 1);
    return left > 0;
  }
}
