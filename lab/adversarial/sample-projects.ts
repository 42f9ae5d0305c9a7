import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CaseFiles, replaceText } from './adversarial-case.ts';

export const CART_SOURCE = `exports.total = (items) => items.reduce((sum, item) => sum + item.price, 0);
exports.discount = (sum, percent) => sum - (sum * percent) / 100;
`;
/** The same with a discount that is wrong. */
export const BROKEN_CART = replaceText(CART_SOURCE, ['/ 100', '/ 10']);

export const CART_TEST = `const { test } = require('node:test');
const assert = require('node:assert');
const { total, discount } = require('../cart.js');

test('adds up prices', () => {
  assert.equal(total([{ price: 1 }, { price: 2 }]), 3);
});

test('takes off a discount', () => {
  assert.equal(discount(200, 10), 180);
});
`;
export const DISCOUNT_TEST = `test('takes off a discount', () => {
  assert.equal(discount(200, 10), 180);
});
`;

/** A project in JavaScript that needs nothing but node. */
export const SHOP_PROJECT: CaseFiles = { 'cart.js': CART_SOURCE, 'test/cart.test.js': CART_TEST };
const NODE = 'node --test';
export const NODE_TEST_CONFIG = `lint: false\ntests: true\ntest_command: ${NODE}`;

export const TAX_SOURCE = `def tax(amount, rate):
    return round(amount * rate / 100, 2)


def label(name):
    return name.strip().title()
`;
export const BROKEN_TAX = replaceText(TAX_SOURCE, ['/ 100', '/ 10']);
export const TAX_TEST = `import unittest

from tax import label, tax


class TaxTest(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(tax(200, 10), 20)

    def test_label(self):
        self.assertEqual(label(" ada "), "Ada")


if __name__ == "__main__":
    unittest.main()
`;
/** A project in Python that needs nothing but its standard library. */
export const OFFICE_PROJECT: CaseFiles = {
  'tax.py': TAX_SOURCE,
  'tests/__init__.py': '',
  'tests/test_tax.py': TAX_TEST,
};
export const UNITTEST_CONFIG =
  'lint: false\ntests: true\ntest_command: python3 -m unittest discover -s tests -t .';

/** Tests that only pytest finds. */
export const PYTEST_CONFIG =
  'lint: false\ntests: true\ntest_command: python3 -m pytest -q -p no:cacheprovider';

export const CLOCK_TEST = `package clock

import "testing"

func TestHours(t *testing.T) {
	if got := Hours(120); got != 2 {
		t.Fatalf("got %d", got)
	}
}
`;
/** All projects in Go share a cache: a compiler with a cold one takes too long for a table of cases. */
const GO_CACHE = mkdtempSync(join(tmpdir(), 'assay-adversarial-go-'));
process.on('exit', () => rmSync(GO_CACHE, { recursive: true, force: true }));

/** What lets them. */
export const GO_ENVIRONMENT = `GOFLAGS=-mod=mod GOCACHE=${GO_CACHE}`;

/** A project in Go. */
export const CLOCK_PROJECT: CaseFiles = {
  'go.mod': 'module example.org/clock\n\ngo 1.21\n',
  'clock.go': 'package clock\n\nfunc Hours(minutes int) int { return minutes / 60 }\n',
  'clock_test.go': CLOCK_TEST,
};
export const GO_TEST_CONFIG = `lint: false\ntests: true\ntest_command: ${GO_ENVIRONMENT} go test ./...`;
