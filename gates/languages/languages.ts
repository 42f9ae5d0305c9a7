import {
  grammarOfPath,
  isProjectCodePath,
  LANGUAGES,
  type Language,
  languageOfGrammar,
} from '../core/language.ts';
import type { ProjectFiles } from '../core/project-files.ts';

/** Files other than code that belong to one language. */
const MANIFESTS: Readonly<Record<Language, RegExp>> = {
  python:
    /(^|\/)(pyproject\.toml|setup\.(py|cfg)|Pipfile(\.lock)?|poetry\.lock|uv\.lock|requirements[^/]*|.*\.pyi?)$/s,
  javascript:
    /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|tsconfig[^/]*\.json)$/,
  go: /(^|\/)(go\.mod|go\.sum|go\.work)$/,
  rust: /(^|\/)Cargo\.(toml|lock)$/,
};

/** The language that a path belongs to, as code or as a manifest; null for everything else. */
export function languageOfPath(path: string): Language | null {
  const grammar = isProjectCodePath(path) ? grammarOfPath(path) : null;
  if (grammar) return languageOfGrammar(grammar);
  return LANGUAGES.find((language) => MANIFESTS[language].test(path)) ?? null;
}

/**
 * The languages whose tools have something to look at: those that the patch touches, or when it touches none of them, all that
 * the base commit has.
 */
export async function selectLanguages(project: ProjectFiles): Promise<Language[]> {
  const touched = new Set(project.changedPaths.map(languageOfPath));
  const some = LANGUAGES.filter((language) => touched.has(language));
  if (some.length > 0) return some;
  const { base } = await project.revisionPaths();
  const there = new Set([...base].map(languageOfPath));
  return LANGUAGES.filter((language) => there.has(language));
}
