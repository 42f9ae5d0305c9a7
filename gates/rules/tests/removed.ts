import type { ChangedText } from '../../engine/changed-texts.ts';
import { isTestPath } from '../../languages/test-paths.ts';
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
  const gone: Defined[] = [];
  const added: Defined[] = [];
  for (const { path, from, before, after } of texts) {
    if (isTestPath(path) || !/\.([cm]?[jt]sx?|py|go|rs)$/.test(path)) continue;
    const then = namesIn(from ?? path, before);
    const now = namesIn(path, after);
    for (const name of now) kept.add(name);
    gone.push(...definitionsIn(from ?? path, before).filter(({ name }) => !now.has(name)));
    added.push(...definitionsIn(path, after).filter(({ name }) => !then.has(name)));
    if ([...now].some((name) => !then.has(name))) continue;
    for (const name of then) if (!now.has(name) && name.length > 1) removed.add(name);
  }
  // What is called differently in another file, and does much the same, still needs its tests too.
  for (const { name, words } of gone.slice(0, MAX_COMPARED))
    if (added.slice(0, MAX_COMPARED).some((other) => isAlike(words, other.words))) kept.add(name);
  return new Set([...removed].filter((name) => !kept.has(name)));
}

/** A definition with the words that it is made of. */
interface Defined {
  readonly name: string;
  readonly words: ReadonlySet<string>;
}

/** Most definitions of each side that are compared, and characters of one. */
const MAX_COMPARED = 300;
const MAX_BODY = 1_000;
/** Words that are alike, and words that there must be. */
const ALIKE = 0.6;
const FEWEST_WORDS = 5;

function definitionsIn(path: string, text: string | null): Defined[] {
  if (text === null) return [];
  const code = codeOnly(path, text);
  const matches = [...code.matchAll(DEFINITIONS)];
  return matches.map((match, index) => {
    const body = code.slice(
      match.index + match[0].length,
      Math.min(match.index + MAX_BODY, matches[index + 1]?.index ?? code.length),
    );
    const name = match[1] ?? match[2] ?? match[3] ?? '';
    return { name, words: new Set([...body.matchAll(/[\w$]+|[-+*/%<>]=?/g)].map(([word]) => word)) };
  });
}

function isAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size < FEWEST_WORDS || right.size < FEWEST_WORDS) return false;
  let common = 0;
  for (const word of left) if (right.has(word)) common++;
  return common / (left.size + right.size - common) >= ALIKE;
}

/** Whether a text names one of these. */
export const namesOneOf = (text: string, names: ReadonlySet<string>): boolean =>
  names.size > 0 && [...text.matchAll(/[A-Za-z_$][\w$]*/g)].some(([word]) => names.has(word));
