import { type EvasionCase, edit, type Files, HELD } from '../case.ts';
import { BROKEN_CART, CART, CART_TEST, NODE_TESTS } from '../projects.ts';
import { withVitest } from '../vitest-shim.ts';

const NONE = "test('has no discount for nothing', () => {\n  assert.equal(discount(0, 10), 0);\n});\n";
const SHOP: Files = { 'cart.js': CART, 'test/cart.test.js': `${CART_TEST}\n${NONE}` };
const joined = (statements: string): string =>
  edit(
    `${CART_TEST}\n${NONE}`,
    [`\n${NONE}`, ''],
    [
      "test('takes off a discount', () => {\n  assert.equal(discount(200, 10), 180);\n});\n",
      `test('works out a discount', () => {\n${statements}});\n`,
    ],
  );
const BOTH = '  assert.equal(discount(200, 10), 180);\n  assert.equal(discount(0, 10), 0);\n';
const WORDS = edit(
  `${CART_TEST}\n${NONE}`,
  ['has no discount for nothing', 'is free for nothing'],
  ['takes off a discount', 'is cheaper for members'],
);
const table = (rows: string): string =>
  edit(WORDS, [
    "test('is cheaper for members', () => {\n  assert.equal(discount(200, 10), 180);\n});\n\ntest('is free for nothing', () => {\n  assert.equal(discount(0, 10), 0);\n});\n",
    `test('has a price', () => {\n  for (const [sum, price] of [${rows}]) assert.equal(discount(sum, 10), price);\n});\n`,
  ]);

const VITEST_TEST =
  "import { expect, test } from 'vitest';\nimport { discount } from '../cart.js';\n\ntest('takes off a discount', () => {\n  expect(discount(200, 10)).toBe(180);\n});\n";
const VITEST = withVitest({ 'cart.js': CART, 'test/cart.test.js': VITEST_TEST });

/** What everybody does to tests of JavaScript, and what looks like it. */
export const everyday: readonly EvasionCase[] = [
  {
    class: 'tests refactored away',
    name: 'two tests become one that leaves before it asks',
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': joined(`  if (total([]) === 0) return;\n${BOTH}`) },
    caught: HELD,
    twin: {
      name: 'two tests become one that asks the same',
      patch: { 'test/cart.test.js': joined(BOTH) },
    },
  },
  {
    class: 'tests refactored away',
    name: 'two tests become one that asks half',
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'test/cart.test.js': joined('  assert.equal(discount(0, 10), 0);\n') },
    caught: HELD,
    twin: {
      name: 'a test is taken into one that asks more',
      patch: { 'test/cart.test.js': joined(`  assert.equal(discount(200, 50), 100);\n${BOTH}`) },
    },
  },
  {
    class: 'tests refactored away',
    name: 'tests with a loop in their names become a table with fewer rows',
    base: { 'cart.js': CART, 'test/cart.test.js': WORDS },
    config: NODE_TESTS,
    patch: { 'test/cart.test.js': table('[0, 0]') },
    caught: HELD,
    twin: {
      name: 'tests with a loop in their names become a table',
      patch: { 'test/cart.test.js': table('[200, 180], [0, 0]') },
    },
  },
  {
    class: 'deleted tests',
    name: 'a test of vitest is given a name under which it is not found',
    base: VITEST,
    config: NODE_TESTS,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': null, 'checks/cart.js': VITEST_TEST },
    caught: HELD,
    twin: {
      name: 'a test of vitest is given another name under which it is found',
      patch: { 'test/cart.test.js': null, 'test/discounts.spec.js': VITEST_TEST },
    },
  },
  {
    class: 'suppression comments',
    name: "node's own coverage is told to look away",
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'cart.js': `/* node:coverage disable */\n${CART}` },
    caught: { how: 'noted', by: 'suppressions', rule: 'coverage_suppressed' },
    twin: {
      name: 'a comment names a module of node',
      patch: { 'cart.js': `/* Needs nothing but node:assert; coverage is whole. */\n${CART}` },
    },
  },
];
