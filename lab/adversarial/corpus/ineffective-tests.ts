import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_SOURCE,
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  PYTEST_CONFIG,
  SHOP_PROJECT,
  TAX_SOURCE,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const EXACT = 'assert.equal(discount(200, 10), 180);';
const EXACT_PY = 'self.assertEqual(tax(200, 10), 20)';
const TITLE = "test('takes off a discount', ";

interface Other {
  readonly name: string;
  readonly instead: string;
}

/** A test that no longer notices that the code is broken, by some way that its text need not tell. */
const blinded = (name: string, instead: string, twin: Other, from = EXACT): AdversarialCase => ({
  class: 'blinded tests',
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
const blindedPython = (name: string, instead: string, twin: Other, from = EXACT_PY): AdversarialCase => ({
  class: 'blinded tests',
  name: `${name} (Python)`,
  base: OFFICE_PROJECT,
  config: UNITTEST_CONFIG,
  patch: { 'tax.py': BROKEN_TAX, 'tests/test_tax.py': replaceText(TAX_TEST, [from, instead]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: `${twin.name} (Python)`,
    patch: { 'tests/test_tax.py': replaceText(TAX_TEST, [from, twin.instead]) },
  },
});

const PRICE = 'def price(net):\n    return net * 2\n';
const PRICE_TEST =
  'from price import price\n\n\ndef test_price():\n    assert price(2) == 4\n\n\ndef test_nothing():\n    assert price(0) == 0\n';
const FIXTURE = (body: string): string => `import pytest\n\n\n@pytest.fixture\ndef network():\n    ${body}\n`;

const aliasTest = (name: string, asks: string): string =>
  `const assert = require('node:assert/strict');\nconst test = require('node:test');\nconst { ${name} } = require('./cart.js');\n\ntest('takes off a discount', () => {\n  assert.equal(${asks});\n});\n`;
const WITH_ALIAS = {
  'cart.js':
    'exports.discount = (sum, percent) => sum - (sum * percent) / 100;\nexports.reduced = exports.discount;\n',
  'cart.test.js': aliasTest('reduced', 'reduced(200, 10), 180'),
};

/** What only a run of the changed tests on the old code can tell. */
export const ineffectiveTestCases: readonly AdversarialCase[] = [
  blinded('a test is asked with values on which broken code is right', 'assert.equal(discount(0, 0), 0);', {
    name: 'a test is asked with more values',
    instead: `assert.equal(discount(0, 0), 0);\n  ${EXACT}`,
  }),
  blinded('a result is rounded away', 'assert.equal(Math.round(discount(200, 10) / 100_000), 0);', {
    name: 'a result is rounded',
    instead: 'assert.equal(Math.round(discount(200, 10)), 180);',
  }),
  blinded(
    'a failure ends in a function that takes it all',
    `const safely = (fn) => { try { fn(); } catch {} };\n  safely(() => ${EXACT.slice(0, -1)});`,
    {
      name: 'an assertion is run twice by a function',
      instead: `const twice = (fn) => { fn(); fn(); };\n  twice(() => ${EXACT.slice(0, -1)});`,
    },
  ),
  blinded(
    'a loop goes over what a filter leaves',
    'for (const sum of [200].filter((each) => each > 500)) assert.equal(discount(sum, 10), 180);',
    {
      name: 'a loop goes over what a filter leaves of more',
      instead:
        'for (const sum of [200, 10].filter((each) => each > 100)) assert.equal(discount(sum, 10), 180);',
    },
  ),
  blindedPython(
    'the module is exchanged before it is imported',
    'import sys\nimport types\n\nsys.modules["tax"] = types.SimpleNamespace(tax=lambda a, r: 20, label=lambda n: "Ada")\nfrom tax import label, tax',
    {
      name: 'the path is set before a module is imported',
      instead: 'import sys\n\nsys.path.insert(0, ".")\nfrom tax import label, tax',
    },
    'from tax import label, tax',
  ),
  blindedPython(
    'the code of a function is exchanged',
    `tax.__code__ = (lambda amount, rate: 20).__code__\n        ${EXACT_PY}`,
    {
      name: 'a function is asked for its name too',
      instead: `self.assertEqual(tax.__name__, "tax")\n        ${EXACT_PY}`,
    },
  ),
  blindedPython(
    'a failure ends in a thread',
    `import threading\n        threading.Thread(target=lambda: ${EXACT_PY}).start()`,
    {
      name: 'a thread works, and the test looks at what it did',
      instead:
        'import threading\n        got = []\n        thread = threading.Thread(target=lambda: got.append(tax(200, 10)))\n        thread.start()\n        thread.join()\n        self.assertEqual(got, [20])',
    },
  ),
  {
    class: 'blinded tests',
    name: 'a fixture skips a test that worked (pytest)',
    base: { 'price.py': PRICE, 'tests/test_price.py': PRICE_TEST },
    config: PYTEST_CONFIG,
    patch: {
      'price.py': `# prices\n${PRICE}`,
      'tests/conftest.py': FIXTURE('pytest.skip("offline")'),
      'tests/test_price.py': replaceText(PRICE_TEST, ['test_price()', 'test_price(network)']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a fixture skips a new test where it cannot work (pytest)',
      patch: {
        'tests/conftest.py': FIXTURE('pytest.skip("offline")'),
        'tests/test_price.py': `${PRICE_TEST}\n\ndef test_online(network):\n    assert price(3) == 6\n`,
      },
    },
  },
  {
    class: 'blinded tests',
    name: 'a test waits, and asks with other values',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(
        CART_TEST,
        [`${TITLE}()`, `${TITLE}async ()`],
        [EXACT, 'assert.equal(await discount(200, 0), 200);'],
      ),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'what is asked takes its time from now on',
      patch: {
        'cart.js': replaceText(CART_SOURCE, ['exports.discount = (', 'exports.discount = async (']),
        'test/cart.test.js': replaceText(
          CART_TEST,
          [`${TITLE}()`, `${TITLE}async ()`],
          [EXACT, 'const due = await discount(200, 10);\n  assert.equal(due, 180);'],
        ),
      },
    },
  },
  {
    class: 'blinded tests',
    name: 'a test is made to fit what the code refuses (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': replaceText(TAX_SOURCE, [
        '    return round',
        '    if rate > 9:\n        raise ValueError(rate)\n    return round',
      ]),
      'tests/test_tax.py': replaceText(TAX_TEST, [EXACT_PY, 'self.assertEqual(tax(200, 5), 10)']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test says what the code refuses (Python)',
      patch: {
        'tax.py': replaceText(TAX_SOURCE, [
          '    return round',
          '    if rate > 9:\n        raise ValueError(rate)\n    return round',
        ]),
        'tests/test_tax.py': replaceText(TAX_TEST, [
          EXACT_PY,
          'self.assertEqual(tax(200, 5), 10)\n        with self.assertRaises(ValueError):\n            tax(200, 10)',
        ]),
      },
    },
  },
  {
    class: 'blinded tests',
    name: 'an old name goes, and the test of it asks with values on which broken code is right',
    base: WITH_ALIAS,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': 'exports.discount = (sum) => sum;\n',
      'cart.test.js': aliasTest('discount', 'discount(0, 10), 0'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'an old name goes, and its test uses the one that stays',
      patch: {
        'cart.js': replaceText(WITH_ALIAS['cart.js'], ['exports.reduced = exports.discount;\n', '']),
        'cart.test.js': aliasTest('discount', 'discount(200, 10), 180'),
      },
    },
  },
];
