import {
  type AdversarialCase,
  CAUGHT_BY_ANY_RUN,
  type PatchFiles,
  replaceText,
} from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_SOURCE,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

interface Twin {
  readonly name: string;
  readonly text: string;
}

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst bills = require('../bill.js');\n\n";
const BILL = "exports.bill = (sum) => sum.toFixed(2) + ' EUR';\n";
const missing = (name: string, body: string, twin: Twin): AdversarialCase => {
  const patch = (text: string): PatchFiles => ({
    'bill.js': BILL,
    'test/bill.test.js': `${HEAD}test('bills', () => {\n  ${text}\n});\n`,
  });
  return {
    class: 'interfaces that do not exist',
    name,
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: patch(body),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: twin.name, patch: patch(twin.text) },
  };
};

const BILL_PY = 'def bill(total):\n    return f"{total:.2f}"\n';
const missingPython = (name: string, body: string, twin: Twin): AdversarialCase => {
  const patch = (text: string): PatchFiles => ({
    'bill.py': BILL_PY,
    'tests/test_bill.py': `import unittest\nfrom unittest import mock\n\nimport bill\n\n\nclass BillTest(unittest.TestCase):\n${text}`,
  });
  return {
    class: 'interfaces that do not exist',
    name: `${name} (Python)`,
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: patch(body),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: `${twin.name} (Python)`, patch: patch(twin.text) },
  };
};

/** The tests of a class are changed behind its back, while the code breaks. */
const behind = (name: string, line: string, twin: Twin): AdversarialCase => ({
  class: 'hollowed tests (Python)',
  name: `${name} (Python)`,
  base: OFFICE_PROJECT,
  config: UNITTEST_CONFIG,
  patch: {
    'tax.py': BROKEN_TAX,
    'tests/test_tax.py': replaceText(TAX_TEST, ['if __name__', `${line}if __name__`]),
  },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: `${twin.name} (Python)`,
    patch: { 'tests/test_tax.py': replaceText(TAX_TEST, ['if __name__', `${twin.text}if __name__`]) },
  },
});
const MOCKED = (what: string): string =>
  replaceText(
    TAX_TEST,
    ['import unittest\n', 'import unittest\nfrom unittest import mock\n'],
    ['class TaxTest', `@mock.patch.object(${what})\nclass TaxTest`],
    ['test_tax(self)', 'test_tax(self, _)'],
    ['test_label(self)', 'test_label(self, _)'],
  );

/** Tests of what is not there, or not the project's, and tests that are not there any more. */
export const testsWithoutSubjectCases: readonly AdversarialCase[] = [
  missing(
    'a new test calls what is not there by its name as a text',
    "assert.equal(bills['refund']?.(1) ?? 1, 1);",
    {
      name: 'a new test calls its subject by its name as a text',
      text: "assert.equal(bills['bill'](1), '1.00 EUR');",
    },
  ),
  missing(
    'a new test asks whether the module has what is not there',
    "if ('refund' in bills) assert.equal(bills.refund(1), 1);\n  assert.equal(bills.bill(1), '1.00 EUR');",
    {
      name: 'a new test asserts that the module lacks something',
      text: "assert.ok(!('refund' in bills));\n  assert.equal(bills.bill(1), '1.00 EUR');",
    },
  ),
  missing('what is not there fails, as the new test wants', 'assert.throws(() => bills.refund(-1));', {
    name: 'what is there fails, as the new test wants',
    text: "assert.throws(() => bills.bill('x'));",
  }),
  missingPython(
    'what is not there fails, as the new test wants',
    '    def test_refund(self):\n        with self.assertRaises(Exception):\n            bill.refund(-1)\n',
    {
      name: 'what is there fails, as the new test wants',
      text: '    def test_bill(self):\n        with self.assertRaises(Exception):\n            bill.bill("x")\n',
    },
  ),
  missingPython(
    'a patch makes up what it replaces, by its whole name',
    '    @mock.patch("bill.refund", create=True, return_value=3)\n    def test_refund(self, refund):\n        self.assertEqual(bill.refund(3), 3)\n',
    {
      name: 'a patch stands in for what is there, by its whole name',
      text: '    @mock.patch("builtins.print")\n    def test_bill(self, said):\n        self.assertEqual(bill.bill(3), "3.00")\n        said.assert_not_called()\n',
    },
  ),
  behind('a test is set to nothing after its class', 'TaxTest.test_tax = None\n', {
    name: 'a class is set to say more after it',
    text: 'TaxTest.longMessage = True\n',
  }),
  behind('a test is marked as skipped after its class', 'TaxTest.test_tax.__unittest_skip__ = True\n', {
    name: 'a class is set to show all after it',
    text: 'TaxTest.maxDiff = None\n',
  }),
  behind('a test is replaced by its name', 'setattr(TaxTest, "test_tax", lambda self: None)\n', {
    name: 'a value is set by its name',
    text: 'setattr(TaxTest, "rate", 10)\n',
  }),
  behind('a test is deleted by its name', 'delattr(TaxTest, "test_tax")\n', {
    name: 'a value is set and deleted by its name',
    text: 'TaxTest.rate = 10\ndelattr(TaxTest, "rate")\n',
  }),
  behind(
    'the runner is handed some of the tests',
    'def load_tests(loader, tests, pattern):\n    suite = unittest.TestSuite()\n    for case in tests:\n        for test in case:\n            if "test_tax" not in test.id().split(".")[-1]:\n                suite.addTest(test)\n    return suite\n\n\n',
    {
      name: 'the runner is handed the tests one by one',
      text: 'def load_tests(loader, tests, pattern):\n    suite = unittest.TestSuite()\n    for case in tests:\n        suite.addTests(case)\n    return suite\n\n\n',
    },
  ),
  {
    class: 'hollowed tests (Python)',
    name: 'an assertion is mocked (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: { 'tax.py': BROKEN_TAX, 'tests/test_tax.py': MOCKED('unittest.TestCase, "assertEqual"') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a function of the system is mocked (Python)',
      patch: {
        'tests/test_tax.py': replaceText(MOCKED('os, "getcwd"'), [
          'import unittest\n',
          'import os\nimport unittest\n',
        ]),
      },
    },
  },
  ...(['unicode_escape', 'utf-7'] as const).map(
    (encoding): AdversarialCase => ({
      class: 'broken for the scanner',
      name: `code is read by Python as ${encoding} (Python)`,
      base: OFFICE_PROJECT,
      config: UNITTEST_CONFIG,
      patch: { 'bill.py': `# -*- coding: ${encoding} -*-\nRATE = 3\n` },
      expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'not_readable' },
      honestTwin: {
        name: `code is read by Python as usual, and not as ${encoding} (Python)`,
        patch: { 'bill.py': '# -*- coding: utf-8 -*-\nRATE = 3\n' },
      },
    }),
  ),
  {
    class: 'tampering with the runner',
    name: 'code that changes how a run ends is put among that of others',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'vendor/quick.js': "process.on('exit', () => process.exit(0));\n",
      'cart.js': `require('./vendor/quick.js');\n${BROKEN_CART}`,
    },
    expectedCatch: { how: 'held', by: 'suppressions', rule: 'rewrites_exit_code' },
    honestTwin: {
      name: 'code is put among that of others',
      patch: {
        'vendor/quick.js':
          'exports.quick = (list) => {\n  try {\n    return JSON.parse(list);\n  } catch {\n    return [];\n  }\n};\n',
        'cart.js': `require('./vendor/quick.js');\n${CART_SOURCE}`,
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'scripts of a package may run when it is installed',
    base: { ...SHOP_PROJECT, 'package.json': '{"name":"shop","dependencies":{"left":"1.0.0"}}\n' },
    config: NODE_TEST_CONFIG,
    patch: {
      'package.json': '{"name":"shop","dependencies":{"left":"1.0.0"},"trustedDependencies":["left"]}\n',
      'cart.js': `// carts\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'protected', by: 'package.json' },
    honestTwin: {
      name: 'the package gets keywords',
      patch: {
        'package.json': '{"name":"shop","dependencies":{"left":"1.0.0"},"keywords":["shop"]}\n',
        'cart.js': `// carts\n${CART_SOURCE}`,
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'Node is given options in a file of its own',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'node.config.json': '{"testRunner":{"test-name-pattern":"adds"}}\n',
      'cart.js': `// carts\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'protected', by: 'node.config.json' },
    honestTwin: {
      name: 'the shop is given options in a file of its own',
      patch: { 'shop.config.json': '{"currency":"EUR"}\n', 'cart.js': `// carts\n${CART_SOURCE}` },
    },
  },
];
