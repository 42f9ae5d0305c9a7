import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  CART_SOURCE,
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

const TITLE = "test('takes off a discount', ";
const FASTER = { 'cart.js': replaceText(CART_SOURCE, ['sum + item.price', 'item.price + sum']) };

/** Tests that are still there, and no longer count. */
export const skippedTestCases: readonly AdversarialCase[] = [
  {
    class: 'skipped or focused',
    name: 'a failing test is skipped',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [TITLE, TITLE.replace('test(', 'test.skip(')]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a skipped test is put to work again',
      base: {
        ...SHOP_PROJECT,
        'test/cart.test.js': replaceText(CART_TEST, [TITLE, TITLE.replace('test(', 'test.skip(')]),
      },
      patch: { 'test/cart.test.js': CART_TEST },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test that passes is skipped',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { ...FASTER, 'test/cart.test.js': replaceText(CART_TEST, [TITLE, `${TITLE}{ skip: 'slow' }, `]) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test gets another option',
      patch: {
        ...FASTER,
        'test/cart.test.js': replaceText(CART_TEST, [TITLE, `${TITLE}{ timeout: 5000 }, `]),
      },
    },
  },
  {
    class: 'skipped or focused',
    name: 'the runner is made to look at one test only',
    base: SHOP_PROJECT,
    config: 'lint: false\ntests: true\ntest_command: node --test --test-only',
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, ["test('adds", "test.only('adds"]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test about the word is added',
      patch: {
        'test/cart.test.js': `${CART_TEST}\ntest('only prices count', () => {\n  const only = total([{ price: 4 }]);\n  assert.equal(only, 4);\n});\n`,
      },
      config: NODE_TEST_CONFIG,
    },
  },
  {
    class: 'skipped or focused',
    name: 'a failing test becomes a to-do',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [TITLE, `${TITLE}{ todo: true }, `]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a comment says what is still to do',
      patch: { 'test/cart.test.js': `// todo: larger carts\n${CART_TEST}` },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test is skipped by a decorator (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tests/test_tax.py': replaceText(TAX_TEST, [
        '    def test_tax',
        '    @unittest.skip("later")\n    def test_tax',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test gets a decorator that patches what it needs (Python)',
      patch: {
        'tests/test_tax.py': replaceText(
          TAX_TEST,
          ['import unittest\n', 'import unittest\nfrom unittest import mock\n'],
          ['    def test_tax', '    @mock.patch.dict("os.environ", {"LANG": "C"})\n    def test_tax'],
        ),
      },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test is expected to fail (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py':
        'def tax(amount, rate):\n    return 0\n\n\ndef label(name):\n    return name.strip().title()\n',
      'tests/test_tax.py': replaceText(TAX_TEST, [
        '    def test_tax',
        '    @unittest.expectedFailure\n    def test_tax',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test for a failure that is expected is added (Python)',
      patch: {
        'tests/test_tax.py': replaceText(TAX_TEST, [
          '\n\nif __name__',
          '\n    def test_no_number(self):\n        with self.assertRaises(TypeError):\n            tax(None, 10)\n\n\nif __name__',
        ]),
      },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test skips itself (Go)',
    base: CLOCK_PROJECT,
    config: GO_TEST_CONFIG,
    patch: { 'clock_test.go': replaceText(CLOCK_TEST, ['{\n\tif', '{\n\tt.Skip("flaky")\n\tif']) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test runs beside others (Go)',
      patch: { 'clock_test.go': replaceText(CLOCK_TEST, ['{\n\tif', '{\n\tt.Parallel()\n\tif']) },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test file is kept from being built (Go)',
    base: CLOCK_PROJECT,
    config: GO_TEST_CONFIG,
    patch: { 'clock_test.go': `//go:build never\n\n${CLOCK_TEST}` },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test file gets a comment at its head (Go)',
      patch: { 'clock_test.go': `// Tests of hours.\n\n${CLOCK_TEST}` },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test returns before it asserts anything',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [`${TITLE}() => {\n`, `${TITLE}() => {\n  return;\n`]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test becomes asynchronous',
      patch: {
        'test/cart.test.js': replaceText(CART_TEST, [
          `${TITLE}() => {\n`,
          `${TITLE}async () => {\n  await null;\n`,
        ]),
      },
    },
  },
  {
    class: 'skipped or focused',
    name: 'a test leaves early where it is checked',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [
        `${TITLE}() => {\n`,
        `${TITLE}() => {\n  if (process.env.CI) return;\n`,
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test takes a value from its surroundings',
      patch: {
        'test/cart.test.js': replaceText(CART_TEST, [
          'discount(200, 10)',
          "discount(Number(process.env.SUM ?? '200'), 10)",
        ]),
      },
    },
  },
];
