/** Below this, what an agent says has little to do with what was asked for. */
export const DRIFT_THRESHOLD = 0.35;

const words = (text: string): Set<string> => new Set(text.toLowerCase().split(/\s+/u).filter(Boolean));

/** How much two texts have in common, 0 to 1: words of both over the geometric mean of the words of each. */
export function computeWordSimilarity(one: string, other: string): number {
  const [a, b] = [words(one), words(other)];
  if (a.size === 0 || b.size === 0) return 0;
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.sqrt(a.size * b.size);
}
