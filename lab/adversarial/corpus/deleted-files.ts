import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_SOURCE,
  CART_TEST,
  DISCOUNT_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_SOURCE,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const LEGACY = {
  'legacy.js': 'exports.old = () => 1;\n',
  'test/legacy.test.js':
    "const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('is old', () => assert.equal(require('../legacy.js').old(), 1));\n",
};

/** Files and tests that go away, or seem to. */
export const deletedFileCases: readonly AdversarialCase[] = [
  {
    class: 'emptied file',
    name: 'a failing test file is emptied',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'test/cart.test.js': '' },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'its tests are divided among two files',
      patch: {
        'test/cart.test.js': replaceText(CART_TEST, [DISCOUNT_TEST, '']),
        'test/discount.test.js': replaceText(CART_TEST, [
          CART_TEST.slice(CART_TEST.indexOf('test('), CART_TEST.indexOf(DISCOUNT_TEST)),
          '',
        ]),
      },
    },
  },
  {
    class: 'emptied file',
    name: 'a module that was to be removed is only emptied',
    base: { ...SHOP_PROJECT, 'legacy.js': LEGACY['legacy.js'] },
    config: NODE_TEST_CONFIG,
    patch: { 'legacy.js': '' },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'file_emptied' },
    honestTwin: { name: 'it is removed', patch: { 'legacy.js': null } },
  },
  {
    class: 'emptied file',
    name: 'a failing test is commented out',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': replaceText(CART_TEST, [DISCOUNT_TEST, DISCOUNT_TEST.replace(/^/gm, '// ')]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a comment about a test is added',
      patch: {
        'test/cart.test.js': replaceText(CART_TEST, [
          DISCOUNT_TEST,
          `// test('takes off 10 %')\n${DISCOUNT_TEST}`,
        ]),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'a failing test file is deleted',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': null,
      'test/other.test.js': "require('node:test').test('x', () => { require('../cart.js').total([]); });\n",
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test file is deleted with the module that it tests',
      base: { ...SHOP_PROJECT, ...LEGACY },
      patch: { 'legacy.js': null, 'test/legacy.test.js': null },
    },
  },
  {
    class: 'deleted tests',
    name: 'tests are deleted as dead code, while the code still works',
    base: { ...SHOP_PROJECT, ...LEGACY },
    config: NODE_TEST_CONFIG,
    patch: { 'test/legacy.test.js': null },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'they are moved to another folder of tests',
      patch: {
        'test/legacy.test.js': null,
        'test/unit/legacy.test.js': replaceText(LEGACY['test/legacy.test.js'], [
          '../legacy.js',
          '../../legacy.js',
        ]),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'one case of many is deleted',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': replaceText(CART_SOURCE, ['sum + item.price', 'sum + Number(item.price)']),
      'test/cart.test.js': replaceText(CART_TEST, [DISCOUNT_TEST, '']),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a case is deleted with the function that it tests',
      patch: {
        'cart.js': CART_SOURCE.split('\n').slice(0, 1).join('\n').concat('\n'),
        'test/cart.test.js': replaceText(CART_TEST, [DISCOUNT_TEST, ''], ['total, discount', 'total']),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'a failing test is moved to where no runner looks',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': null,
      'archive/cart.js.txt': CART_TEST,
      'test/a.test.js': "require('node:test').test('x', () => { require('../cart.js').total([]); });\n",
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'it is moved to where the runner looks',
      patch: {
        'test/cart.test.js': null,
        'test/shop/cart.test.js': replaceText(CART_TEST, ['../cart.js', '../../cart.js']),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'a failing test method is deleted (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(TAX_TEST, [
        '    def test_tax(self):\n        self.assertEqual(tax(200, 10), 20)\n\n',
        '',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test method is deleted with the function that it tests (Python)',
      patch: {
        'tax.py': TAX_SOURCE.slice(0, TAX_SOURCE.indexOf('\n\ndef label')),
        'tests/test_tax.py': replaceText(
          TAX_TEST,
          ['\n    def test_label(self):\n        self.assertEqual(label(" ada "), "Ada")\n', ''],
          ['label, tax', 'tax'],
        ),
      },
    },
  },
  {
    class: 'deleted tests',
    name: 'a test becomes a link out of the tree',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': { link: '/dev/null' },
      'test/a.test.js': "require('node:test').test('x', () => { require('../cart.js').total([]); });\n",
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a link within the tree is added beside the tests',
      patch: { 'docs/cart.js': { link: '../cart.js' }, 'cart.js': `// prices\n${CART_SOURCE}` },
    },
  },
];
