import type { TestSource, TestSourceIndex } from './test-source-index.ts';

const LITERAL =
  /"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'|`[^`]{0,500}`|(?<![\w.])\d[\d_]*(?:\.\d+)?/g;
/** What is said when a test fails, rather than what it asks with. */
const FAILURE_MESSAGE = /\s|%/;
/** Fewest values that tell a test from others. */
const MIN_VALUES = 2;

/** The values that a text asks with and for; numbers without the marks between their digits, and texts whatever their quotes. */
const literalsIn = (text: string): string[] =>
  [...text.matchAll(LITERAL)].map(([literal]) =>
    /^\d/.test(literal) ? literal.replaceAll('_', '') : literal.slice(1, -1),
  );

/** The values that tell a test from others; empty where it has too few of them. */
function distinctiveValues({ text, name }: TestSource): ReadonlySet<string> {
  const values = literalsIn(text).filter((value) => value !== name);
  const telling = values.filter((value) => !FAILURE_MESSAGE.test(value));
  const asked = new Set(telling.length >= MIN_VALUES ? telling : values);
  return asked.size < MIN_VALUES ? new Set() : asked;
}

/** Whether a test asks with values of its own, and not with those of a table. */
export const hasOwnValues = ({ text, name }: TestSource): boolean =>
  literalsIn(text).some((value) => value !== name && !FAILURE_MESSAGE.test(value));

/** The share of the values that a test asked with and for that its new version has too; 1 where too few tell. */
export function shareOfValuesKept(before: TestSource, now: TestSource): number {
  const asked = distinctiveValues(before);
  const there = new Set(literalsIn(now.text));
  return asked.size === 0 ? 1 : [...asked].filter((value) => there.has(value)).length / asked.size;
}

/**
 * Whether a test of the base has become rows of a table, part of one, or several tests: everything that it asked with and for stands in
 * the lines that the patch adds to its file, or in tests that run now and did not before.
 */
export function isMergedIntoOtherTests(
  test: TestSource,
  bodies: Pick<TestSourceIndex, 'addedTextOf'>,
  added: readonly TestSource[],
): boolean {
  const asked = distinctiveValues(test);
  const there = new Set(
    [bodies.addedTextOf(test.path), ...added.map(({ text }) => text)].flatMap(literalsIn),
  );
  return asked.size > 0 && [...asked].every((value) => there.has(value));
}
