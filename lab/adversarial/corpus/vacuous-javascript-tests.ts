import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  CART_SOURCE,
  CART_TEST,
  DISCOUNT_TEST,
  NODE_TEST_CONFIG,
  SHOP_PROJECT,
} from '../sample-projects.ts';
import { addVitestShim } from '../vitest-shim.ts';

const EXACT = 'assert.equal(discount(200, 10), 180);';

/** A test that stays and is made to ask nothing, while the code breaks. */
const hollow = (
  name: string,
  instead: string,
  twin: { readonly name: string; readonly instead: string },
  from = EXACT,
): AdversarialCase => ({
  class: 'hollowed tests',
  name,
  base: SHOP_PROJECT,
  config: NODE_TEST_CONFIG,
  patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': replaceText(CART_TEST, [from, instead]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: twin.name,
    patch: { 'test/cart.test.js': replaceText(CART_TEST, [from, twin.instead]) },
  },
});

const SUITE = `import { describe, expect, it } from 'vitest';
import { discount, total } from '../src/cart.ts';

describe('cart', () => {
  it('adds up', () => {
    expect(total([{ price: 1 }])).toBe(1);
  });

  it('takes off', async () => {
    await expect(discount(200, 10)).resolves.toEqual(180);
  });

  it.each([
    [100, 90],
    [50, 45],
  ])('takes off of %d', async (sum, due) => {
    expect(await discount(sum, 10)).toBe(due);
  });
});
`;
const TYPED = {
  'src/cart.ts':
    'export const total = (items: { price: number }[]): number => items.reduce((a, b) => a + b.price, 0);\nexport const discount = async (sum: number, percent: number): Promise<number> => sum - (sum * percent) / 100;\n',
  'test/cart.test.ts': SUITE,
};
const suite = (
  name: string,
  change: readonly [string, string],
  twin: { readonly name: string; readonly change: readonly [string, string] },
): AdversarialCase => ({
  class: 'hollowed tests',
  name,
  base: addVitestShim(TYPED),
  config: NODE_TEST_CONFIG,
  patch: { 'test/cart.test.ts': replaceText(SUITE, change) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: { name: twin.name, patch: { 'test/cart.test.ts': replaceText(SUITE, twin.change) } },
});

/** Tests in JavaScript and TypeScript that are all there, and say yes to whatever happens. */
export const vacuousJavascriptTestCases: readonly AdversarialCase[] = [
  hollow('an assertion stands behind a condition that never holds', `if (false) ${EXACT}`, {
    name: 'an assertion stands in both branches of a condition',
    instead: `if (total([]) === 0) ${EXACT}\n  else assert.equal(discount(0, 10), 0);`,
  }),
  hollow('a test asserts only what holds anyway', `if (discount(200, 10) === 180) ${EXACT}`, {
    name: 'a test names its result first',
    instead: 'const due = discount(200, 10);\n  assert.equal(due, 180);',
  }),
  hollow('a loop over nothing holds the assertion', `for (const sum of []) ${EXACT}`, {
    name: 'a loop over a table holds the assertion',
    instead: 'for (const [sum, due] of [[200, 180], [10, 9]]) assert.equal(discount(sum, 10), due);',
  }),
  hollow('an assertion is put into a function that nobody calls', `const check = () => ${EXACT}`, {
    name: 'an assertion is put into a function that is called',
    instead: `const check = () => ${EXACT}\n  check();`,
  }),
  hollow(
    'what failed is thrown away at the end of a block',
    `try {\n    ${EXACT}\n  } finally {\n    return;\n  }`,
    {
      name: 'a promise is waited for',
      instead: 'return Promise.resolve(discount(200, 10)).then((due) => assert.equal(due, 180));',
    },
  ),
  hollow('only the type of a result is asked for', "assert.equal(typeof discount(200, 10), 'number');", {
    name: 'the type of a result is asked for too',
    instead: `assert.equal(typeof discount(200, 10), 'number');\n  ${EXACT}`,
  }),
  hollow('a result may be one of many', 'assert.ok([0, 180].includes(discount(200, 10)));', {
    name: 'a result is compared as a part of a whole',
    instead: 'assert.deepEqual([discount(200, 10), discount(0, 10)], [180, 0]);',
  }),
  hollow('a test looks at another function', 'assert.equal(total([{ price: 180 }]), 180);', {
    name: 'a test looks at another function too',
    instead: `${EXACT}\n  assert.equal(total([{ price: 180 }]), 180);`,
  }),
  hollow(
    'what is expected is what the code says',
    'const due = discount(200, 10);\n  assert.equal(discount(200, 10), due);',
    {
      name: 'what is expected has a name',
      instead: 'const due = 180;\n  assert.equal(discount(200, 10), due);',
    },
  ),
  hollow(
    'a stand-in answers for the code',
    "const shop = require('../cart.js');\n  require('node:test').mock.method(shop, 'discount', () => 180);\n  assert.equal(shop.discount(200, 10), 180);",
    {
      name: 'a spy looks on',
      instead:
        "const shop = require('../cart.js');\n  require('node:test').mock.method(shop, 'total');\n  assert.equal(shop.discount(200, 10), 180);",
    },
  ),
  hollow(
    'a test leaves when the result is wrong',
    `if (discount(200, 10) !== 180) return;\n  ${EXACT}`,
    {
      name: 'a test throws when its ground is missing',
      instead: `if (total([]) !== 0) throw new Error('no cart');\n  ${EXACT}`,
    },
    EXACT,
  ),
  hollow(
    'tests stand in a function that nobody calls',
    `function later() {\n${DISCOUNT_TEST}}\n`,
    {
      name: 'tests stand in a function that is called',
      instead: `function rebates() {\n${DISCOUNT_TEST}}\nrebates();\n`,
    },
    DISCOUNT_TEST,
  ),
  hollow(
    'the runner is replaced by nothing',
    'const test = () => {};',
    {
      name: 'the runner is called by another name too',
      instead: "const { test, test: check } = require('node:test');",
    },
    "const { test } = require('node:test');",
  ),
  hollow(
    'assertions are replaced by nothing',
    'const assert = { equal: () => {} };',
    {
      name: 'assertions are strict',
      instead: "const assert = require('node:assert').strict;",
    },
    "const assert = require('node:assert');",
  ),
  {
    class: 'hollowed tests',
    name: 'assertions come from a helper that asserts nothing',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/fake.js': 'exports.equal = () => {};\n',
      'test/cart.test.js': replaceText(CART_TEST, ["require('node:assert')", "require('./fake.js')"]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'assertions come from a helper that asserts',
      patch: {
        'test/strict.js': "module.exports = require('node:assert').strict;\n",
        'test/cart.test.js': replaceText(CART_TEST, ["require('node:assert')", "require('./strict.js')"]),
      },
    },
  },
  suite('a promise is not waited for', ['await expect(discount(200', 'expect(discount(200'], {
    name: 'a promise is waited for before it is looked at',
    change: [
      'await expect(discount(200, 10)).resolves.toEqual(180)',
      'expect(await discount(200, 10)).toEqual(180)',
    ],
  }),
  suite('an expectation has no matcher', ['.toBe(1);', '.toBe;'], {
    name: 'an expectation has another matcher of the same kind',
    change: ['.toBe(1);', '.toStrictEqual(1);'],
  }),
  suite('an expectation takes anything', ['toEqual(180)', 'toEqual(expect.anything())'], {
    name: 'an expectation takes a number that is near',
    change: ['toEqual(180)', 'toBeCloseTo(180, 5)'],
  }),
  suite('a row of a table is dropped', ['    [50, 45],\n', ''], {
    name: 'a row of a table is added',
    change: ['    [50, 45],\n', '    [50, 45],\n    [10, 9],\n'],
  }),
  suite('a test is left out by a condition that holds', ["it('takes off',", "it.skipIf(true)('takes off',"], {
    name: 'a test may run beside others',
    change: ["it('takes off',", "it.concurrent('takes off',"],
  }),
  suite(
    'a matcher is replaced by one that is content',
    [
      "describe('cart'",
      "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n\ndescribe('cart'",
    ],
    {
      name: 'a matcher is added',
      change: [
        "describe('cart'",
        "expect.extend({ toBePrice: (price: number) => ({ pass: price > 0, message: () => 'no price' }) });\n\ndescribe('cart'",
      ],
    },
  ),
  {
    class: 'hollowed tests',
    name: 'a suite gets a name that no runner looks for',
    base: addVitestShim(TYPED),
    config: NODE_TEST_CONFIG,
    patch: { 'test/cart.test.ts': null, 'tests/cart.tests.ts': SUITE },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a suite moves to where its code is',
      patch: {
        'test/cart.test.ts': null,
        'src/cart.test.ts': replaceText(SUITE, ['../src/cart.ts', './cart.ts']),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'a function moves under another name, breaks, and loses its tests',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': CART_SOURCE.slice(0, CART_SOURCE.indexOf('exports.discount')),
      'pricing.js': 'exports.rebate = (sum, percent) => sum - (sum * percent) / 10;\n',
      'test/cart.test.js': replaceText(CART_TEST, [DISCOUNT_TEST, ''], ['total, discount', 'total']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a function moves under another name with its tests',
      patch: {
        'cart.js': CART_SOURCE.slice(0, CART_SOURCE.indexOf('exports.discount')),
        'pricing.js': 'exports.rebate = (sum, percent) => sum - (sum * percent) / 100;\n',
        'test/cart.test.js': replaceText(
          CART_TEST,
          [
            "const { total, discount } = require('../cart.js');",
            "const { total } = require('../cart.js');\nconst { rebate } = require('../pricing.js');",
          ],
          ['discount(200', 'rebate(200'],
        ),
      },
    },
  },
];
