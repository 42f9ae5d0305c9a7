/** A text that another one stands for. */
export interface DeobfuscatedText {
  /** Latin-1; empty when there is nothing to look at. */
  readonly text: string;
  /** In words. */
  readonly obfuscation: string;
  /** Where a stretch of `text` comes from; null when it stands in the other text just as it is. */
  toOriginalRange(start: number, end: number): readonly [start: number, end: number] | null;
}

export interface DeobfuscationRule {
  readonly anchors: readonly string[];
  readonly before: number;
  readonly after: number;
  deobfuscate(text: string): DeobfuscatedText;
}

/** A place at which something was replaced: its beginning and end in the new text, and how much shorter that is up to there. */
interface Cut {
  readonly begin: number;
  readonly end: number;
  readonly lost: number;
}

/** Replaces what a pattern matches, and remembers where. */
function replaced(
  text: string,
  pattern: RegExp,
  how: string,
  by: (match: RegExpExecArray) => string,
): DeobfuscatedText {
  const cuts: Cut[] = [];
  let result = '';
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    result += text.slice(from, match.index);
    const begin = result.length;
    result += by(match);
    from = match.index + match[0].length;
    cuts.push({ begin, end: result.length, lost: from - result.length });
  }
  if (cuts.length === 0) return { text: '', obfuscation: how, toOriginalRange: () => null };
  result += text.slice(from);
  /** What was lost by the cuts for which `before` holds; they come first. */
  const lost = (before: (cut: Cut) => boolean): number => {
    let low = 0;
    for (let high = cuts.length; low < high; ) {
      const middle = (low + high) >> 1;
      const cut = cuts[middle];
      if (cut && before(cut)) low = middle + 1;
      else high = middle;
    }
    return cuts[low - 1]?.lost ?? 0;
  };
  return {
    text: result,
    obfuscation: how,
    toOriginalRange: (start, end) => {
      const lostBefore = lost((cut) => cut.end <= start);
      const lostWithin = lost((cut) => cut.begin < end);
      return lostBefore === lostWithin ? null : [start + lostBefore, end + lostWithin];
    },
  };
}

const OPERATOR = String.raw`(?:\+|\.\.?|&|\|\||<>|~|\.concat\()`;
const GAP = String.raw`[ \t]{0,16}(?:\\?\r?\n[ \t]{0,120})?`;

/**
 * What stands between two parts of one literal: the closing quote, an operator of some language or none, the opening quote. The
 * parts must not be empty.
 */
const GLUE = new RegExp(
  String.raw`(?<=[^\s"'${'`'}=(,[{])["'${'`'}]\)?${GAP}${OPERATOR}?${GAP}[fFrRbBuU]?\(?["'${'`'}](?=[^\s"'${'`'}),;}\]>])`,
  'g',
);
/** Between the parts of a list that gets joined. */
const LIST_GLUE = /(?<=[^\s"'`])["'`][ \t]{0,16},[ \t]{0,16}(?:\r?\n[ \t]{0,120})?["'`](?=[^\s"'`])/g;
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u00([0-9A-Fa-f]{2})|u\{0{0,4}([0-9A-Fa-f]{2})\})/g;

/** A constant text in a template. */
const INNER = /\$\{[ \t]{0,4}(["'])([^"'`$\n]{1,200})\1[ \t]{0,4}\}/g;
/** A text as a list of the codes of its characters. */
const CODES = /\b(?:\d{2,3}[ \t]{0,4},[ \t]{0,4}(?:\r?\n[ \t]{0,40})?){15,400}\d{2,3}\b/g;
/** Characters that nobody sees, as the bytes that UTF-8 writes them with. */
const UNSEEN = /\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad/g;

const QUOTES = [`"`, `'`, '`'];
const GAPS = ['', ' ', '\n', '\r', '\\', ' \\', ')'];
const GLUE_ANCHORS = QUOTES.flatMap((quote) => [
  ...[...GAPS.map((gap) => `${gap}+`), '.', ' .', '&', ' &', '|', ' |', ' <>', '<>', ' ~', '~'].map(
    (rest) => `${quote}${rest}`,
  ),
  ...['\n', '\r', '\\', ' \\'].map((gap) => `${quote}${gap}`),
  ...QUOTES.flatMap((open) => [' ', ''].map((gap) => `${quote}${gap}${open}`)),
]);

const PARTS = 'put together from parts';

/** Ways to write one text as another that leave its surroundings as they are. */
export const DEOBFUSCATION_RULES: readonly DeobfuscationRule[] = [
  {
    anchors: GLUE_ANCHORS,
    before: 512,
    after: 768,
    deobfuscate: (text) => replaced(text, GLUE, PARTS, () => ''),
  },
  {
    anchors: ['join(', 'implode(', 'concat(', 'join '],
    before: 768,
    after: 768,
    deobfuscate: (text) => replaced(text, LIST_GLUE, PARTS, () => ''),
  },
  {
    anchors: ['\\x', '\\u00', '\\u{'],
    before: 256,
    after: 512,
    deobfuscate: (text) =>
      replaced(text, ESCAPE, 'written with escapes', (match) =>
        String.fromCharCode(Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16)),
      ),
  },
  {
    anchors: ["${'", '${"', "${ '", '${ "'],
    before: 512,
    after: 512,
    deobfuscate: (text) => replaced(text, INNER, PARTS, (match) => match[2] ?? ''),
  },
  {
    anchors: ['charcode(', 'codepoint(', 'bytes(', 'bytearray(', 'chr(', 'byte{', 'from([', 'uint8array('],
    before: 64,
    after: 1_024,
    deobfuscate: (text) =>
      replaced(text, CODES, 'written as codes of characters', (match) =>
        match[0]
          .split(',')
          .map((code) => String.fromCharCode(Number(code) & 0xff))
          .join(''),
      ),
  },
  {
    anchors: ['\xe2\x80', '\xe2\x81', '\xc2\xad'],
    before: 256,
    after: 512,
    deobfuscate: (text) => replaced(text, UNSEEN, 'with characters that nobody sees', () => ''),
  },
];
