/** A multiset of the words and signs of a text. */
function tokenCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [token] of text.matchAll(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu))
    counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

const sizeOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function sharedCount(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [token, count] of left) common += Math.min(count, right.get(token) ?? 0);
  return common;
}

/** How much two texts have in common, from 0 to 1: the Sørensen–Dice coefficient of their tokens. */
export function textSimilarity(left: string, right: string): number {
  const [a, b] = [tokenCounts(left), tokenCounts(right)];
  const all = sizeOf(a) + sizeOf(b);
  return all === 0 ? 0 : (2 * sharedCount(a, b)) / all;
}
