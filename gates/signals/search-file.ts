import { open } from 'node:fs/promises';

/** Most bytes of a file that are searched for a literal. */
const MAX_LITERAL_BYTES = 64 * 1_048_576;
/** Most bytes of a file that a regular expression is matched on: RE2 is linear, but slow per byte. */
const MAX_REGEX_BYTES = 4 * 1_048_576;

const CHUNK_BYTES = 1_048_576;

/** `partly`: not found in the part that was looked at, and the file is larger than that. */
export type FileSearchResult = 'found' | 'not_found' | 'partly';

/** Looks for literal text in a file, byte by byte, so that the encoding of the rest does not matter. */
export async function searchLiteral(
  path: string,
  needle: string,
  maxBytes = MAX_LITERAL_BYTES,
): Promise<FileSearchResult> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size, 1)));
    let wanted: Buffer | null = null;
    let kept = Buffer.alloc(0);
    for (let at = 0; at < Math.min(size, maxBytes); ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const part = Buffer.concat([kept, chunk.subarray(0, bytesRead)]);
      wanted ??= encodeLike(part, needle);
      if (part.includes(wanted)) return 'found';
      // The end of this part may be the beginning of the needle.
      kept = Buffer.from(part.subarray(Math.max(0, part.length - wanted.length + 1)));
    }
    return size > maxBytes ? 'partly' : 'not_found';
  } finally {
    await file.close();
  }
}

/**
 * Matches a regular expression (RE2: no backtracking) anywhere in a file. What is linear can take minutes all the same: for patterns
 * that others have written there is `searchRegexInWorker` (search-regex-in-worker.ts).
 */
export async function searchRegex(
  path: string,
  regex: string,
  maxBytes = MAX_REGEX_BYTES,
): Promise<FileSearchResult> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    // Loaded here: most boxes match no regular expression, and start sooner without the engine.
    const { RE2JS } = await import('re2js');
    const matcher = RE2JS.compile(regex).matcher(decode(buffer.subarray(0, filled)));
    if (matcher.find()) return 'found';
    return size > maxBytes ? 'partly' : 'not_found';
  } finally {
    await file.close();
  }
}

const isUtf16Le = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;

const encodeLike = (file: Buffer, text: string): Buffer =>
  Buffer.from(text, isUtf16Le(file) ? 'utf16le' : 'utf8');

/** UTF-8 when it is; else one character per byte, so that ASCII parts still match. */
function decode(bytes: Buffer): string {
  if (isUtf16Le(bytes)) return bytes.subarray(2).toString('utf16le');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
