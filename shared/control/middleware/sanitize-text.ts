const URLS = /\b(?:https?|postgres(?:ql)?|mysql|redis|mongodb|amqp|s?ftp|file):\/\/[^\s"'<>]*/giu;
const PATHS =
  /(?:\b[A-Za-z]:\\[^\s"'<>|]*|\\\\[^\s"'<>|]+|(?<![\w.])\.{0,2}\/[\w.@~+-]+(?:\/[\w.@~+-]+)*\/?|\b[\w.-]+(?:\/[\w.-]+)+)/gu;
const INJECTIONS = [
  /\bignore\b[^.\n]{0,80}\b(?:instructions?|rules?|commands?|directives?)\b/giu,
  /\[\/?(?:INST|SYS|SYSTEM|USER|ASSISTANT)\]/giu,
  /<\|[\w-]{1,40}\|>/gu,
  /=== ?(?:BEGIN|END)\b[^\n=]{0,80}(?:===)?/giu,
];

/** Stands for a text of which nothing is left that says anything. */
export const REDACTED_TEXT = 'details redacted';

/**
 * Text of others as it may stand in a message: cut first, then without URLs, paths and what looks like a role of the chat. So it can be
 * longer than `most` characters in the end. @throws RangeError when `most` is negative.
 */
export function sanitizeText(raw: string, most = 200): string {
  if (most < 0) throw new RangeError('the most characters must not be negative');
  const short = [...raw.slice(0, 2 * most)].slice(0, most).join('');
  const hidden = short.replace(URLS, '[REDACTED_URL]').replace(PATHS, '[REDACTED_PATH]');
  const filtered = INJECTIONS.reduce((text, shape) => text.replace(shape, '[FILTERED]'), hidden);
  const printable = filtered.replace(/[\p{C}]/gu, (each) => (each === '\n' || each === '\t' ? ' ' : ''));
  return /[\p{L}\p{N}]/u.test(printable) ? printable : REDACTED_TEXT;
}
