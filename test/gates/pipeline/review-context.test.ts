import { describe, expect, it } from 'vitest';
import {
  collectReviewContext,
  findChangedNames,
  MAX_REVIEW_CONTEXT_CHARS,
  selectReviewContext,
} from '../../../gates/pipeline/review-context.ts';
import { createSubject } from '../../support/patch-fixture.ts';

const FILLER = Array.from({ length: 30 }, (_, index) => `  total += ${index};`).join('\n');
const price = (rate: string): string =>
  `export function before() {\n  return 0;\n}\n\nexport function price(net) {\n  let total = net;\n${FILLER}\n  return total * ${rate};\n}\n\nexport function after() {\n  return 2;\n}\n`;

describe('what reviewers see of a patch', () => {
  it('is each change with its whole function, then tests and callers of what is changed', async () => {
    const subject = await createSubject(
      {
        'src/price.js': price('1.19'),
        'src/cart.js':
          "import { price } from './price.js';\n\nexport function cartTotal(items) {\n  return items.map((each) => price(each)).at(0);\n}\n",
        'src/other.js': 'export function other() {\n  return 1;\n}\n',
        'test/price.test.js': "it('adds tax', () => {\n  expect(price(100)).toBe(119);\n});\n",
        'docs/price.md': 'price is a word of prose\n',
      },
      { 'src/price.js': price('1.07') },
    );
    const { parts, omitted } = await collectReviewContext(subject.store, subject.base, subject.patched);
    expect(parts.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'change src/price.js',
      'test test/price.test.js',
      'caller src/cart.js',
    ]);
    expect(parts[0]?.text).toContain('let total = net;');
    expect(parts[0]?.text).not.toContain('return 0;');
    expect(parts[2]?.text).toContain('4:   return items.map((each) => price(each)).at(0);');
    expect(omitted).toEqual([]);
  });

  it('shows a whole method of Python, not the whole class', async () => {
    const code = (value: number): string =>
      `class Cart:\n    def first(self):\n        return 1\n\n    def second(self):\n        x = 1\n        y = 2\n        a = 1\n        b = 2\n        return ${value}\n\n    def third(self):\n        p = 1\n        q = 2\n        r = 1\n        s = 2\n        return 3\n`;
    const subject = await createSubject({ 'cart.py': code(2) }, { 'cart.py': code(4) });
    const { parts } = await collectReviewContext(subject.store, subject.base, subject.patched);
    expect(parts[0]?.text).toContain('def second(self):');
    expect(parts[0]?.text).not.toContain('return 3');
  });

  it('names what has no room, with its size', () => {
    const part = (kind: 'change' | 'caller', path: string, chars: number) => ({
      kind,
      path,
      text: 'x'.repeat(chars),
    });
    const { parts, omitted } = selectReviewContext(
      [part('change', 'a.js', 3_000), part('change', 'b.js', 9_000), part('caller', 'c.js', 700)],
      5_000,
    );
    expect(parts.map(({ path }) => path)).toEqual(['a.js', 'b.js']);
    expect(parts[1]?.text).toContain('[7000 characters of this file are not shown]');
    expect(omitted).toEqual(['rest of the change of b.js: 7000 characters', 'caller c.js: 700 characters']);
    expect(MAX_REVIEW_CONTEXT_CHARS).toBeLessThan(100_000);
  });

  it('finds the names of what is changed, and none that is only near', () => {
    const diff = `diff --git a/a.js b/a.js
--- a/a.js
+++ b/a.js
@@ -1,5 +1,5 @@
 function near() {
 }
 async function total(items) {
-  return 1;
+  return 2;
 }
`;
    expect(findChangedNames(diff)).toEqual(['total']);
  });
});
