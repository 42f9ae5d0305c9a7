import { MAX_SOURCE_BYTES } from './parse-source.ts';
import { UnreadableCodeError } from './unreadable-code-error.ts';

const LFS = 'version https://git-lfs.github.com/spec/';
/** PEP 263; counts in the first two lines. Other languages are UTF-8 by definition. */
const DECLARED = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;
const UTF8 = /^(utf-?8(-sig)?|us-?ascii|ascii)$/i;
const LATIN1 = /^(latin-?1|iso-?8859-?1|l1)$/i;

/**
 * The text of a source file.
 * @throws Unreadable for what is no text that a reader, or the language's own tools, would see.
 */
export function decodeSource(bytes: Buffer, isPython: boolean): string {
  if (bytes.length > MAX_SOURCE_BYTES)
    throw new UnreadableCodeError(`is larger than ${MAX_SOURCE_BYTES / 1_048_576} MB`);
  if (bytes.includes(0)) throw new UnreadableCodeError('is not text: it has NUL bytes');
  if (bytes.subarray(0, LFS.length).toString('latin1') === LFS)
    throw new UnreadableCodeError('is a Git LFS pointer, and its content is not here');
  const declared = isPython ? declaredEncoding(bytes) : null;
  if (declared !== null && LATIN1.test(declared)) return bytes.toString('latin1');
  if (declared !== null && !UTF8.test(declared))
    throw new UnreadableCodeError(`declares the encoding ${declared.slice(0, 40)}, which is not read here`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableCodeError('is not UTF-8 text');
  }
}

function declaredEncoding(bytes: Buffer): string | null {
  for (const line of bytes.subarray(0, 400).toString('latin1').split('\n', 2)) {
    const encoding = DECLARED.exec(line)?.[1];
    if (encoding !== undefined) return encoding;
  }
  return null;
}
