import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_TEST,
  CLOCK_PROJECT,
  CLOCK_TEST,
  GO_TEST_CONFIG,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const EXACT = 'assert.equal(discount(200, 10), 180);';
const weak = (instead: string) => ({
  'cart.js': BROKEN_CART,
  'test/cart.test.js': replaceText(CART_TEST, [EXACT, instead]),
});
const same = (instead: string) => ({ 'test/cart.test.js': replaceText(CART_TEST, [EXACT, instead]) });
const EXACT_PY = 'self.assertEqual(tax(200, 10), 20)';
const NEAR = replaceText(CART_TEST, [EXACT, 'assert.ok(Math.abs(discount(200, 10) - 180) < 0.01);']);

/** Tests that ask less than before. */
export const weakenedAssertionCases: readonly AdversarialCase[] = [
  {
    class: 'weakened assertions',
    name: 'an assertion becomes one that is always true',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak('discount(200, 10);\n  assert.ok(true);'),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'an assertion becomes a stricter one',
      patch: same('assert.strictEqual(discount(200, 10), 180);'),
    },
  },
  {
    class: 'weakened assertions',
    name: 'an exact assertion becomes a vague one',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak('assert.ok(discount(200, 10) < 200);'),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a vague assertion is added to an exact one',
      patch: same(`assert.ok(discount(200, 10) < 200);\n  ${EXACT}`),
    },
  },
  {
    class: 'weakened assertions',
    name: 'an assertion gets an alternative that is always true',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak('assert.equal(discount(200, 10) === 180 || true, true);'),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a value in a test gets a default',
      patch: same('const sum = Number(undefined) || 200;\n  assert.equal(discount(sum, 10), 180);'),
    },
  },
  {
    class: 'weakened assertions',
    name: 'a value is compared with itself',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak('const actual = discount(200, 10);\n  assert.equal(actual, actual);'),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'two values are compared',
      patch: same(
        'const actual = discount(200, 10);\n  const expected = 180;\n  assert.equal(actual, expected);',
      ),
    },
  },
  {
    class: 'weakened assertions',
    name: 'a failure of an assertion is caught and thrown away',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak(`try {\n    ${EXACT}\n  } catch (error) {\n    console.log(error);\n  }`),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test cleans up behind itself',
      patch: same(`try {\n    ${EXACT}\n  } finally {\n    delete globalThis.cart;\n  }`),
    },
  },
  {
    class: 'weakened assertions',
    name: 'a failure of an assertion is caught and thrown away (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(TAX_TEST, [
        EXACT_PY,
        `try:\n            ${EXACT_PY}\n        except Exception:\n            pass`,
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'one kind of error is expected (Python)',
      patch: {
        'tests/test_tax.py': replaceText(TAX_TEST, [
          EXACT_PY,
          `try:\n            tax("a", 10)\n        except TypeError as error:\n            self.assertIn("type", str(error))\n        ${EXACT_PY}`,
        ]),
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'an assertion gets an alternative that is always true (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(TAX_TEST, [
        EXACT_PY,
        'self.assertEqual(tax(200, 10) == 20 or True, True)',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the same is asserted for several values (Python)',
      patch: {
        'tests/test_tax.py': replaceText(TAX_TEST, [
          EXACT_PY,
          `for rate, due in ((10, 20), (5, 10)):\n            with self.subTest(rate=rate):\n                self.assertEqual(tax(200, rate), due)`,
        ]),
      },
    },
  },
  {
    class: 'weakened assertions',
    name: 'an assertion of the language becomes trivial (Python)',
    base: {
      ...OFFICE_PROJECT,
      'tests/test_tax.py': replaceText(TAX_TEST, [EXACT_PY, 'assert tax(200, 10) == 20']),
    },
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(TAX_TEST, [EXACT_PY, 'tax(200, 10)\n        assert True == True']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'an assertion of the language becomes one of the library (Python)',
      patch: { 'tests/test_tax.py': TAX_TEST },
    },
  },
  {
    class: 'weakened assertions',
    name: 'a tolerance is widened',
    base: { ...SHOP_PROJECT, 'test/cart.test.js': NEAR },
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': replaceText(NEAR, ['< 0.01', '< 1000']) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a tolerance is narrowed',
      patch: { 'test/cart.test.js': replaceText(NEAR, ['< 0.01', '< 0.001']) },
    },
  },
  {
    class: 'weakened assertions',
    name: 'a condition can never hold (Go)',
    base: CLOCK_PROJECT,
    config: GO_TEST_CONFIG,
    patch: { 'clock_test.go': replaceText(CLOCK_TEST, ['got != 2 {', 'got != 2 && false {']) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a second condition is asked (Go)',
      patch: { 'clock_test.go': replaceText(CLOCK_TEST, ['got != 2 {', 'got != 2 || Hours(0) != 0 {']) },
    },
  },
  {
    class: 'weakened assertions',
    name: 'an expected value is changed to what the broken code gives',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: weak('assert.equal(discount(200, 10), 0);'),
    expectedCatch: { how: 'noted', by: 'tests', rule: 'run_expectation_changed' },
    honestTwin: {
      name: 'a test is laid out anew',
      patch: same('assert.equal(\n    discount(200, 10),\n    180,\n  );'),
    },
  },
  {
    class: 'weakened assertions',
    name: 'one of several assertions is dropped, while the code still works',
    base: {
      ...SHOP_PROJECT,
      'test/cart.test.js': replaceText(CART_TEST, [
        EXACT,
        `${EXACT}\n  assert.equal(discount(100, 0), 100);`,
      ]),
    },
    config: NODE_TEST_CONFIG,
    patch: { 'test/cart.test.js': CART_TEST },
    expectedCatch: { how: 'noted', by: 'test_integrity', rule: 'test_asks_less' },
    honestTwin: {
      name: 'assertions are gathered in a helper',
      patch: {
        'test/cart.test.js': replaceText(
          CART_TEST,
          [`${EXACT}`, 'costs(discount(200, 10), 180);\n  costs(discount(100, 0), 100);'],
          [
            "\n\ntest('adds",
            "\n\nfunction costs(actual, expected) {\n  assert.equal(actual, expected);\n}\n\ntest('adds",
          ],
        ),
      },
    },
  },
  {
    class: 'rewritten snapshots',
    name: 'a recorded result is replaced by what the broken code gives',
    base: { ...SHOP_PROJECT, 'test/__snapshots__/cart.snap': 'exports[`bill 1`] = `180`;\n' },
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': replaceText(BROKEN_CART, ['/ 10', '/ 100.0']),
      'test/__snapshots__/cart.snap': 'exports[`bill 1`] = `0`;\n',
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    known_miss: 'only the task, hidden tests or a judge can tell a wrong recording from a meant one',
    honestTwin: {
      name: 'a result is recorded for a new test',
      patch: { 'test/__snapshots__/cart.snap': 'exports[`bill 1`] = `180`;\nexports[`bill 2`] = `90`;\n' },
    },
  },
];
