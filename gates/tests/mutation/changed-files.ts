import type { CodeFile } from '../../code/tree-files.ts';
import type { Language } from '../../core/language.ts';
import { languageOf } from '../../core/language.ts';

/** Paths by language. */
export function byLanguage(files: readonly CodeFile[]): Map<Language, string[]> {
  const found = new Map<Language, string[]>();
  for (const { path, grammar } of files) {
    const language = languageOf(grammar);
    found.set(language, [...(found.get(language) ?? []), path]);
  }
  return found;
}
