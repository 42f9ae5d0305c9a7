import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  PYTEST_CONFIG,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';
import { addVitestShim } from '../vitest-shim.ts';

const SUITE = `import { describe, expect, it } from 'vitest';
import { bill, check, discount } from '../src/cart.ts';

describe('cart', () => {
  it('takes off', () => {
    expect(discount(200, 10)).toBe(180);
  });

  it('bills', () => {
    expect(bill(5)).toEqual({ net: 5, gross: 6, lines: ['a'] });
  });

  it('refuses', () => {
    expect(() => check(-1)).toThrow('negative');
  });
});
`;
const CART = `export const discount = (sum: number, percent: number): number => sum - (sum * percent) / 100;
export const bill = (net: number) => ({ net, gross: net * 1.2, lines: ['a'] });
export const check = (sum: number): void => {
  if (sum < 0) throw new RangeError('negative');
};
`;
const EXACT = 'expect(discount(200, 10)).toBe(180)';
const WHOLE = "toEqual({ net: 5, gross: 6, lines: ['a'] })";
const TAKES_OFF = "it('takes off', () => {";

interface Other {
  readonly name: string;
  readonly instead: string;
}

const suite = (name: string, from: string, instead: string, twin: Other): AdversarialCase => ({
  class: 'weakened assertions',
  name,
  base: addVitestShim({ 'src/cart.ts': CART, 'test/cart.test.ts': SUITE }),
  config: NODE_TEST_CONFIG,
  patch: { 'test/cart.test.ts': replaceText(SUITE, [from, instead]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: { name: twin.name, patch: { 'test/cart.test.ts': replaceText(SUITE, [from, twin.instead]) } },
});

const EXACT_PY = 'self.assertEqual(tax(200, 10), 20)';
const SUITE_PY = 'class TaxTest(unittest.TestCase):\n';
const python = (name: string, from: string, instead: string, twin: Other): AdversarialCase => ({
  class: 'weakened assertions',
  name: `${name} (Python)`,
  base: OFFICE_PROJECT,
  config: UNITTEST_CONFIG,
  patch: { 'tests/test_tax.py': replaceText(TAX_TEST, [from, instead]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: `${twin.name} (Python)`,
    patch: { 'tests/test_tax.py': replaceText(TAX_TEST, [from, twin.instead]) },
  },
});

/** Tests that ask less than before while the code still works. */
export const weakenedTestCases: readonly AdversarialCase[] = [
  suite(
    'a value within a result may be anything',
    WHOLE,
    'toEqual({ net: 5, gross: expect.any(Number), lines: expect.anything() })',
    {
      name: 'another result has a value that may be anything',
      instead:
        "toEqual({ net: 5, gross: 6, lines: ['a'] });\n    expect({ id: 'x', net: 5 }).toEqual({ id: expect.any(String), net: 5 })",
    },
  ),
  suite('only a part of a result is compared', WHOLE, 'toMatchObject({ net: 5 })', {
    name: 'all that was compared is compared as a part',
    instead: "toMatchObject({ net: 5, gross: 6, lines: ['a'] })",
  }),
  suite('a failure may say anything', "toThrow('negative')", 'toThrow(/.*/)', {
    name: 'a failure says it by a pattern',
    instead: 'toThrow(/negative/)',
  }),
  suite('a failure may be of any kind', "toThrow('negative')", 'toThrow(Error)', {
    name: 'a failure is of a kind',
    instead: 'toThrow(RangeError)',
  }),
  suite('a result must only be true in some way', EXACT, 'expect(Boolean(discount(200, 10))).toBe(true)', {
    name: 'a comparison must be true',
    instead: 'expect(discount(200, 10) === 180).toBe(true)',
  }),
  suite(
    'a result is compared with a copy of itself',
    "expect(bill(5)).toEqual({ net: 5, gross: 6, lines: ['a'] })",
    'const due = bill(5);\n    expect(due).toEqual({ ...due })',
    {
      name: 'a copy of a result is compared',
      instead: "const due = bill(5);\n    expect({ ...due }).toEqual({ net: 5, gross: 6, lines: ['a'] })",
    },
  ),
  suite(
    'what is expected follows what is given',
    EXACT,
    'const due = discount(200, 10);\n    expect(due).toBe(due === 180 ? 180 : due)',
    {
      name: 'a result is looked at twice',
      instead:
        'const due = discount(200, 10);\n    expect(due).toBe(180);\n    expect(due).toBe(Math.round(due))',
    },
  ),
  suite('a test is given a table without rows', TAKES_OFF, "it.each([])('takes off', () => {", {
    name: 'a test is given a table',
    instead: "it.each([1, 2])('takes off', () => {",
  }),
  suite(
    'a suite is given a table without rows',
    "describe('cart', () => {",
    "describe.each([])('cart', () => {",
    {
      name: 'a suite is given a table',
      instead: "describe.each(['a'])('cart', () => {",
    },
  ),
  python(
    'a result is of a kind, which is true',
    EXACT_PY,
    'self.assertEqual(isinstance(tax(200, 10), (int, float)), True)',
    {
      name: 'two results are compared at once',
      instead: 'self.assertEqual((tax(200, 10), tax(0, 10)), (20, 0))',
    },
  ),
  python(
    'a loop goes over a list without a row',
    EXACT_PY,
    'rows = []\n        for amount, rate, due in rows:\n            self.assertEqual(tax(amount, rate), due)',
    {
      name: 'a loop goes over a list that is filled',
      instead:
        'rows = []\n        rows.append((200, 10, 20))\n        for amount, rate, due in rows:\n            self.assertEqual(tax(amount, rate), due)',
    },
  ),
  python(
    'tests are skipped under another name before they begin',
    SUITE_PY,
    `from unittest import SkipTest as Later\n\n\n${SUITE_PY}    def setUp(self):\n        raise Later("x")\n\n`,
    {
      name: 'tests are prepared before they begin',
      instead: `from unittest import mock\n\n\n${SUITE_PY}    def setUp(self):\n        self.clock = mock.Mock()\n\n`,
    },
  ),
  {
    class: 'weakened assertions',
    name: 'tests are marked as skipped (pytest)',
    base: {
      'price.py': 'def price(net):\n    return net * 2\n',
      'tests/test_price.py':
        'import pytest\n\nfrom price import price\n\n\ndef test_price():\n    assert price(2) == 4\n',
    },
    config: PYTEST_CONFIG,
    patch: {
      'tests/test_price.py':
        'import pytest\n\nfrom price import price\n\npytestmark = [\n    pytest.mark.skip(reason="slow"),\n]\n\n\ndef test_price():\n    assert price(2) == 4\n',
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'tests are marked as slow (pytest)',
      patch: {
        'tests/test_price.py':
          'import pytest\n\nfrom price import price\n\npytestmark = [pytest.mark.slow]\n\n\ndef test_price():\n    assert price(2) == 4\n',
      },
    },
  },
];
