/** Collects the output of a process in bounded memory: its beginning and its end, with a note of what was cut between. */
export class CappedOutput {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** `limit` in bytes; a quarter keeps the beginning, the rest the end, where most tools say what is wrong. */
  constructor(limit: number) {
    this.#headLimit = Math.floor(limit / 4);
    this.#tailLimit = limit - this.#headLimit;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    let rest = chunk;
    if (this.#headBytes < this.#headLimit) {
      const part = rest.subarray(0, this.#headLimit - this.#headBytes);
      this.#head.push(part);
      this.#headBytes += part.length;
      rest = rest.subarray(part.length);
    }
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // Trimmed only when twice the limit is held, so that a flood of small chunks costs no quadratic copying.
    if (this.#tailBytes > 2 * this.#tailLimit) this.#trim();
  }

  #trim(): void {
    const joined = Buffer.concat(this.#tail);
    // A copy, because a view would keep the whole chunk alive.
    const kept = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#tailLimit)));
    this.#tail = [kept];
    this.#tailBytes = kept.length;
  }

  /** Bytes that were seen in all, kept or not. */
  get totalBytes(): number {
    return this.#total;
  }

  /** Bytes between beginning and end that were not kept. */
  get cutBytes(): number {
    return this.#total - this.#headBytes - Math.min(this.#tailBytes, this.#tailLimit);
  }

  text(): string {
    this.#trim();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (this.cutBytes === 0) return Buffer.concat([head, tail]).toString('utf8');
    return `${head.toString('utf8')}\n[... ${this.cutBytes} bytes of output cut ...]\n${tail.toString('utf8')}`;
  }
}

/** The last `characters` of a text, without surrounding blank space; for details and reports. */
export function truncateToTail(text: string, characters: number): string {
  const trimmed = text.trim();
  return trimmed.length <= characters ? trimmed : `…${trimmed.slice(-(characters - 1))}`;
}
