/** What is escaped outside of a text begins none: who starts at each of a million such quotes takes for ever. */
const VALUES = /\\.|(['"`])(?:(?!\1)[^\\\n]|\\.)*\1|(?<=[(,=:]\s{0,20})\/(?:[^/\\\n]|\\.)+\/|\b\d[\w.]*/g;

/** Whether one test still has every value of another, as often. */
export function keepsValues(before: string, after: string): boolean {
  const values = valuesOf(after);
  return [...valuesOf(before)].every(([value, times]) => times <= (values.get(value) ?? 0));
}

/** Numbers, texts and patterns, and how often each stands there. */
function valuesOf(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [value] of text.matchAll(VALUES))
    if (!value.startsWith('\\')) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}
