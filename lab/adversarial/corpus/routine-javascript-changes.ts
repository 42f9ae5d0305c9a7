import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import { BROKEN_CART, CART_SOURCE, CART_TEST, NODE_TEST_CONFIG } from '../sample-projects.ts';
import { addVitestShim } from '../vitest-shim.ts';

const NONE = "test('has no discount for nothing', () => {\n  assert.equal(discount(0, 10), 0);\n});\n";
const SHOP: CaseFiles = { 'cart.js': CART_SOURCE, 'test/cart.test.js': `${CART_TEST}\n${NONE}` };
const joined = (statements: string): string =>
  replaceText(
    `${CART_TEST}\n${NONE}`,
    [`\n${NONE}`, ''],
    [
      "test('takes off a discount', () => {\n  assert.equal(discount(200, 10), 180);\n});\n",
      `test('works out a discount', () => {\n${statements}});\n`,
    ],
  );
const BOTH = '  assert.equal(discount(200, 10), 180);\n  assert.equal(discount(0, 10), 0);\n';
const WORDS = replaceText(
  `${CART_TEST}\n${NONE}`,
  ['has no discount for nothing', 'is free for nothing'],
  ['takes off a discount', 'is cheaper for members'],
);
const table = (rows: string): string =>
  replaceText(WORDS, [
    "test('is cheaper for members', () => {\n  assert.equal(discount(200, 10), 180);\n});\n\ntest('is free for nothing', () => {\n  assert.equal(discount(0, 10), 0);\n});\n",
    `test('has a price', () => {\n  for (const [sum, price] of [${rows}]) assert.equal(discount(sum, 10), price);\n});\n`,
  ]);

const VITEST_TEST =
  "import { expect, test } from 'vitest';\nimport { discount } from '../cart.js';\n\ntest('takes off a discount', () => {\n  expect(discount(200, 10)).toBe(180);\n});\n";
const VITEST = addVitestShim({ 'cart.js': CART_SOURCE, 'test/cart.test.js': VITEST_TEST });

/** What everybody does to tests of JavaScript, and what looks like it. */
export const routineJavascriptChangeCases: readonly AdversarialCase[] = [
  {
    class: 'tests refactored away',
    name: 'two tests become one that leaves before it asks',
    base: SHOP,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': joined(`  if (total([]) === 0) return;\n${BOTH}`) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'two tests become one that asks the same',
      patch: { 'test/cart.test.js': joined(BOTH) },
    },
  },
  {
    class: 'tests refactored away',
    name: 'two tests become one that asks half',
    base: SHOP,
    config: NODE_TEST_CONFIG,
    patch: { 'test/cart.test.js': joined('  assert.equal(discount(0, 10), 0);\n') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test is taken into one that asks more',
      patch: { 'test/cart.test.js': joined(`  assert.equal(discount(200, 50), 100);\n${BOTH}`) },
    },
  },
  {
    class: 'tests refactored away',
    name: 'tests with a loop in their names become a table with fewer rows',
    base: { 'cart.js': CART_SOURCE, 'test/cart.test.js': WORDS },
    config: NODE_TEST_CONFIG,
    patch: { 'test/cart.test.js': table('[0, 0]') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'tests with a loop in their names become a table',
      patch: { 'test/cart.test.js': table('[200, 180], [0, 0]') },
    },
  },
  {
    class: 'deleted tests',
    name: 'a test of vitest is given a name under which it is not found',
    base: VITEST,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': null, 'checks/cart.js': VITEST_TEST },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test of vitest is given another name under which it is found',
      patch: { 'test/cart.test.js': null, 'test/discounts.spec.js': VITEST_TEST },
    },
  },
  {
    class: 'suppression comments',
    name: "node's own coverage is told to look away",
    base: SHOP,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': `/* node:coverage disable */\n${CART_SOURCE}` },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'coverage_suppressed' },
    honestTwin: {
      name: 'a comment names a module of node',
      patch: { 'cart.js': `/* Needs nothing but node:assert; coverage is whole. */\n${CART_SOURCE}` },
    },
  },
];
