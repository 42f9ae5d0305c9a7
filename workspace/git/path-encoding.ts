/**
 * Paths in git are bytes. Those that are UTF-8 become plain strings; any other byte becomes a lone surrogate
 * (U+DC80 + byte), as Python does it, so that a path can be shown, compared and turned back into its bytes.
 */
const ESCAPE = 0xdc00;

export function decodePath(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  let path = '';
  for (let at = 0; at < bytes.length; ) {
    const size = sequenceLength(bytes, at);
    path +=
      size === 0 ? String.fromCharCode(ESCAPE + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + size);
    at += Math.max(size, 1);
  }
  return path;
}

export function encodePath(path: string): Buffer {
  const parts: Buffer[] = [];
  for (const character of path) {
    const code = character.charCodeAt(0);
    parts.push(
      character.length === 1 && code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff
        ? Buffer.from([code - ESCAPE])
        : Buffer.from(character),
    );
  }
  return Buffer.concat(parts);
}

/** A path as people and JSON may see it: bytes that are not UTF-8 as `\\xNN`. */
export const toDisplayPath = (path: string): string =>
  path.isWellFormed()
    ? path
    : path.replace(
        /[\udc80-\udcff]/g,
        (character) => `\\x${(character.charCodeAt(0) - ESCAPE).toString(16)}`,
      );

/** Length of the valid UTF-8 sequence at `at`, or 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const sequence = bytes.subarray(at, at + length);
  return Buffer.from(sequence.toString('utf8')).equals(sequence) ? length : 0;
}
