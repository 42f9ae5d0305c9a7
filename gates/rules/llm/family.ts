/** Who makes a model, as far as its name tells; the name's own first part otherwise. Models of one maker err alike. */
export function familyOf(model: string): string {
  const name = model.toLowerCase();
  const known = FAMILIES.find(([, pattern]) => pattern.test(name));
  return known?.[0] ?? name.split(/[/:\s-]/, 1)[0] ?? name;
}

const FAMILIES: readonly (readonly [family: string, pattern: RegExp])[] = [
  ['anthropic', /claude|haiku|sonnet|opus|anthropic/],
  ['google', /gemini|gemma|google/],
  ['openai', /gpt|codex|openai|\bo\d\b/],
  ['alibaba', /qwen|qwq/],
];

const FLASH = 'google/gemini-flash-1.5';
const HAIKU = 'anthropic/claude-haiku-4-5';

/** A cheap model of another family, to review what a model has written. */
export const reviewerOf = (writer: string): string =>
  ({ google: HAIKU, alibaba: HAIKU })[familyOf(writer)] ?? FLASH;
