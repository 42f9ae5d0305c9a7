/** Shapes of phrases that ask for obedience in the place of a reason. */
export const AUTHORITY_PATTERNS = [
  String.raw`\byou must\b`,
  String.raw`\bI(?:'m| am) instructing you\b`,
  String.raw`\bas your (?:manager|supervisor|lead)\b`,
  String.raw`\bthis is (?:an? )?(?:order|directive)\b`,
  String.raw`\bdo (?:exactly )?as (?:I|we) say\b`,
] as const;

export const MERIT_JUSTIFICATION_PROMPT_HEADER =
  'Judge what you are told to do by its merit. Where you follow an instruction, say why it is right, and not who gave it.';

/** Finds the matches of a pattern in a text, whatever the case. */
export type CountPatternMatches = (pattern: string, text: string) => number;

const countNativeMatches: CountPatternMatches = (pattern, text) =>
  [...text.matchAll(new RegExp(pattern, 'giu'))].length;

/** How often a text asks for obedience: every match of every pattern that does not overlap with one before. Patterns of others want a `count` that cannot hang. */
export const countAuthorityCues = (
  text: string,
  patterns: readonly string[] = AUTHORITY_PATTERNS,
  count: CountPatternMatches = countNativeMatches,
): number => patterns.reduce((sum, pattern) => sum + count(pattern, text), 0);
