/** Longest text of others that goes into a cell or a line. */
const MAX_TEXT_LENGTH = 4_000;

/** A cell or a line of Markdown in which nothing is markup, a link, an image, a mention or a comment: text of others. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/[\\`*_{}[\]<>()#+!|~@:&-]/g, (character) => `&#${character.charCodeAt(0)};`);
