import { AhoCorasickAutomaton } from './aho-corasick.ts';
import { keepBestMatches } from './best-matches.ts';
import { findNumberRanges } from './byte-ranges.ts';
import { DEOBFUSCATIONS, type DeobfuscatedText } from './deobfuscation.ts';
import type { Detector, DetectorMatch } from './detector.ts';
import { decodeEncodedTexts } from './encoded-texts.ts';
import type { FileClassification } from './file-classification.ts';
import { ScanWindows } from './scan-windows.ts';

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
    return { matches: keepBestMatches(seen), scannedWorkBytes: work };
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
