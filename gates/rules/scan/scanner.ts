import { DEOBFUSCATIONS, type DeobfuscatedText } from './deobfuscation.ts';
import { DETECTOR_SEVERITIES, type Detector, type DetectorMatch } from './detector.ts';
import type { FileClassification } from './file-classification.ts';

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

/** Stretches of a text that one detector is to look at, in order and never overlapping. */
export class ScanWindows {
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  /** Adds a stretch. It must not begin before an earlier one did, by more than that one's own length. */
  add(from: number, to: number): void {
    let start = from;
    let end = to;
    for (let last = this.#to.at(-1); last !== undefined && start <= last; last = this.#to.at(-1)) {
      start = Math.min(start, this.#from.pop() ?? start);
      end = Math.max(end, last);
      this.#to.pop();
    }
    this.#from.push(start);
    this.#to.push(end);
  }

  /** The stretches, each cut into pieces of at most `longest` bytes that overlap by `overlap`. */
  *pieces(longest = Number.POSITIVE_INFINITY, overlap = 0): Generator<readonly [from: number, to: number]> {
    for (const [index, from] of this.#from.entries()) {
      const to = this.#to[index] ?? from;
      for (let at = from; ; at += longest - overlap) {
        yield [at, Math.min(at + longest, to)];
        if (at + longest >= to) break;
      }
    }
  }
}

interface Ranked {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
  readonly severity: (typeof DETECTOR_SEVERITIES)[number];
}

/** By severity, then by how sure the detector is, then by length: the first in a place is kept. */
const better = (a: Ranked, b: Ranked): number =>
  DETECTOR_SEVERITIES.indexOf(b.severity) - DETECTOR_SEVERITIES.indexOf(a.severity) ||
  a.rank - b.rank ||
  b.end - b.start - (a.end - a.start);

/** One finding for each place: of those that overlap, the best; in the order of the text. */
export function selectStrongestMatches<T extends Ranked>(seen: readonly T[]): T[] {
  const inOrder = [...seen].sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: T[] = [];
  for (const each of inOrder) {
    const last = kept.at(-1);
    if (!last || last.end <= each.start) kept.push(each);
    else if (better(each, last) < 0) kept[kept.length - 1] = each;
  }
  return kept;
}

/** A match in the bytes that were scanned, or in what they stand for. */
export interface ScannerMatch extends DetectorMatch {
  readonly rank: number;
  /** How it was hidden, in words; null when it stands there as it is. */
  readonly obfuscation: string | null;
}

export interface ScanResult {
  readonly matches: readonly ScannerMatch[];
  /** Bytes that were given to detectors, those given twice counted twice: the work, whatever the machine. */
  readonly scannedWorkBytes: number;
}

/** Digits that a number needs before anybody looks at it: those of a social security number. */
const MIN_DIGITS = 9;
/** Texts in texts, such as base64 of a literal that was split. */
const MAX_DEPTH = 2;
/** Two pieces of a long text share this much, so that nothing is missed where it is cut. */
const PIECE_OVERLAP = 2_048;
/** What a detector may look at before the place where it is to look. */
const CONTEXT = 160;

type AnchorHandler =
  | { readonly detector: Detector }
  | { readonly derive: (text: string) => DeobfuscatedText };

/** Detectors, made ready to look at many texts in time that grows with their length only. */
export class Scanner {
  readonly #automaton: AhoCorasickAutomaton;
  readonly #readers: readonly AnchorHandler[];
  readonly #ofWord: readonly { readonly reader: number; readonly length: number }[];
  readonly #before: readonly number[];
  readonly #after: readonly number[];
  readonly #ofDigits: readonly number[];

  constructor(detectors: readonly Detector[]) {
    const all = [
      ...detectors.map((detector) => ({ ...reach(detector), reader: { detector } })),
      ...DEOBFUSCATIONS.map(({ deobfuscate, ...how }) => ({ ...how, reader: { derive: deobfuscate } })),
    ];
    const words = all.flatMap(({ anchors }, reader) =>
      anchors === 'digits' ? [] : anchors.map((word) => ({ word, reader, length: word.length })),
    );
    this.#automaton = new AhoCorasickAutomaton(words.map(({ word }) => word));
    this.#ofWord = words;
    this.#readers = all.map(({ reader }) => reader);
    this.#before = all.map(({ before }) => before);
    this.#after = all.map(({ after }) => after);
    this.#ofDigits = all.flatMap(({ anchors }, reader) => (anchors === 'digits' ? [reader] : []));
  }

  /** Everything that the detectors see. Of what they see in the same place the best is kept. */
  scan(bytes: Buffer, file: FileClassification): ScanResult {
    const { seen, work } = this.#look(bytes, file, 0);
    return { matches: selectStrongestMatches(seen), scannedWorkBytes: work };
  }

  #look(bytes: Buffer, file: FileClassification, depth: number): { seen: ScannerMatch[]; work: number } {
    const windows = this.#windows(bytes);
    const text = bytes.toString('latin1');
    const seen: ScannerMatch[] = [];
    let work = 0;
    const deeper = (derived: DeobfuscatedText, from: number): void => {
      if (derived.text === '' || depth >= MAX_DEPTH) return;
      const below = this.#look(
        Buffer.from(derived.text, 'latin1'),
        { ...file, isAssembled: true },
        depth + 1,
      );
      work += below.work;
      for (const match of below.seen) {
        const span = derived.toOriginalRange(match.start, match.end);
        if (span)
          seen.push({
            ...match,
            start: from + span[0],
            end: from + span[1],
            obfuscation: match.obfuscation ?? derived.obfuscation,
          });
      }
    };
    for (const [index, reader] of this.#readers.entries()) {
      const mine = windows[index];
      if (!mine) continue;
      if ('derive' in reader) {
        for (const [from, to] of mine.pieces()) {
          work += to - from;
          deeper(reader.derive(text.slice(from, to)), from);
        }
        continue;
      }
      const { detector } = reader;
      if ((file.isBinary || depth > 0) && !detector.inBinary) continue;
      for (const [from, to] of mine.pieces(detector.maxWindowBytes, PIECE_OVERLAP)) {
        work += to - from;
        // With more on either side, so that a pattern can tell where a word begins and ends, and what it belongs to.
        const start = Math.max(0, from - CONTEXT);
        for (const match of detector.find(text.slice(start, to + 1), from - start, file))
          seen.push({
            ...match,
            start: start + match.start,
            end: start + match.end,
            rank: detector.rank,
            obfuscation: null,
          });
      }
    }
    for (const { from, derived } of decodeEncodedTexts(bytes)) deeper(derived, from);
    return { seen, work };
  }

  #windows(bytes: Buffer): (ScanWindows | undefined)[] {
    const windows: (ScanWindows | undefined)[] = [];
    const add = (reader: number, from: number, to: number): void => {
      let mine = windows[reader];
      if (!mine) {
        mine = new ScanWindows();
        windows[reader] = mine;
      }
      mine.add(
        Math.max(0, from - (this.#before[reader] ?? 0)),
        Math.min(bytes.length, to + (this.#after[reader] ?? 0)),
      );
    };
    this.#automaton.scan(bytes, (word, end) => {
      const { reader, length } = this.#ofWord[word] ?? { reader: 0, length: 0 };
      add(reader, end - length, end - length);
    });
    if (this.#ofDigits.length > 0)
      findNumberRanges(bytes, MIN_DIGITS, ([from, to]) => {
        for (const reader of this.#ofDigits) add(reader, from, to);
      });
    return windows;
  }
}

const reach = ({ anchors, before, after }: Detector) => ({ anchors, before, after });

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

/** Called for each word that ends before `end`; `word` is its place in the list. */
type WordMatchHandler = (word: number, end: number) => void;

const A = 0x41;
const Z = 0x5a;
const LOWER = 0x20;

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  /** The longest other node that is a suffix of this one; null for the root. */
  fail: TrieNode | null;
  words: number[];
  state: number;
}

/**
 * Finds many words in one pass over bytes, whatever the words are (Aho and Corasick, 1975). ASCII letters match in either
 * case. The work is one table look-up per byte and one call per hit.
 */
export class AhoCorasickAutomaton {
  readonly #classes = new Uint8Array(256);
  readonly #shift: number;
  readonly #table: Uint16Array;
  /** States from here on end at least one word. */
  readonly #accepting: number;
  readonly #words: readonly (readonly number[])[];

  /** @param words lower case, not empty, Latin-1. */
  constructor(words: readonly string[]) {
    const bytes = [...new Set(Buffer.from(words.join(''), 'latin1'))];
    for (const [index, byte] of bytes.entries()) this.#classes[byte] = index + 1;
    for (let byte = A; byte <= Z; byte++) this.#classes[byte] = this.#classes[byte | LOWER] ?? 0;
    this.#shift = Math.ceil(Math.log2(bytes.length + 1));

    const nodes = trie(words);
    const order = [
      ...nodes.filter((node) => node.words.length === 0),
      ...nodes.filter((node) => node.words.length > 0),
    ];
    for (const [state, node] of order.entries()) node.state = state;
    this.#words = order.filter((node) => node.words.length > 0).map((node) => node.words);
    this.#accepting = order.length - this.#words.length;
    this.#table = new Uint16Array(order.length << this.#shift);
    // By distance from the root: what a node lacks, the one that it fails to has already.
    for (const node of nodes) {
      const row = node.state << this.#shift;
      const fail = (node.fail?.state ?? 0) << this.#shift;
      for (let column = 1; column <= bytes.length; column++)
        this.#table[row | column] =
          node.next.get(bytes[column - 1] ?? -1)?.state ??
          (node.fail ? (this.#table[fail | column] ?? 0) : 0);
    }
  }

  scan(bytes: Uint8Array, hit: WordMatchHandler): void {
    const classes = this.#classes;
    const table = this.#table;
    const shift = this.#shift;
    const accepting = this.#accepting;
    let state = 0;
    for (let at = 0; at < bytes.length; at++) {
      state = table[(state << shift) | (classes[bytes[at] as number] as number)] as number;
      if (state >= accepting)
        for (const word of this.#words[state - accepting] as readonly number[]) hit(word, at + 1);
    }
  }
}

const leaf = (): TrieNode => ({ next: new Map(), fail: null, words: [], state: 0 });

/** The nodes of all words, by their distance from the root. */
function trie(words: readonly string[]): TrieNode[] {
  const root = leaf();
  for (const [index, word] of words.entries()) {
    let node = root;
    for (const byte of Buffer.from(word, 'latin1')) {
      const next = node.next.get(byte) ?? leaf();
      node.next.set(byte, next);
      node = next;
    }
    node.words.push(index);
  }
  const nodes = [root];
  for (const node of nodes)
    for (const [byte, child] of node.next) {
      let fail = node.fail;
      while (fail && !fail.next.has(byte)) fail = fail.fail;
      child.fail = fail?.next.get(byte) ?? root;
      child.words = [...child.words, ...child.fail.words];
      nodes.push(child);
    }
  return nodes;
}
