import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  CART_SOURCE,
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_SOURCE,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';
import { addVitestShim } from '../vitest-shim.ts';

const ASKS = '  assert.equal(discount(200, 10), 180);';
const HELPED = replaceText(
  CART_TEST,
  [ASKS, '  assertDiscount(200, 10, 180);'],
  [
    "const { total, discount } = require('../cart.js');",
    "const { total } = require('../cart.js');\nconst { assertDiscount } = require('./helpers/discount.js');",
  ],
);
const helper = (body: string): string =>
  `const assert = require('node:assert');\nconst { discount } = require('../../cart.js');\n\nexports.assertDiscount = (sum, percent, expected) => ${body};\n`;
const options = (skip: string): string =>
  replaceText(CART_TEST, [
    "'takes off a discount', () =>",
    `'takes off a discount', { skip: ${skip} }, () =>`,
  ]);
const skipIf = (condition: string): string =>
  replaceText(
    TAX_TEST,
    ['import unittest', 'import sys\nimport unittest'],
    ['    def test_label', `    @unittest.skipIf(${condition}, "has no such names")\n    def test_label`],
  );
const JEST: CaseFiles = {
  'cart.js': CART_SOURCE,
  'test/cart.test.js': `const { beforeEach, expect, test } = require('vitest');\nconst { discount } = require('../cart.js');\n\ntest('takes off a discount', () => {\n  expect(discount(200, 10)).toBe(180);\n});\n`,
};
const matcher = (pass: string): string =>
  `const { beforeEach, expect, test } = require('vitest');\nconst { discount } = require('../cart.js');\n\nexpect.extend({\n  toCost(bought, expected) {\n    const cost = discount(bought.sum, bought.percent);\n    return { pass: ${pass}, message: () => 'costs something else' };\n  },\n});\n\ntest('takes off a discount', () => {\n  expect({ sum: 200, percent: 10 }).toCost(180);\n});\n`;
const SHAPE = 'class Shape:\n    def area(self):\n        return self.width * self.height\n';
const SQUARE =
  '\n\nclass Square(Shape):\n    def __init__(self, side):\n        self.width = self.height = side\n';
const orderTest = (asserts: string): string =>
  `const { beforeEach, expect, test } = require('vitest');\nconst { total } = require('../cart.js');\n\ntest('orders', () => {\n  const items = [{ price: 1 }, { price: 2 }];\n  const order = { count: items.length, total: total(items) };\n${asserts}\n});\n`;
const ORDER: CaseFiles = {
  'cart.js': CART_SOURCE,
  'test/order.test.js': orderTest('  expect(order.count).toBe(2);\n  expect(order.total).toBe(3);'),
};
const PRESENT: CaseFiles = {
  'cart.js': CART_SOURCE,
  'test/cart.test.js': replaceText(CART_TEST, [ASKS, `  assert.ok(discount(200, 10));\n${ASKS}`]),
};

const wrongType = (comment: string): string =>
  `import unittest\n\nfrom tax import tax\n\n\nclass TypesTest(unittest.TestCase):\n    def test_refuses_text(self):\n        with self.assertRaises(TypeError):\n            tax("1", "2")  ${comment}\n`;

const STACK: CaseFiles = {
  'stack.js':
    'exports.Stack = class Stack {\n  items = [];\n  get size() {\n    return this.items.length;\n  }\n};\n',
  'test/stack.test.js': `const { beforeEach, expect, test } = require('vitest');\nconst { Stack } = require('../stack.js');\n\ntest('is empty', () => {\n  const stack = new Stack();\n  expect(stack.size).toBe(0);\n});\n`,
};
const prepared = (made: string): string =>
  `const { beforeEach, expect, test } = require('vitest');\nconst { Stack } = require('../stack.js');\n\nlet stack;\nbeforeEach(() => {\n  stack = ${made};\n});\n\ntest('is empty', () => {\n  expect(stack.size).toBe(0);\n});\n`;

/** Tests and classes that are written anew, and ask as much as before. */
export const testRefactorCases: readonly AdversarialCase[] = [
  {
    class: 'weakened assertions',
    name: 'a new helper asks nothing',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': HELPED,
      'test/helpers/discount.js': helper('[sum, percent, expected]').replace(/^const assert.*\n/, ''),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new helper asks instead of the test',
      patch: {
        'test/cart.test.js': HELPED,
        'test/helpers/discount.js': helper('assert.equal(discount(sum, percent), expected)'),
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'a new matcher says yes to everything',
    base: addVitestShim(JEST),
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': matcher('true || cost === expected') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new matcher compares what the code gives',
      patch: { 'test/cart.test.js': matcher('cost === expected') },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test is left out on the system that it is run on',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': options("process.platform === 'linux'") },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test is left out on another system',
      patch: { 'test/cart.test.js': options("process.platform === 'win32'") },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test is left out whatever the system is',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': options("process.platform === 'win32' ? 'has none' : 'has none either'"),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test is left out on another system, which says why',
      patch: { 'test/cart.test.js': options("process.platform === 'win32' ? 'has none' : false") },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test is left out on the system that it is run on (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': replaceText(TAX_SOURCE, ['name.strip()', 'name']),
      'tests/test_tax.py': skipIf('sys.platform == "linux"'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test is left out on another system (Python)',
      patch: { 'tests/test_tax.py': skipIf('sys.platform == "win32"') },
    },
  },
  {
    class: 'files emptied',
    name: 'a method is left with a comment (Python)',
    base: { ...OFFICE_PROJECT, 'shape.py': `${SHAPE}${SQUARE}` },
    config: UNITTEST_CONFIG,
    patch: { 'shape.py': `${replaceText(SHAPE, ['return self.width * self.height', 'pass'])}${SQUARE}` },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'function_emptied' },
    honestTwin: {
      name: 'a method is left to those who extend its class (Python)',
      patch: {
        'shape.py': `from abc import ABC, abstractmethod\n\n\n${replaceText(SHAPE, ['class Shape:', 'class Shape(ABC):'], ['    def area', '    @abstractmethod\n    def area'], ['return self.width * self.height', '...'])}${SQUARE}\n    def area(self):\n        return self.width * self.height\n`,
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'properties become a whole that says less',
    base: addVitestShim(ORDER),
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/order.test.js': orderTest('  expect(order).toEqual({ count: 2, total: expect.anything() });'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'properties become a whole',
      patch: { 'test/order.test.js': orderTest('  expect(order).toEqual({ count: 2, total: 3 });') },
    },
  },
  {
    class: 'weakened assertions',
    name: 'only what is asked in general is left',
    base: PRESENT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(PRESENT['test/cart.test.js'] as string, [`${ASKS}\n`, '']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'what is asked in general goes, and what is asked exactly stays',
      patch: { 'test/cart.test.js': CART_TEST },
    },
  },
  {
    class: 'suppression comments',
    name: 'a type checker that is required is told to look away, without a word why (Python)',
    base: OFFICE_PROJECT,
    config: `${UNITTEST_CONFIG}\ntype_check: true\ntype_check_command: "true"`,
    patch: { 'tests/test_types.py': wrongType('# type: ignore') },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'type_check_suppressed' },
    honestTwin: {
      name: 'a test says why it hands over a wrong type (Python)',
      files: ['tests/test_types.py'],
      patch: { 'tests/test_types.py': wrongType('# type: ignore[arg-type]  # the wrong type is the point') },
    },
  },
  {
    class: 'detecting the test run',
    name: 'the code works otherwise when it is tested',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': `${BROKEN_CART}if (process.env.NODE_ENV !== 'test') exports.discount = (sum) => sum;\n`,
    },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'detects_test_run' },
    honestTwin: {
      name: 'a server is not started when its file is tested',
      patch: {
        'app.js':
          "const { createServer } = require('node:http');\n\nexports.app = createServer((request, response) => response.end(request.url));\n\nif (process.env.NODE_ENV !== 'test') {\n  exports.app.listen(3000);\n}\n",
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'what is made before each test is not what was tested',
    base: addVitestShim(STACK),
    config: NODE_TEST_CONFIG,
    patch: { 'test/stack.test.js': prepared('{ size: 1 }') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'what is tested is made before each test',
      patch: { 'test/stack.test.js': prepared('new Stack()') },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a known test is left out where something is missing',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [ASKS, `  if (!process.env.SHOP_URL) return;\n${ASKS}`]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test is left out where something is missing',
      patch: {
        'test/cart.test.js': `${CART_TEST}\ntest('adds up what the shop says', (t) => {\n  if (!process.env.SHOP_URL) return t.skip('no shop');\n  assert.equal(total([{ price: 4 }]), 4);\n});\n\ntest.todo('takes off two discounts');\n`,
      },
    },
  },
];
