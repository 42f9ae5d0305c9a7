/** How much of the end of the agent's output is looked at, in characters. */
export const LOW_CONFIDENCE_TAIL_CHARS = 2_000;

/**
 * Phrases with which an agent admits that it may not have done the work. A superset of the seed's vocabulary:
 * both apostrophes, nouns and participles, `TODO: escalate`. Word-bounded, case-insensitive, no nested repetition.
 */
const PHRASES: readonly string[] = [
  "(?:i'?m|i am) (?:not sure|unsure)",
  'i cannot determine',
  "i (?:can'?t|cannot) determine",
  "i (?:don'?t|do not) know",
  'this is beyond (?:my|the)',
  'i lack(?:ed)? (?:the |enough |sufficient )?context',
  'partial(?:ly)? (?:complete|completed|implementation|implemented|solution)',
  'unable to (?:fully |completely )?(?:complete|finish|implement)',
  "(?:couldn'?t|could not) (?:be |fully )?(?:complete|completed|finish)",
  'incomplete implementations?',
  'not (?:fully )?confident(?! ?-)',
  'needs? more (?:context|information|info)\\b',
  'left (?:as )?(?:a )?placeholders?',
  'todo: ?[^\\n]{0,80}escalat(?:e|ed|es|ing|ion)?',
];
const PATTERN = new RegExp(`(?<![\\w-])(?:${PHRASES.join('|')})(?![\\w])`, 'i');

/** The low-confidence phrase at the end of `output`, or null. */
export function lowConfidencePhrase(output: string): string | null {
  const tail = output.slice(-LOW_CONFIDENCE_TAIL_CHARS).replaceAll('\u2019', "'").replace(/\s+/g, ' ');
  return PATTERN.exec(tail)?.[0] ?? null;
}
