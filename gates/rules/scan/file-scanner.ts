import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import {
  CONTENT_SAMPLE_BYTES,
  countNewlines,
  type DetectedContentType,
  detectContentType,
} from './content-sniffing.ts';
import type { DetectorSeverity } from './detector.ts';
import { classifyFile } from './file-classification.ts';
import { redactExcerpt, type SecretRedactor } from './redaction.ts';
import type { ContentScanner, RankedDetectorMatch } from './scanner.ts';

/** One place in a file. */
export interface FileScanMatch {
  readonly rule: string;
  readonly title: string;
  readonly severity: DetectorSeverity;
  /** 1-based. */
  readonly line: number;
  /** Its surroundings, with everything secret in them blanked out. */
  readonly excerpt: string;
  readonly obfuscation: string | null;
  /** Tells it from others, without giving it away: a hash of the secret. */
  readonly valueDigest: string;
  /** The same for the line that it is in. */
  readonly contextDigest: string;
}

export interface FileScanResult {
  readonly matches: readonly FileScanMatch[];
  readonly facts: DetectedContentType;
  readonly bytes: number;
  /** Places beyond the limit, which are counted only. */
  readonly unlistedMatches: number;
  readonly scannedWorkBytes: number;
}

/** Bytes that are looked at in one go. Between two of them others get their turn. */
const PIECE_BYTES = 1_048_576;
/** How far into the next piece one is followed: longer than anything that a detector looks for. */
const OVERLAP_BYTES = 16_384;
/** How much of the piece before is kept, as context. */
const LOOKBACK_BYTES = 4_096;
/** Most places of one file that are kept, of each rule and severity: no flood of one hides another. */
const MAX_PLACES = 500;
/** How far a line is followed to either side for what tells it from others. */
const CONTEXT_BYTES = 240;

export const computeShortDigest = (text: string | Buffer): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Scans one file that comes in pieces of any size, in memory that does not depend on how long it is. */
export class FileScanner {
  readonly #scanner: ContentScanner;
  readonly #redactor: SecretRedactor;
  readonly #path: string;
  #facts: DetectedContentType | null = null;
  #decoder: TextDecoder | null = null;
  /** What has come and was not looked at yet, in parts; joined once they are enough. */
  #parts: Buffer[] = [];
  #held = 0;
  /** Line breaks before that. */
  #lines = 0;
  #bytes = 0;
  /** Bytes of it that were looked at already. */
  #seen = 0;
  readonly #places: FileScanMatch[] = [];
  readonly #kept = new Map<string, number>();
  #more = 0;
  #work = 0;

  constructor(scanner: ContentScanner, redactor: SecretRedactor, path: string) {
    this.#scanner = scanner;
    this.#redactor = redactor;
    this.#path = path;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#hold(this.#decoder ? Buffer.from(this.#decoder.decode(chunk, { stream: true })) : chunk);
    if (!this.#facts && this.#held >= CONTENT_SAMPLE_BYTES) this.#begin();
    while (this.#held > PIECE_BYTES) this.#piece(PIECE_BYTES, false);
  }

  end(): FileScanResult {
    const facts = this.#facts ?? this.#begin();
    if (this.#decoder) this.#hold(Buffer.from(this.#decoder.decode()));
    while (this.#held > PIECE_BYTES) this.#piece(PIECE_BYTES, false);
    this.#piece(this.#held, true);
    return {
      matches: this.#places,
      facts,
      bytes: this.#bytes,
      unlistedMatches: this.#more,
      scannedWorkBytes: this.#work,
    };
  }

  #hold(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#held += bytes.length;
  }

  #joined(): Buffer {
    const [only, ...more] = this.#parts;
    if (only && more.length === 0) return only;
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }

  #begin(): DetectedContentType {
    const start = this.#joined();
    const facts = detectContentType(start.subarray(0, CONTENT_SAMPLE_BYTES));
    this.#facts = facts;
    if (facts.encoding !== 'bytes') {
      this.#decoder = new TextDecoder(facts.encoding);
      this.#parts = [];
      this.#held = 0;
      this.#hold(Buffer.from(this.#decoder.decode(start, { stream: true })));
    }
    return facts;
  }

  #piece(length: number, last: boolean): void {
    const held = this.#joined();
    const piece = held.subarray(0, length);
    const { matches, scannedWorkBytes } = this.#scanner.scan(
      piece,
      classifyFile(this.#path, this.#facts?.isBinary),
    );
    this.#work += scannedWorkBytes;
    const next = last ? length : length - OVERLAP_BYTES;
    let at = 0;
    let line = this.#lines + 1;
    for (const each of matches) {
      // Seen before; or so near the end that it may go on: the next piece has the whole of it.
      if (each.start < this.#seen || (!last && each.start >= next)) continue;
      line += countNewlines(piece, at, each.start);
      at = each.start;
      this.#keep(each, piece, line);
    }
    if (last) return;
    const from = next - LOOKBACK_BYTES;
    this.#lines += countNewlines(piece, 0, from);
    this.#parts = [held.subarray(from)];
    this.#held -= from;
    this.#seen = LOOKBACK_BYTES;
  }

  #keep(seen: RankedDetectorMatch, piece: Buffer, line: number): void {
    const kind = `${seen.severity} ${seen.rule}`;
    const kept = this.#kept.get(kind) ?? 0;
    this.#kept.set(kind, kept + 1);
    if (kept >= MAX_PLACES) {
      this.#more++;
      return;
    }
    const near = Math.max(0, seen.start - CONTEXT_BYTES);
    const lineBreak = piece.subarray(near, seen.start).lastIndexOf(0x0a);
    const from = near + lineBreak + 1;
    const rest = piece.subarray(seen.end, seen.end + CONTEXT_BYTES);
    const end = rest.indexOf(0x0a);
    const around = piece.subarray(from, seen.end + (end < 0 ? rest.length : end));
    const { rule, title, severity, obfuscation } = seen;
    this.#places.push({
      rule,
      title,
      severity,
      line,
      excerpt: redactExcerpt(
        around,
        [seen.start - from, seen.end - from],
        this.#redactor,
        lineBreak < 0 && near > 0,
      ),
      obfuscation,
      valueDigest: computeShortDigest(`${rule}\0${seen.value}`),
      contextDigest: computeShortDigest(around),
    });
  }
}
