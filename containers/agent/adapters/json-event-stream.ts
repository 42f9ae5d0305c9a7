import { type JsonFields, tryParseJson } from './json-fields.ts';

/** Longest line in bytes that is read as an event; a CLI prints what its tools read, so lines are long. */
const MAX_LINE_BYTES = 8 * 1_048_576;
const NEWLINE = 0x0a;

/**
 * Events out of a stream of JSON lines, as they come. It holds one line at most: a longer one is passed over whole, as is one that is
 * no JSON; both are counted. Some CLIs print a list of all events in place of one.
 */
export class JsonEventStream {
  readonly #take: (event: JsonFields) => void;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;
  /** Lines that were no events. */
  skippedLines = 0;

  constructor(take: (event: JsonFields) => void, maxBytes = MAX_LINE_BYTES) {
    this.#take = take;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      this.#hold(rest.subarray(0, at));
      this.#line();
      rest = rest.subarray(at + 1);
    }
    this.#hold(rest);
  }

  /** The stream is over: what is left is a line, too, unless it was cut off. */
  end(): void {
    this.#line();
  }

  #hold(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    this.#parts.push(part);
  }

  #line(): void {
    const skipped = this.#skipping;
    const line = Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = false;
    if (skipped) this.skippedLines++;
    else if (line !== '') this.#event(tryParseJson(line));
  }

  #event(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#event(each);
    else if (typeof value === 'object' && value !== null) this.#take(value as JsonFields);
    else this.skippedLines++;
  }
}
