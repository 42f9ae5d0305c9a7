import { PROMPT_PART_NAMES } from '../../contract/roles/prompt-parts.ts';

export type PromptPartName = (typeof PROMPT_PART_NAMES)[number];
/** Title and description as they are; the others as sections with headings of their own, empty where there is nothing to say. */
export type PromptParts = Readonly<Partial<Record<PromptPartName, string>>>;

const PLACEHOLDER = /\{\{\s*([A-Za-z_]+)\s*\}\}/g;
const isPart = (name: string): name is PromptPartName =>
  (PROMPT_PART_NAMES as readonly string[]).includes(name);

/** Placeholders of a template that nothing stands for, each with its line (1-based). */
export const findUnknownPlaceholders = (
  template: string,
): { readonly name: string; readonly line: number }[] =>
  template
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(PLACEHOLDER)].flatMap(([, name = '']) =>
        isPart(name) ? [] : [{ name, line: index + 1 }],
      ),
    );

/**
 * A task's prompt from a role's template. Filled in one pass, so that text of the task is never filled again. What the template does
 * not name is put at its end: a template cannot keep from an agent how it will be checked, or why it failed before.
 */
export function renderTaskPrompt(template: string, parts: PromptParts): string {
  const named = new Set<string>([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  const filled = template.replace(PLACEHOLDER, (whole, name: string) =>
    isPart(name) ? (parts[name] ?? '').trim() : whole,
  );
  const rest = PROMPT_PART_NAMES.filter((name) => !named.has(name)).map((name) => (parts[name] ?? '').trim());
  return `${[filled.trim(), ...rest.filter((text) => text !== '')].join('\n\n').replace(/\n{3,}/g, '\n\n')}\n`;
}
