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

/**
 * Whether a test of the base has become rows of a table, or part of one: everything that it asked with and for stands in the lines that
 * the patch adds to its file.
 */
export function isRow({ text, name, path }: Written, bodies: Bodies): boolean {
  const values = valuesIn(text).filter((value) => value !== name);
  const telling = values.filter((value) => !MESSAGE.test(value));
  const asked = new Set(telling.length >= FEWEST ? telling : values);
  if (asked.size < FEWEST) return false;
  const there = new Set(valuesIn(bodies.addedTo(path)));
  return [...asked].every((value) => there.has(value));
}
