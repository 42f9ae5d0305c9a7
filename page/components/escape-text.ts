/** What moves a terminal's cursor or sets its colours: CSI and OSC sequences, and the short ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/gu;
/** Characters that are not seen but change what is: controls, and format characters such as right-to-left marks; a joiner in an emoji is none. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/**
 * Text from outside as it may be shown: colours of a terminal are taken off, and what would be unseen, or would turn what follows
 * around, is named. That it is no markup is seen to by the page, which makes text nodes only.
 */
export const escapeInvisibleCharacters = (text: string): string =>
  text
    .replace(ESCAPES, '')
    .replace(UNSEEN, (character) =>
      character === '\n' || character === '\t' || character === '\u200d' ? character : nameOf(character),
    );

/** The same on one line, cut to `most` characters. */
export function escapeToOneLine(text: string, most = 300): string {
  // What is cut off is not looked at: a line may be a megabyte long.
  const head = escapeInvisibleCharacters(text.slice(0, most * 4).replace(/\s+/gu, ' ')).trim();
  return head.length > most ? `${head.slice(0, most - 1)}…` : head;
}
