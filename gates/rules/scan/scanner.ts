import { AhoCorasickAutomaton } from './aho-corasick.ts';
import { findNumberRanges } from './byte-ranges.ts';
import { DEOBFUSCATION_RULES, type DeobfuscatedText } from './deobfuscation.ts';
import { DETECTOR_SEVERITIES, type Detector, type DetectorMatch } from './detector.ts';
import { decodeEncodedTexts } from './encoded-texts.ts';
import type { FileClassification } from './file-classification.ts';

/** Stretches of a text that one detector is to look at, in order and never overlapping. */
export class ByteRangeCollector {
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
export interface RankedDetectorMatch extends DetectorMatch {
  readonly rank: number;
  /** How it was hidden, in words; null when it stands there as it is. */
  readonly obfuscation: string | null;
}

export interface ContentScanResult {
  readonly matches: readonly RankedDetectorMatch[];
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
export class ContentScanner {
  readonly #automaton: AhoCorasickAutomaton;
  readonly #readers: readonly AnchorHandler[];
  readonly #ofWord: readonly { readonly reader: number; readonly length: number }[];
  readonly #before: readonly number[];
  readonly #after: readonly number[];
  readonly #ofDigits: readonly number[];

  constructor(detectors: readonly Detector[]) {
    const all = [
      ...detectors.map((detector) => ({ ...reach(detector), reader: { detector } })),
      ...DEOBFUSCATION_RULES.map(({ deobfuscate, ...how }) => ({ ...how, reader: { derive: deobfuscate } })),
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
  scan(bytes: Buffer, file: FileClassification): ContentScanResult {
    const { seen, work } = this.#look(bytes, file, 0);
    return { matches: selectStrongestMatches(seen), scannedWorkBytes: work };
  }

  #look(
    bytes: Buffer,
    file: FileClassification,
    depth: number,
  ): { seen: RankedDetectorMatch[]; work: number } {
    const windows = this.#windows(bytes);
    const text = bytes.toString('latin1');
    const seen: RankedDetectorMatch[] = [];
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

  #windows(bytes: Buffer): (ByteRangeCollector | undefined)[] {
    const windows: (ByteRangeCollector | undefined)[] = [];
    const add = (reader: number, from: number, to: number): void => {
      let mine = windows[reader];
      if (!mine) {
        mine = new ByteRangeCollector();
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
