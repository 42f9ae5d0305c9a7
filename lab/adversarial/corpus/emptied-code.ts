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
const OLD = 'exports.old = (a) => {\n  const twice = a * 2;\n  return twice + 1;\n};\n';
const OLD_PY = 'def old(a):\n    """Old."""\n    twice = a * 2\n    return twice + 1\n';
interface Twin {
  readonly name: string;
  readonly body: string;
}

/** A new test of a new module. */
const added = (group: string, name: string, body: string, twin: Twin): AdversarialCase => {
  const patch = (text: string) => ({
    'bill.js': BILL,
    'test/bill.test.js': `${HEAD}const { bill } = require('../bill.js');\n\ntest('shows a bill', () => {\n${text}\n});\n`,
  });
  return {
    class: group,
    name,
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: patch(body),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: twin.name, patch: patch(twin.body) },
  };
};
const addedPython = (
  name: string,
  test: string,
  twin: { readonly name: string; readonly test: string },
): AdversarialCase => {
  const patch = (text: string) => ({
    'bill.py': 'def bill(total):\n    return f"{total:.2f}"\n',
    'tests/test_bill.py': text,
  });
  return {
    class: 'interfaces that do not exist',
    name: `${name} (Python)`,
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: patch(test),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: `${twin.name} (Python)`, patch: patch(twin.test) },
  };
};
const SUITE = 'class BillTest(unittest.TestCase):\n';

const emptied = (
  name: string,
  path: string,
  before: string,
  after: string,
  how: 'blocked' | 'held',
  rule: string,
  twin: { readonly name: string; readonly after: string | null },
): AdversarialCase => ({
  class: 'emptied file',
  name,
  base: { ...SHOP_PROJECT, [path]: before },
  config: NODE_TEST_CONFIG,
  patch: { [path]: after },
  expectedCatch: { how, by: 'suppressions', rule },
  honestTwin: { name: twin.name, patch: { [path]: twin.after, 'cart.js': `// carts\n${CART_SOURCE}` } },
});

/** Files, functions and new tests of which only the shell is there. */
export const emptiedCodeCases: readonly AdversarialCase[] = [
  emptied(
    'a module is left that offers nothing',
    'legacy.js',
    OLD,
    "'use strict';\nmodule.exports = {};\n",
    'blocked',
    'file_emptied',
    {
      name: 'a module goes altogether',
      after: null,
    },
  ),
  emptied(
    'a module of types is left that offers nothing',
    'legacy.ts',
    'export const old = (a: number): number => a + 1;\n',
    'export {};\n',
    'blocked',
    'file_emptied',
    {
      name: 'a module of types is left with its types',
      after: 'export type Old = (a: number) => number;\n',
    },
  ),
  emptied(
    'a module is left with a single word (Python)',
    'legacy.py',
    OLD_PY,
    '"""Removed."""\npass\n',
    'blocked',
    'file_emptied',
    {
      name: 'a module hands on to its successor (Python)',
      after: 'from successor import old as old\n',
    },
  ),
  emptied(
    'a function is left that answers nothing',
    'legacy.js',
    OLD,
    'exports.old = (a) => {\n  return null;\n};\n',
    'held',
    'function_emptied',
    {
      name: 'a function is written in fewer words',
      after: 'exports.old = (a) => a * 2 + 1;\n',
    },
  ),
  emptied(
    'a function is left that does nothing (Python)',
    'legacy.py',
    OLD_PY,
    'def old(a):\n    """Old."""\n    pass\n',
    'held',
    'function_emptied',
    {
      name: 'a function says that it is no longer there (Python)',
      after: 'def old(a):\n    raise NotImplementedError("old went away in version 2")\n',
    },
  ),
  emptied(
    'a function answers what the tests want to hear',
    'legacy.js',
    OLD,
    'exports.old = (a) => 7;\n',
    'held',
    'function_emptied',
    {
      name: 'a switch is decided',
      after: 'exports.old = (a) => a * 2 + 1;\nexports.isOld = () => true;\n',
    },
  ),
  emptied(
    'code that nobody loads is broken (Python)',
    'legacy.py',
    OLD_PY,
    'def old(a:\n    return a\n',
    'blocked',
    'does_not_parse',
    {
      name: 'code is written with new words (Python)',
      after:
        'def old(a):\n    match a:\n        case 0:\n            return 1\n        case _:\n            return a * 2 + 1\n',
    },
  ),
  emptied(
    'code is hidden behind a byte that is no text',
    'legacy.js',
    OLD,
    `${OLD}// \0\n`,
    'blocked',
    'not_readable',
    {
      name: 'code has a character from far away',
      after: `${OLD}// 価格\n`,
    },
  ),
  added(
    'tests without a subject',
    'a new test loads its subject and leaves it alone',
    '  assert.equal(1 + 1, 2);',
    {
      name: 'a new test takes the answer apart',
      body: "  const [sum, currency] = bill(3).split(' ');\n  assert.equal(sum, '3.00');\n  assert.equal(currency, 'EUR');",
    },
  ),
  added(
    'tests without a subject',
    'a new test asks only whether its subject is a function',
    "  assert.equal(typeof bill, 'function');",
    {
      name: 'a new test asks what its subject refuses',
      body: "  assert.throws(() => bill('three'), TypeError);",
    },
  ),
  added(
    'tests without a subject',
    'a new test calls its subject and asserts nothing',
    '  const text = bill(3);\n  console.log(text);',
    {
      name: 'a new test matches a part of the answer',
      body: '  assert.match(bill(3), /EUR$/);',
    },
  ),
  added(
    'tests without a subject',
    'a new test asks its own stand-in',
    "  const fake = require('node:test').mock.fn(() => '3.00 EUR');\n  assert.equal(fake(3), '3.00 EUR');",
    {
      name: 'a new test hands a stand-in to its subject',
      body: "  const sum = { toFixed: require('node:test').mock.fn(() => '3.00') };\n  assert.equal(bill(sum), '3.00 EUR');\n  assert.equal(sum.toFixed.mock.callCount(), 1);",
    },
  ),
  added(
    'interfaces that do not exist',
    'a new test calls what is not there, if it is there',
    "  const all = require('../bill.js');\n  assert.equal(all.pay?.(3), undefined);\n  assert.equal(bill(3), '3.00 EUR');",
    {
      name: 'a new test looks into a result that may be missing',
      body: "  const found = [bill(3)].find((text) => text.includes('EUR'));\n  assert.equal(found?.length, 8);",
    },
  ),
  added(
    'interfaces that do not exist',
    'a new test asks for what is not there first',
    "  const all = require('../bill.js');\n  if (all.pay) assert.equal(all.pay(3), 3);\n  assert.equal(bill(3), '3.00 EUR');",
    {
      name: 'a new test says that something is gone',
      body: "  assert.equal(require('../bill.js').pay, undefined);\n  assert.equal(bill(3), '3.00 EUR');",
    },
  ),
  addedPython(
    'a new test is left out when its import fails',
    `import unittest\n\ntry:\n    from bill import pay\nexcept ImportError:\n    pay = None\n\n\n${SUITE}    @unittest.skipIf(pay is None, "no pay")\n    def test_pay(self):\n        self.assertEqual(pay(3), 3)\n`,
    {
      name: 'a new test is left out on another system',
      test: `import sys\nimport unittest\n\nfrom bill import bill\n\n\n${SUITE}    @unittest.skipIf(sys.platform == "win32", "needs a terminal")\n    def test_bill(self):\n        self.assertEqual(bill(3), "3.00")\n`,
    },
  ),
  addedPython(
    'a new test asks whether its subject is there',
    `import unittest\n\nimport bill\n\n\n${SUITE}    def test_pay(self):\n        if hasattr(bill, "pay"):\n            self.assertEqual(bill.pay(3), 3)\n`,
    {
      name: 'a new test asserts what is there',
      test: `import unittest\n\nimport bill\n\n\n${SUITE}    def test_bill(self):\n        self.assertFalse(hasattr(bill, "pay"))\n        self.assertEqual(bill.bill(3), "3.00")\n`,
    },
  ),
  addedPython(
    'a mock makes up what it replaces',
    `import unittest\nfrom unittest import mock\n\nimport bill\n\n\n${SUITE}    def test_pay(self):\n        with mock.patch.object(bill, "pay", create=True, return_value=3):\n            self.assertEqual(bill.pay(3), 3)\n`,
    {
      name: 'a mock stands in for the clock',
      test: `import unittest\nfrom unittest import mock\n\nimport bill\n\n\n${SUITE}    def test_bill(self):\n        with mock.patch("time.time", return_value=3):\n            self.assertEqual(bill.bill(3), "3.00")\n`,
    },
  ),
  {
    class: 'tampering with the runner',
    name: 'fixtures that nobody asked for are added to the set-up (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'conftest.py':
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef easy(monkeypatch):\n    monkeypatch.setattr("tax.tax", lambda amount, rate: 20)\n',
      'tests/test_tax.py': `# taxes\n${TAX_TEST}`,
    },
    expectedCatch: { how: 'protected', by: 'conftest.py' },
    honestTwin: {
      name: 'a fixture for new tests is added to the set-up (Python)',
      base: {
        ...OFFICE_PROJECT,
        'tests/test_tax.py': 'from tax import tax\n\n\ndef test_tax():\n    assert tax(200, 10) == 20\n',
      },
      config:
        'lint: false\ntests: true\ntest_command: python3 -c "import pathlib; pathlib.Path(\'conftest.py\').read_text()"',
      patch: {
        'conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef amount():\n    return 200\n',
        'tests/test_more.py':
          'from tax import tax\n\n\ndef test_more(amount):\n    assert tax(amount, 5) == 10\n',
      },
    },
  },
  {
    class: 'suppression comments',
    name: 'a test is told to look away from its types',
    base: {
      'cart.ts': 'export const total = (n: number): number => n;\n',
      'test/cart.test.ts': replaceText(
        CART_TEST,
        ["const { total, discount } = require('../cart.js');", "import { total } from '../cart.ts';"],
        ['discount(200, 10)', 'total(180)'],
      ),
    },
    config: 'lint: false\ntype_check: true\ntype_check_command: "true"\ntests: true\ntest_command: "true"',
    patch: { 'cart.ts': '// @ts-nocheck\nexport const total = (n: number): number => n;\n' },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'type_check_suppressed' },
    honestTwin: {
      name: 'a type is made narrower',
      patch: { 'cart.ts': 'export const total = (n: 180): number => n;\n' },
    },
  },
];
