/** Longest file, in characters, that is looked at. */
export const MAX_CHARACTERS = 512 * 1_024;

/** How often a pattern matches, with an end. */
export function countOf(code: string, pattern: RegExp, most = 10_000): number {
  let count = 0;
  for (const _ of code.matchAll(pattern)) if (++count >= most) break;
  return count;
}
