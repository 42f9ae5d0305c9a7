const EMPTY = new Set(
  'a an the this that these those of to for from in on at by with and or is are be it its as into given all any some new function method class returns return'.split(
    ' ',
  ),
);

/** The words of a name in camel or snake case. */
const wordsOfName = (name: string): string[] =>
  name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_$-]+/g, ' ')
    .trim()
    .split(/\s+/);

/** A word without the endings that grammar gives it. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/e$/, '');

/** Whether every word of a sentence that means something is in the function's name already. */
export function isRedundantDoc(name: string, sentence: string): boolean {
  const words = (sentence.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !EMPTY.has(word.toLowerCase()));
  const known = new Set(wordsOfName(name).map(stem));
  return words.length > 0 && words.every((word) => wordsOfName(word).every((part) => known.has(stem(part))));
}
