/** Stands where a text was cut, so that nobody takes what is left for the whole. */
export const TRUNCATION_MARK = '[cut]';

/** The first characters of a text: never half of one, which no other program could read. */
export const truncateText = (text: string, characters: number): string =>
  text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '');

const takeBytes = (text: string, bytes: number): string => {
  let end = Math.min(text.length, bytes);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > bytes) {
    const over = Buffer.byteLength(text.slice(0, end)) - bytes;
    end -= Math.max(1, Math.floor(over / 3));
  }
  return truncateText(text, end);
};

/** The beginning of a text in at most `bytes` bytes of UTF-8, with a mark where it was cut. Cut again, it stays as it is. */
export function truncateToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes || text === TRUNCATION_MARK) return text;
  return `${takeBytes(text, Math.max(0, bytes - TRUNCATION_MARK.length))}${TRUNCATION_MARK}`;
}
