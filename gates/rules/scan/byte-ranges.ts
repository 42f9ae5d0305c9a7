/** A stretch of bytes, the end not included. */
export type ByteRange = readonly [from: number, to: number];

const DIGIT = 1;
const SEPARATOR = 2;
/** What may stand between the digits of one number: space, brackets, plus, hyphen, dot. */
const IN_NUMBER = new Uint8Array(256);
for (const byte of Buffer.from('0123456789')) IN_NUMBER[byte] = DIGIT;
for (const byte of Buffer.from(' ()+-.')) IN_NUMBER[byte] = SEPARATOR;
const MAX_SEPARATORS = 2;

/** Stretches that hold at least `digits` digits with next to nothing between them: phone, card and insurance numbers. */
export function findNumberRanges(bytes: Uint8Array, digits: number, found: (run: ByteRange) => void): void {
  const length = bytes.length;
  for (let at = 0; at < length; at++) {
    if (IN_NUMBER[bytes[at] as number] !== DIGIT) continue;
    const from = at;
    let last = at;
    let count = 1;
    for (at++; at < length && at - last <= MAX_SEPARATORS + 1; at++) {
      const kind = IN_NUMBER[bytes[at] as number];
      if (kind === 0) break;
      if (kind === DIGIT) {
        count++;
        last = at;
      }
    }
    if (count >= digits) found([from, last + 1]);
    at = last;
  }
}

/** Standard and URL-safe alphabet. Hexadecimal digits are part of it. */
const BASE64 = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'))
  BASE64[byte] = 1;

/** Stretches of at least `length` characters of base64. Looks at every `length`-th byte only, where there are none. */
export function findBase64Ranges(bytes: Uint8Array, length: number, found: (run: ByteRange) => void): void {
  let from = 0;
  while (from + length <= bytes.length) {
    let at = from + length - 1;
    while (at >= from && BASE64[bytes[at] as number] === 1) at--;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let to = from + length;
    while (to < bytes.length && BASE64[bytes[to] as number] === 1) to++;
    found([from, to]);
    from = to + 1;
  }
}
