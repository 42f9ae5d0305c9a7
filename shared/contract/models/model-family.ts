/** Names by which a model's maker is known, read 2026-11; models of one maker err alike. */
const FAMILIES: readonly (readonly [family: string, pattern: RegExp])[] = [
  ['anthropic', /claude|haiku|sonnet|opus|anthropic/],
  ['google', /gemini|gemma|google/],
  ['openai', /gpt|codex|openai|\bo\d\b/],
  ['alibaba', /qwen|qwq/],
];

/** Who makes a model, as far as its name tells; the name's own first part otherwise. */
export function modelFamily(model: string): string {
  const name = model.toLowerCase();
  const known = FAMILIES.find(([, pattern]) => pattern.test(name));
  return known?.[0] ?? name.split(/[/:\s-]/, 1)[0] ?? name;
}
