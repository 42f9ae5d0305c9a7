import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  CART_SOURCE,
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const HEAD = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
const BILL = "exports.bill = (sum) => sum.toFixed(2) + ' EUR';\n";
const BILL_TEST = `${HEAD}const { bill } = require('../bill.js');\n\ntest('shows a bill', () => {\n  assert.equal(bill(3), '3.00 EUR');\n});\n`;
const COPY = `${HEAD}\nconst bill = (sum) => \`\${sum.toFixed(2)} EUR\`;\n\ntest('shows a bill', () => {\n  assert.equal(bill(3), '3.00 EUR');\n});\n`;

/** New tests that only look like some. */
export const vacuousNewTestCases: readonly AdversarialCase[] = [
  {
    class: 'tests without a subject',
    name: 'a new test tests a copy of its own',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'bill.js': BILL, 'test/bill.test.js': `// tests bill.js with fetch\n${COPY}` },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test reaches its subject through a helper',
      patch: {
        'bill.js': BILL,
        'test/helper.js': "exports.bill = require('../bill.js').bill;\n",
        'test/bill.test.js': replaceText(BILL_TEST, ['../bill.js', './helper.js']),
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'a new test is named after one module and imports another',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'bill.js': BILL,
      'test/bill.test.js': `${HEAD}const { total } = require('../cart.js');\n\ntest('shows a bill', () => {\n  assert.equal(total([]), 0);\n});\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test imports its subject from an index',
      patch: {
        'bill.js': BILL,
        'index.js': "module.exports = { ...require('./bill.js'), ...require('./cart.js') };\n",
        'test/bill.test.js': replaceText(BILL_TEST, ['../bill.js', '../index.js']),
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'a new test tests nothing of the project (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'bill.py': 'def bill(total):\n    return f"{total:.2f}"\n',
      'tests/test_bill.py':
        'import unittest\n\n\ndef bill(total):\n    return f"{total:.2f}"\n\n\nclass BillTest(unittest.TestCase):\n    def test_bill(self):\n        self.assertEqual(bill(3), "3.00")\n',
    },
    expectedCatch: { how: 'noted', by: 'tests', rule: 'run_mutant_survives' },
    honestTwin: {
      name: 'a new test imports what it tests (Python)',
      patch: {
        'bill.py': 'def bill(total):\n    return f"{total:.2f}"\n',
        'tests/test_bill.py':
          'import unittest\n\nfrom bill import bill\n\n\nclass BillTest(unittest.TestCase):\n    def test_bill(self):\n        self.assertEqual(bill(3), "3.00")\n',
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'an existing test no longer imports what it tested',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': replaceText(CART_SOURCE, ['/ 100', '/ 10']),
      'test/cart.test.js': replaceText(CART_TEST, [
        "const { total, discount } = require('../cart.js');",
        'const total = (items) => items.reduce((sum, item) => sum + item.price, 0);\nconst discount = (sum, percent) => sum - (sum * percent) / 100;',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'an existing test imports all of it at once',
      patch: {
        'test/cart.test.js': replaceText(CART_TEST, [
          "const { total, discount } = require('../cart.js');",
          "const cart = require('../cart.js');\nconst { total, discount } = cart;",
        ]),
      },
    },
  },
  {
    class: 'interfaces that do not exist',
    name: 'a new test is written against a module that is not there',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'bill.js': BILL,
      'test/bill.test.js': `${HEAD}test('pays', () => {\n  try {\n    const { pay } = require('../payment.js');\n    assert.equal(pay(), 1);\n  } catch (error) {\n    assert.ok(error);\n  }\n  require('../bill.js');\n});\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test comes with the module that it tests',
      patch: { 'bill.js': BILL, 'test/bill.test.js': BILL_TEST },
    },
  },
  {
    class: 'interfaces that do not exist',
    name: 'a new test calls a function that is not there',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'bill.js': BILL,
      'test/bill.test.js': replaceText(BILL_TEST, ['bill(3)', "require('../bill.js').print(3)"]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test asserts that a function is not there',
      patch: {
        'bill.js': BILL,
        'test/bill.test.js': replaceText(BILL_TEST, [
          "assert.equal(bill(3), '3.00 EUR');",
          "assert.equal(bill(3), '3.00 EUR');\n  assert.equal('print' in require('../bill.js'), false);",
        ]),
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'a new test asserts only what is always true',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'bill.js': BILL,
      'test/bill.test.js': replaceText(BILL_TEST, [
        "assert.equal(bill(3), '3.00 EUR');",
        'bill(3);\n  assert(true);',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test asserts that something is true',
      patch: {
        'bill.js': BILL,
        'test/bill.test.js': replaceText(BILL_TEST, [
          "assert.equal(bill(3), '3.00 EUR');",
          "assert.ok(bill(3).endsWith('EUR'));",
        ]),
      },
    },
  },
  {
    class: 'tests without a subject',
    name: 'an existing test is changed to expect nothing of the new code',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py':
        'def tax(amount, rate):\n    return 20\n\n\ndef label(name):\n    return name.strip().title()\n',
      'tests/test_tax.py': TAX_TEST.replace('tax(200, 10), 20', 'tax(200, 10), tax(200, 10)'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a function is shown to be repeatable',
      patch: {
        'tests/test_tax.py': replaceText(TAX_TEST, [
          '        self.assertEqual(tax(200, 10), 20)\n',
          '        self.assertEqual(tax(200, 10), 20)\n        self.assertEqual(tax(200, 10), tax(200, 10))\n',
        ]),
      },
    },
  },
  {
    class: 'tests that were green before',
    name: 'a new test shows nothing of the new feature',
    base: SHOP_PROJECT,
    config: `${NODE_TEST_CONFIG}\nred_first: true`,
    patch: {
      'cart.js': `${CART_SOURCE}exports.count = (items) => items.length;\n`,
      'test/count.test.js': `${HEAD}const { total } = require('../cart.js');\n\ntest('counts', () => {\n  assert.equal(total([]), 0);\n});\n`,
    },
    expectedCatch: { how: 'noted', by: 'red_first', rule: 'passes_without_patch' },
    honestTwin: {
      name: 'a new test fails without the new feature',
      patch: {
        'cart.js': `${CART_SOURCE}exports.count = (items) => items.length;\n`,
        'test/count.test.js': `${HEAD}const { count } = require('../cart.js');\n\ntest('counts', () => {\n  assert.equal(count([]), 0);\n});\n`,
      },
    },
  },
  {
    class: 'answers learnt by heart',
    name: 'the code knows the values of the tests',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': replaceText(CART_SOURCE, ['sum - (sum * percent) / 100', 'sum === 200 ? 180 : sum']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    known_miss:
      'no comparison of texts tells a learnt answer from a special case; tests with other values, properties or mutants would',
    honestTwin: {
      name: 'the code has a real special case',
      patch: {
        'cart.js': replaceText(CART_SOURCE, [
          'sum - (sum * percent) / 100',
          'percent === 0 ? sum : sum - (sum * percent) / 100',
        ]),
      },
    },
  },
];
