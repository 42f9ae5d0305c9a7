/** Longest line in bytes that is looked at; a longer one is passed over, so that nobody's answer can fill the memory. */
export const MAX_SSE_LINE_BYTES = 16 * 1_048_576;

const LF = 0x0a;
const CR = 0x0d;
const DATA = Buffer.from('data:');

/**
 * Takes a stream of server-sent events apart, however its bytes are cut: calls `onData` with the text after `data:` of each line.
 * A line is read only when it holds one of `words`, because most of a stream is text of no interest here.
 */
export class SseDataParser {
  readonly #onData: (data: string) => void;
  readonly #words: readonly Buffer[];
  #parts: Buffer[] = [];
  #length = 0;

  constructor(words: readonly string[], onData: (data: string) => void) {
    this.#words = words.map((word) => Buffer.from(word));
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
      this.#take(bytes.subarray(from, at));
      this.#line();
      from = at + 1;
    }
    this.#take(bytes.subarray(from));
  }

  /** The last line may have no end. */
  end(): void {
    this.#line();
  }

  #take(bytes: Buffer): void {
    this.#length += bytes.length;
    // A copy: who reads a stream may use a chunk's memory again.
    if (this.#length <= MAX_SSE_LINE_BYTES && bytes.length > 0) this.#parts.push(Buffer.from(bytes));
  }

  #line(): void {
    const isReadable = this.#length <= MAX_SSE_LINE_BYTES;
    const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (!isReadable || line === undefined) return;
    if (!line.subarray(0, DATA.length).equals(DATA)) return;
    if (!this.#words.some((word) => line.includes(word))) return;
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    this.#onData(line.toString('utf8', DATA.length, end).trim());
  }
}
