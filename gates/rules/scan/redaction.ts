import { classifyFile } from './file-classification.ts';
import type { ContentScanner } from './scanner.ts';

/** A scanner for everything that any gate holds to be a secret: what one gate reports must not give away what another looks for. */
export type SecretRedactor = Pick<ContentScanner, 'scan'>;

/** How much of a line is shown on either side, in bytes. */
const AROUND = 32;
const MARK = '***';

type Span = readonly [from: number, to: number];

const QUOTED = /(["'`])((?:(?!\1)[^\\\n]|\\.){0,400})\1/g;
/** What follows a string that is the name of something. */
const AFTER_NAME = /^\s{0,4}[:=\]]/;

/** Contents of the strings in quotes, those left out that are names. */
const quoted = (text: string, from: number): Span[] =>
  [...text.slice(from).matchAll(QUOTED)].flatMap((match): Span[] => {
    const end = from + match.index + match[0].length;
    return match[2] === '' || AFTER_NAME.test(text.slice(end, end + 8))
      ? []
      : [[from + match.index + 1, end - 1]];
  });

/** What no name looks like: a longer word with a digit in it, or with characters that only values have. */
const VALUE = /[^\s"'`=:,;()<>[\]{}|&]{6,}/g;
const NAME = /^[A-Za-z_$][A-Za-z_.$-]{0,39}$/;

/**
 * The surroundings of a finding in one line of text, the finding itself and everything beside it that is or could be a secret
 * blanked out.
 * @param line bytes of the line, or of a part of it. @param span where in it the finding is.
 * @param cut whether the line begins before that part, maybe inside of a string.
 */
export function redactExcerpt(line: Buffer, span: Span, redactor: SecretRedactor, cut = false): string {
  const text = line.toString('latin1');
  const spans: Span[] = [
    span,
    ...redactor.scan(line, classifyFile('')).matches.map(({ start, end }): Span => [start, end]),
    ...quoted(text, 0),
    // Then what looks like the end of a string can be its beginning.
    ...(cut ? quoted(text, text.search(/["'`]/) + 1) : []),
    ...[...text.matchAll(VALUE)]
      .filter(([word]) => !NAME.test(word))
      .map((match): Span => [match.index, match.index + match[0].length]),
  ];
  const [start, end] = merged(spans).find(([from, to]) => from <= span[0] && span[1] <= to) ?? span;
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, end + AROUND);
  let shown = from > 0 ? '…' : '';
  let at = from;
  for (const [hideFrom, hideTo] of merged(spans)) {
    if (hideTo <= from || hideFrom >= to) continue;
    shown += readable(line.subarray(at, Math.max(at, hideFrom))) + MARK;
    at = Math.min(hideTo, to);
  }
  return `${shown}${readable(line.subarray(at, Math.max(at, to)))}${to < text.length ? '…' : ''}`.trim();
}

/** Text in which a secret stands, such as a path, with the secrets blanked out. */
export function redactSecrets(text: string, redactor: SecretRedactor): string {
  const bytes = Buffer.from(text);
  let shown = '';
  let at = 0;
  for (const [from, to] of merged(
    redactor.scan(bytes, classifyFile('')).matches.map(({ start, end }): Span => [start, end]),
  )) {
    shown += readable(bytes.subarray(at, from)) + MARK;
    at = to;
  }
  return shown + readable(bytes.subarray(at));
}

function merged(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Characters that must not reach a terminal. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const readable = (bytes: Buffer): string => bytes.toString('utf8').replace(CONTROL, ' ');
