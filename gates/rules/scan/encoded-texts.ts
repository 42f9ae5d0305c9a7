import { findBase64Ranges } from './byte-ranges.ts';
import type { DeobfuscatedText } from './deobfuscation.ts';

/** Shortest stretch that is decoded, in characters: no secret with a shape of its own is shorter than these 18 bytes. */
const MIN_ENCODED = 24;
/** Longest, in characters; the rest of a longer one is decoded separately. */
const MAX_ENCODED = 65_536;
/** A stretch can begin with something else, such as the folders of a path: so far in we look for where it really begins. */
const MAX_LEAD = 64;
const HEX = /^[0-9a-f]{40}/i;

interface EncodedText {
  readonly from: number;
  readonly derived: DeobfuscatedText;
}

/** The texts that stand in `bytes` as base64 or in hexadecimal digits. */
export function decodeEncodedTexts(bytes: Buffer): EncodedText[] {
  const found: EncodedText[] = [];
  findBase64Ranges(bytes, MIN_ENCODED, ([start, end]) => {
    for (let from = start; from + MIN_ENCODED <= end; from += MAX_ENCODED) {
      const to = Math.min(end, from + MAX_ENCODED);
      for (let lead = 0; lead <= MAX_LEAD && from + lead + MIN_ENCODED <= to; lead++) {
        const text = decode(bytes, from + lead, to);
        if (text === null) continue;
        found.push({ from, derived: { ...text, toOriginalRange: () => [0, to - from] } });
        break;
      }
    }
  });
  return found;
}

/** Groups of four characters that are looked at before anything is decoded. */
const GROUPS = 5;
const GROUP = 4;

/** Characters of base64 that a byte of text can begin with: those of the bytes 0x08 to 0x0f and 0x20 to 0x7f. */
const BEGINS_TEXT = new Uint8Array(256);
for (const byte of Buffer.from('CDIJKLMNOPQRSTUVWXYZabcdef')) BEGINS_TEXT[byte] = 1;
for (const byte of Buffer.from('234567')) BEGINS_TEXT[byte] = 2;

const canBeText = (bytes: Buffer, from: number, kind: number): boolean => {
  for (let group = 0; group < GROUPS; group++)
    if (BEGINS_TEXT[bytes[from + group * GROUP] as number] !== kind) return false;
  return true;
};

function decode(
  bytes: Buffer,
  from: number,
  to: number,
): { readonly text: string; readonly obfuscation: string } | null {
  const base64 = canBeText(bytes, from, 1);
  if (!base64 && !canBeText(bytes, from, 2)) return null;
  const encoded = bytes.toString('latin1', from, to);
  if (!base64 && !HEX.test(encoded)) return null;
  const how = base64 ? 'base64' : 'hex';
  if (!isText(Buffer.from(encoded.slice(0, MIN_ENCODED), how))) return null;
  return {
    text: Buffer.from(encoded, how).toString('latin1'),
    obfuscation: base64 ? 'in base64' : 'in hexadecimal digits',
  };
}

const isText = (bytes: Buffer): boolean =>
  bytes.length > 8 &&
  bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09);
