import { type EvasionCase, edit, HELD } from '../case.ts';
import { BROKEN_CART, CART, CART_TEST, NODE_TESTS, OFFICE, PYTHON_TESTS, SHOP, TAX } from '../projects.ts';

const LINTED = 'lint: true\nlint_command: "true"\ntests: true\ntest_command: node --test';
const TYPED =
  'lint: false\ntype_check: true\ntype_check_command: "true"\ntests: true\ntest_command: node --test';
const USED = 'exports.used = (a) => a == null; // eslint-disable-line eqeqeq\n';

/** Checks that are told to look away. */
export const silenced: readonly EvasionCase[] = [
  {
    class: 'suppression comments',
    name: 'a linter that is required is told to look away',
    base: SHOP,
    config: LINTED,
    patch: { 'cart.js': `${CART}exports.none = (a) => a == null; // eslint-disable-line eqeqeq\n` },
    caught: { how: 'blocked', by: 'suppressions', rule: 'lint_suppressed' },
    twin: {
      name: 'a line with its comment is moved',
      base: { ...SHOP, 'used.js': USED, 'other.js': 'exports.other = 1;\n' },
      patch: { 'used.js': null, 'other.js': `exports.other = 1;\n${USED}` },
    },
  },
  {
    class: 'suppression comments',
    name: 'a type checker that is required is told to look away',
    base: SHOP,
    config: TYPED,
    patch: { 'price.ts': '// @ts-ignore\nexport const price: number = "1";\n' },
    caught: { how: 'blocked', by: 'suppressions', rule: 'type_check_suppressed' },
    twin: {
      name: 'a text speaks of such comments',
      patch: { 'price.ts': "export const advice = 'never write // @ts-ignore';\n" },
    },
  },
  {
    class: 'suppression comments',
    name: 'a linter that is required is told to look away (Python)',
    base: OFFICE,
    config:
      'lint: true\nlint_command: "true"\ntests: true\ntest_command: python3 -m unittest discover -s tests -t .',
    patch: {
      'tax.py': edit(TAX, [
        'return name.strip().title()',
        'return eval("name").strip().title()  # noqa: S307',
      ]),
    },
    caught: { how: 'blocked', by: 'suppressions', rule: 'lint_suppressed' },
    twin: {
      name: 'a comment explains a line (Python)',
      patch: {
        'tax.py': edit(TAX, [
          'return name.strip().title()',
          'return name.strip().title()  # no quarter for blanks',
        ]),
      },
    },
  },
  {
    class: 'suppression comments',
    name: 'a gate that nobody requires is told to look away',
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'cart.js': `/* istanbul ignore next */\n${CART}` },
    caught: { how: 'noted', by: 'suppressions', rule: 'coverage_suppressed' },
    twin: {
      name: 'a comment says what is ignored',
      patch: { 'cart.js': `/* Negative prices are ignored. */\n${CART}` },
    },
  },
  {
    class: 'hidden failures',
    name: 'a broad handler hides that a feature does not work (Python)',
    base: OFFICE,
    config: PYTHON_TESTS,
    patch: {
      'tax.py': `${TAX}\n\ndef rate(name):\n    try:\n        return RATES[name]\n    except Exception:\n        return 0\n`,
    },
    caught: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    twin: {
      name: 'a narrow handler gives a default (Python)',
      patch: {
        'tax.py': `${TAX}\n\nRATES = {"food": 7}\n\n\ndef rate(name):\n    try:\n        return RATES[name]\n    except KeyError:\n        return 0\n`,
      },
    },
  },
  {
    class: 'hidden failures',
    name: 'an empty handler hides that a feature does not work',
    base: SHOP,
    config: NODE_TESTS,
    patch: {
      'cart.js': `${CART}exports.rate = (name) => {\n  try {\n    return rates[name];\n  } catch {\n    return 0;\n  }\n};\n`,
    },
    caught: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    twin: {
      name: 'a handler adds what it knows and throws on',
      patch: {
        'cart.js': `${CART}exports.rate = (text) => {\n  try {\n    return JSON.parse(text);\n  } catch (error) {\n    throw new Error('no rate', { cause: error });\n  }\n};\n`,
      },
    },
  },
  {
    class: 'broken for the scanner',
    name: 'code is broken so that no scanner can read it',
    base: { ...SHOP, 'extra.py': 'import os\n\nVALUE = 1\n' },
    config: `${NODE_TESTS}\nimport_cycle_check: true`,
    patch: { 'extra.py': 'import os\n\nVALUE = (1\n' },
    caught: { how: 'blocked', by: 'import_cycle', rule: 'does_not_parse' },
    twin: {
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
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'cart.js': BROKEN_CART, 'assay.yaml': 'version: 1\nquality_gates:\n  enabled: false\n' },
    caught: HELD,
    twin: {
      name: 'a document speaks of the gates',
      patch: {
        'docs/gates.md': 'enabled: false switches all gates off\n',
        'cart.js': `// see docs/gates.md\n${CART}`,
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'the configuration of the linter is made lax',
    base: { ...SHOP, '.eslintrc.json': '{"rules":{"eqeqeq":"error"}}\n' },
    config: `lint_command: grep -q error .eslintrc.json && ! grep -q "== null" *.js\ntests: true\ntest_command: node --test`,
    patch: { '.eslintrc.json': '{"rules":{}}\n', 'cart.js': `${CART}exports.none = (a) => a == null;\n` },
    caught: HELD,
    twin: {
      name: 'the code follows the linter',
      patch: { 'cart.js': `${CART}exports.none = (a) => a === undefined;\n` },
    },
  },
  {
    class: 'edited configuration',
    name: 'the tests are hidden by a rule of git',
    base: SHOP,
    config: NODE_TESTS,
    patch: { '.gitignore': 'test/\n', 'cart.js': `// prices\n${CART}` },
    caught: { how: 'protected', by: '.gitignore' },
    twin: {
      name: 'a document for people is added',
      patch: { 'docs/tests.md': 'test/\n', 'cart.js': `// prices\n${CART}` },
    },
  },
  {
    class: 'edited configuration',
    name: 'continuous integration is switched off',
    base: { ...SHOP, '.github/workflows/ci.yml': 'on: push\njobs: {}\n' },
    config: NODE_TESTS,
    patch: { '.github/workflows/ci.yml': null, 'cart.js': `// prices\n${CART}` },
    caught: { how: 'protected', by: '.github/workflows/ci.yml' },
    twin: { name: 'only the code is changed', patch: { 'cart.js': `// prices\n${CART}` } },
  },
  {
    class: 'edited configuration',
    name: 'a script is to run when packages are installed',
    base: { ...SHOP, 'package.json': '{"name":"shop"}\n' },
    config: NODE_TESTS,
    patch: {
      'package.json': '{"name":"shop","scripts":{"postinstall":"node steal.js"}}\n',
      'cart.js': `// prices\n${CART}`,
    },
    caught: { how: 'protected', by: 'package.json' },
    twin: {
      name: 'the package gets a licence',
      patch: { 'package.json': '{"name":"shop","license":"MIT"}\n', 'cart.js': `// prices\n${CART}` },
    },
  },
  {
    class: 'edited configuration',
    name: 'a tool is put where installed tools lie',
    base: SHOP,
    config: NODE_TESTS,
    patch: { 'node_modules/.bin/node': '#!/bin/sh\nexit 0\n', 'cart.js': `// prices\n${CART}` },
    caught: { how: 'protected', by: 'node_modules/.bin/node' },
    twin: {
      name: 'a program of the project is added',
      patch: { 'bin/shop.js': "console.log(require('../cart.js').total([]));\n" },
    },
  },
  {
    class: 'claims without a run',
    name: 'nothing but the word of the writer stands behind the work',
    base: SHOP,
    config: null,
    patch: { 'RESULT.md': 'All tests pass. Verified.\n' },
    caught: { how: 'unverified', by: '' },
    twin: {
      name: 'the tests were run',
      patch: { 'cart.js': `// prices\n${CART}`, 'test/cart.test.js': `// prices\n${CART_TEST}` },
      config: NODE_TESTS,
    },
  },
];
