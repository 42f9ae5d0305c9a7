import type { Bodies, Written } from './bodies.ts';

const LITERAL =
  /"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'|`[^`]{0,500}`|(?<![\w.])\d[\d_]*(?:\.\d+)?/g;
/** What is said when a test fails, rather than what it asks with. */
const MESSAGE = /\s|%/;
/** Fewest values that tell a test from others. */
const FEWEST = 2;

/** The values that a text asks with and for; numbers without the marks between their digits, and texts whatever their quotes. */
const valuesIn = (text: string): string[] =>
  [...text.matchAll(LITERAL)].map(([literal]) =>
    /^\d/.test(literal) ? literal.replaceAll('_', '') : literal.slice(1, -1),
  );

/** The values that tell a test from others; empty where it has too few of them. */
function tellingValues({ text, name }: Written): ReadonlySet<string> {
  const values = valuesIn(text).filter((value) => value !== name);
  const telling = values.filter((value) => !MESSAGE.test(value));
  const asked = new Set(telling.length >= FEWEST ? telling : values);
  return asked.size < FEWEST ? new Set() : asked;
}

/** Whether a test asks with values of its own, and not with those of a table. */
export const asksItself = ({ text, name }: Written): boolean =>
  valuesIn(text).some((value) => value !== name && !MESSAGE.test(value));

/** The share of the values that a test asked with and for that its new version has too; 1 where too few tell. */
export function valuesKept(before: Written, now: Written): number {
  const asked = tellingValues(before);
  const there = new Set(valuesIn(now.text));
  return asked.size === 0 ? 1 : [...asked].filter((value) => there.has(value)).length / asked.size;
}

/**
 * Whether a test of the base has become rows of a table, part of one, or several tests: everything that it asked with and for stands in
 * the lines that the patch adds to its file, or in tests that run now and did not before.
 */
export function isRow(test: Written, bodies: Pick<Bodies, 'addedTo'>, added: readonly Written[]): boolean {
  const asked = tellingValues(test);
  const there = new Set([bodies.addedTo(test.path), ...added.map(({ text }) => text)].flatMap(valuesIn));
  return asked.size > 0 && [...asked].every((value) => there.has(value));
}
