import type { ChangedText } from '../changed-texts.ts';
import { isTestPath } from '../test-paths.ts';
import { codeOnly } from './strip.ts';

const DEFINITIONS =
  /(?:^|[^\w$.])(?:function\*?|class|const|let|var|def|fn|struct|enum|trait|type|interface)\s+([A-Za-z_$][\w$]*)|^func\s+(?:\([^)\n]{0,200}\)\s*)?(\w+)|\bexports\.(\w+)\s*=/gm;

const namesIn = (path: string, text: string | null): Set<string> =>
  new Set(
    text === null
      ? []
      : [...codeOnly(path, text).matchAll(DEFINITIONS)].flatMap(
          (match) => match[1] ?? match[2] ?? match[3] ?? [],
        ),
  );

/**
 * Names that the patch takes out of the source altogether. A file that gets new names in exchange counts as renamed, not as
 * removed: what is called differently still needs its tests.
 */
export function removedNames(texts: readonly ChangedText[]): Set<string> {
  const removed = new Set<string>();
  const kept = new Set<string>();
  for (const { path, from, before, after } of texts) {
    if (isTestPath(path) || !/\.([cm]?[jt]sx?|py|go|rs)$/.test(path)) continue;
    const then = namesIn(from ?? path, before);
    const now = namesIn(path, after);
    for (const name of now) kept.add(name);
    if ([...now].some((name) => !then.has(name))) continue;
    for (const name of then) if (!now.has(name) && name.length > 1) removed.add(name);
  }
  return new Set([...removed].filter((name) => !kept.has(name)));
}

/** Whether a text names one of these. */
export const namesOneOf = (text: string, names: ReadonlySet<string>): boolean =>
  names.size > 0 && [...text.matchAll(/[A-Za-z_$][\w$]*/g)].some(([word]) => names.has(word));
