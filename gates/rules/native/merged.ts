import type { NativeCase } from './model.ts';

const LOOPS = /\bfor\b|\brange\b|#\[\s*(?:case|test_case|values)\b|\btest_case\(/;
const LITERALS = /"(?:[^"\\\n]|\\.){0,300}"|`[^`]{0,2000}`|(?<![\w.])\d[\w.]*/g;
const CALLS = /\b([A-Za-z_]\w*)!?\s*\(/g;
/** What runners and languages bring; the rest is what a test asks. */
const COMMON =
  /^(?:func|if|for|switch|fn|match|Run|Errorf?|Fatalf?|Logf?|Helper|Parallel|assert\w*|test|vec|len|string|Equal|NoError|Some|Ok|Err|unwrap|to_string|into|from)$|^(?:Test|Fuzz|Example)(?![a-z])/;

/** Without comments, and without what is told when it fails. */
const asked = (text: string): string =>
  text
    .replace(/\/\/[^\n]*/g, '')
    .replace(/\.(?:Errorf?|Fatalf?|Logf?|Skipf?)\([^\n]*/g, '')
    .replace(/\bt\.Run\([^,\n]*,/g, '');

/** Most tests that are looked for: nobody merges more of them in one patch. */
const MAX_MERGED = 200;

/** Tests that are gone and stand in the table of another: that one loops, calls the same, and has all of their values. */
export function mergedInto(gone: readonly NativeCase[], others: readonly NativeCase[]): Set<NativeCase> {
  if (gone.length === 0 || gone.length > MAX_MERGED) return new Set();
  const tables = others
    .filter(({ skipped, assertions, text }) => skipped === null && assertions > 0 && LOOPS.test(text))
    .map(({ text }) => asked(text))
    .map((text) => ({ values: new Set(text.match(LITERALS)), words: new Set(text.match(/\w+/g)) }));
  return new Set(
    gone.filter(({ text, name }) => {
      const own = asked(text);
      const values = own.match(LITERALS) ?? [];
      const calls = [...own.matchAll(CALLS)].flatMap(([, called = '']) =>
        COMMON.test(called) || called === name ? [] : [called],
      );
      return (
        values.length > 0 &&
        calls.length > 0 &&
        tables.some(
          (table) =>
            values.every((value) => table.values.has(value)) &&
            calls.every((called) => table.words.has(called)),
        )
      );
    }),
  );
}
