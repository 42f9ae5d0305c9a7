import { stripVTControlCharacters } from 'node:util';

/**
 * Makes untrusted text safe to print. Titles, reasons and agents' summaries may have escape sequences that move the cursor, rename the
 * window or hide text, and characters that only some programs read as the end of a line.
 */
export const sanitizeText = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' || character === '\t' || character === '\u200d' ? character : '\ufffd',
  );

/** Makes untrusted text safe to print, on one line. */
export const toOneLine = (text: string): string => sanitizeText(text.replace(/\s+/gu, ' ')).trim();

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Characters that take two columns: East Asian wide ranges and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u;

/** Returns the number of terminal columns of `text`, which has no escape sequences. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Cuts `text` to `width` columns; text that is cut ends in an ellipsis. */
export function truncateToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = WIDE.test(segment) ? 2 : 1;
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept.trimEnd()}…`;
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));
export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
