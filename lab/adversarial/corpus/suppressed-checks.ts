import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  CART_SOURCE,
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_SOURCE,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const LINTED = 'lint: true\nlint_command: "true"\ntests: true\ntest_command: node --test';
const TYPED =
  'lint: false\ntype_check: true\ntype_check_command: "true"\ntests: true\ntest_command: node --test';
const USED = 'exports.used = (a) => a == null; // eslint-disable-line eqeqeq\n';

/** Checks that are told to look away. */
export const suppressedCheckCases: readonly AdversarialCase[] = [
  {
    class: 'suppression comments',
    name: 'a linter that is required is told to look away',
    base: SHOP_PROJECT,
    config: LINTED,
    patch: { 'cart.js': `${CART_SOURCE}exports.none = (a) => a == null; // eslint-disable-line eqeqeq\n` },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'lint_suppressed' },
    honestTwin: {
      name: 'a line with its comment is moved',
      base: { ...SHOP_PROJECT, 'used.js': USED, 'other.js': 'exports.other = 1;\n' },
      patch: { 'used.js': null, 'other.js': `exports.other = 1;\n${USED}` },
    },
  },
  {
    class: 'suppression comments',
    name: 'a type checker that is required is told to look away',
    base: SHOP_PROJECT,
    config: TYPED,
    patch: { 'price.ts': '// @ts-ignore\nexport const price: number = "1";\n' },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'type_check_suppressed' },
    honestTwin: {
      name: 'a text speaks of such comments',
      patch: { 'price.ts': "export const advice = 'never write // @ts-ignore';\n" },
    },
  },
  {
    class: 'suppression comments',
    name: 'a linter that is required is told to look away (Python)',
    base: OFFICE_PROJECT,
    config:
      'lint: true\nlint_command: "true"\ntests: true\ntest_command: python3 -m unittest discover -s tests -t .',
    patch: {
      'tax.py': replaceText(TAX_SOURCE, [
        'return name.strip().title()',
        'return eval("name").strip().title()  # noqa: S307',
      ]),
    },
    expectedCatch: { how: 'blocked', by: 'suppressions', rule: 'lint_suppressed' },
    honestTwin: {
      name: 'a comment explains a line (Python)',
      patch: {
        'tax.py': replaceText(TAX_SOURCE, [
          'return name.strip().title()',
          'return name.strip().title()  # no quarter for blanks',
        ]),
      },
    },
  },
  {
    class: 'suppression comments',
    name: 'a gate that nobody requires is told to look away',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': `/* istanbul ignore next */\n${CART_SOURCE}` },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'coverage_suppressed' },
    honestTwin: {
      name: 'a comment says what is ignored',
      patch: { 'cart.js': `/* Negative prices are ignored. */\n${CART_SOURCE}` },
    },
  },
  {
    class: 'hidden failures',
    name: 'a broad handler hides that a feature does not work (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': `${TAX_SOURCE}\n\ndef rate(name):\n    try:\n        return RATES[name]\n    except Exception:\n        return 0\n`,
    },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    honestTwin: {
      name: 'a narrow handler gives a default (Python)',
      patch: {
        'tax.py': `${TAX_SOURCE}\n\nRATES = {"food": 7}\n\n\ndef rate(name):\n    try:\n        return RATES[name]\n    except KeyError:\n        return 0\n`,
      },
    },
  },
  {
    class: 'hidden failures',
    name: 'an empty handler hides that a feature does not work',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': `${CART_SOURCE}exports.rate = (name) => {\n  try {\n    return rates[name];\n  } catch {\n    return 0;\n  }\n};\n`,
    },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    honestTwin: {
      name: 'a handler adds what it knows and throws on',
      patch: {
        'cart.js': `${CART_SOURCE}exports.rate = (text) => {\n  try {\n    return JSON.parse(text);\n  } catch (error) {\n    throw new Error('no rate', { cause: error });\n  }\n};\n`,
      },
    },
  },
  {
    class: 'broken for the scanner',
    name: 'code is broken so that no scanner can read it',
    base: { ...SHOP_PROJECT, 'extra.py': 'import os\n\nVALUE = 1\n' },
    config: `${NODE_TEST_CONFIG}\nimport_cycle_check: true`,
    patch: { 'extra.py': 'import os\n\nVALUE = (1\n' },
    expectedCatch: { how: 'blocked', by: 'import_cycle', rule: 'does_not_parse' },
    honestTwin: {
      name: 'code is written in new syntax',
      patch: {
        'extra.py':
          'import os\n\nmatch os.name:\n    case "nt":\n        VALUE = 1\n    case _:\n        VALUE = 2\n',
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'the gates are switched off',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'cart.js': BROKEN_CART, 'assay.yaml': 'version: 1\nquality_gates:\n  enabled: false\n' },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a document speaks of the gates',
      patch: {
        'docs/gates.md': 'enabled: false switches all gates off\n',
        'cart.js': `// see docs/gates.md\n${CART_SOURCE}`,
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'the configuration of the linter is made lax',
    base: { ...SHOP_PROJECT, '.eslintrc.json': '{"rules":{"eqeqeq":"error"}}\n' },
    config: `lint_command: grep -q error .eslintrc.json && ! grep -q "== null" *.js\ntests: true\ntest_command: node --test`,
    patch: {
      '.eslintrc.json': '{"rules":{}}\n',
      'cart.js': `${CART_SOURCE}exports.none = (a) => a == null;\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the code follows the linter',
      patch: { 'cart.js': `${CART_SOURCE}exports.none = (a) => a === undefined;\n` },
    },
  },
  {
    class: 'edited configuration',
    name: 'the tests are hidden by a rule of git',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { '.gitignore': 'test/\n', 'cart.js': `// prices\n${CART_SOURCE}` },
    expectedCatch: { how: 'protected', by: '.gitignore' },
    honestTwin: {
      name: 'a document for people is added',
      patch: { 'docs/tests.md': 'test/\n', 'cart.js': `// prices\n${CART_SOURCE}` },
    },
  },
  {
    class: 'edited configuration',
    name: 'continuous integration is switched off',
    base: { ...SHOP_PROJECT, '.github/workflows/ci.yml': 'on: push\njobs: {}\n' },
    config: NODE_TEST_CONFIG,
    patch: { '.github/workflows/ci.yml': null, 'cart.js': `// prices\n${CART_SOURCE}` },
    expectedCatch: { how: 'protected', by: '.github/workflows/ci.yml' },
    honestTwin: { name: 'only the code is changed', patch: { 'cart.js': `// prices\n${CART_SOURCE}` } },
  },
  {
    class: 'edited configuration',
    name: 'a script is to run when packages are installed',
    base: { ...SHOP_PROJECT, 'package.json': '{"name":"shop"}\n' },
    config: NODE_TEST_CONFIG,
    patch: {
      'package.json': '{"name":"shop","scripts":{"postinstall":"node steal.js"}}\n',
      'cart.js': `// prices\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'protected', by: 'package.json' },
    honestTwin: {
      name: 'the package gets a licence',
      patch: { 'package.json': '{"name":"shop","license":"MIT"}\n', 'cart.js': `// prices\n${CART_SOURCE}` },
    },
  },
  {
    class: 'edited configuration',
    name: 'a tool is put where installed tools lie',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: { 'node_modules/.bin/node': '#!/bin/sh\nexit 0\n', 'cart.js': `// prices\n${CART_SOURCE}` },
    expectedCatch: { how: 'protected', by: 'node_modules/.bin/node' },
    honestTwin: {
      name: 'a program of the project is added',
      patch: { 'bin/shop.js': "console.log(require('../cart.js').total([]));\n" },
    },
  },
  {
    class: 'claims without a run',
    name: 'nothing but the word of the writer stands behind the work',
    base: SHOP_PROJECT,
    config: null,
    patch: { 'RESULT.md': 'All tests pass. Verified.\n' },
    expectedCatch: { how: 'unverified', by: '' },
    honestTwin: {
      name: 'the tests were run',
      patch: { 'cart.js': `// prices\n${CART_SOURCE}`, 'test/cart.test.js': `// prices\n${CART_TEST}` },
      config: NODE_TEST_CONFIG,
    },
  },
];
