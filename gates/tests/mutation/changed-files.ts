import type { CodeFile } from '../../code/code-files.ts';
import type { Language } from '../../core/language.ts';
import { languageOfGrammar } from '../../core/language.ts';

/** Paths by language. */
export function groupPathsByLanguage(files: readonly CodeFile[]): Map<Language, string[]> {
  const found = new Map<Language, string[]>();
  for (const { path, grammar } of files) {
    const language = languageOfGrammar(grammar);
    found.set(language, [...(found.get(language) ?? []), path]);
  }
  return found;
}
