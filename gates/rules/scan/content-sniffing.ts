/** What the beginning of a file says about the rest. */
export interface DetectedContentType {
  readonly encoding: 'bytes' | 'utf-16le' | 'utf-16be';
  /** Not made of lines of text: only what has a shape of its own is looked for. */
  readonly isBinary: boolean;
  /** A compressed format, whose contents nobody sees from outside; null otherwise. */
  readonly compression: string | null;
  /** A git LFS pointer: its contents are not in the repository. */
  readonly isLfsPointer: boolean;
}

/** How many bytes of the beginning are needed. */
export const CONTENT_SAMPLE_BYTES = 8_192;

const LFS = 'version https://git-lfs.github.com/spec/';

const PACKED: readonly (readonly [name: string, magic: string])[] = [
  ['zip', 'PK\x03\x04'],
  ['gzip', '\x1f\x8b\x08'],
  ['bzip2', 'BZh'],
  ['xz', '\xfd7zXZ'],
  ['zstd', '\x28\xb5\x2f\xfd'],
  ['7z', "7z\xbc\xaf'\x1c"],
  ['rar', 'Rar!\x1a\x07'],
];

/**
 * Looks at the beginning of a file. Attributes and names have no say: a patch brings its own. A few bytes that are no text do
 * not make a binary either.
 */
export function detectContentType(head: Buffer): DetectedContentType {
  const encoding = encodingOf(head);
  const text = encoding === 'bytes' ? head : Buffer.alloc(0);
  const start = text.toString('latin1', 0, 8);
  return {
    encoding,
    isBinary: controlShare(text) > 0.05,
    compression: PACKED.find(([, magic]) => start.startsWith(magic))?.[0] ?? null,
    isLfsPointer: text.toString('latin1', 0, LFS.length) === LFS,
  };
}

function encodingOf(head: Buffer): DetectedContentType['encoding'] {
  if (head.length < 4) return 'bytes';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  // Without a mark: text in Latin letters has a zero in every other byte.
  const sample = head.subarray(0, 512);
  let even = 0;
  let odd = 0;
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) even++;
    if (sample[at + 1] === 0) odd++;
  }
  const pairs = sample.length >> 1;
  if (odd > pairs * 0.8 && even < pairs * 0.1) return 'utf-16le';
  if (even > pairs * 0.8 && odd < pairs * 0.1) return 'utf-16be';
  return 'bytes';
}

/** Control characters that no text has. */
const CONTROL = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) if ((byte < 0x08 || byte > 0x0d) && byte !== 0x1b) CONTROL[byte] = 1;

function controlShare(head: Buffer): number {
  let control = 0;
  for (let at = 0; at < head.length; at++) control += CONTROL[head[at] as number] as number;
  return head.length === 0 ? 0 : control / head.length;
}

const NEWLINE = 0x0a;

/** Line breaks before `to`. */
export function countNewlines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0 && at < to; at = bytes.indexOf(NEWLINE, at + 1))
    count++;
  return count;
}
