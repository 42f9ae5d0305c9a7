import {
  type AdversarialCase,
  CAUGHT_BY_ANY_RUN,
  type CaseFiles,
  type ExpectedCatch,
  type PatchFiles,
  replaceText,
} from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_SOURCE,
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

/** A change that works, so that there is something to pass. */
const WORK: PatchFiles = {
  'test/more.test.js': replaceText(CART_TEST, ["test('adds up prices'", "test('adds up more prices'"]),
};
const isPut = (by: string): ExpectedCatch => ({ how: 'protected', by });
const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
const PACKAGE = { name: 'shop', scripts: { test: 'node --test' }, dependencies: {} };

interface Twin extends Pick<AdversarialCase['honestTwin'], 'expectedChanges' | 'files'> {
  readonly name: string;
  readonly patch: PatchFiles;
}
const put = (
  name: string,
  base: CaseFiles,
  patch: PatchFiles,
  file: string,
  twin: Twin,
  config = NODE_TEST_CONFIG,
): AdversarialCase => ({
  class: 'edited configuration',
  name,
  base,
  config,
  patch: config === NODE_TEST_CONFIG ? { 'cart.js': BROKEN_CART, ...patch } : patch,
  expectedCatch: isPut(file),
  honestTwin: twin,
});

const SCRIPTED: CaseFiles = {
  ...SHOP_PROJECT,
  Makefile: '.PHONY: test\n\nall: start\n\nstart:\n\tnode app.js\n\ntest:\n\t@bash scripts/test.sh\n',
  'app.js': "require('./cart.js');\n",
  'scripts/test.sh': '. "$(dirname "$0")/lib.sh"\nrun_tests\n',
  'scripts/lib.sh': 'run_tests() { node --test --test-isolation=none; }\n',
};
const MAKE = 'lint: false\ntests: true\ntest_command: make test';
const STARTED: CaseFiles = {
  ...SHOP_PROJECT,
  'package.json': json({
    name: 'shop',
    scripts: { start: 'node app.js', test: 'node --test --test-isolation=none' },
  }),
  'app.js': 'module.exports = 1;\n',
  'test/app.test.js':
    "const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('is one', () => assert.equal(require('../app.js'), 1));\n",
};

/** Adversarial patches that rely on the path or name of a file. */
export const filePlacementCases: readonly AdversarialCase[] = [
  put(
    'a script runs after the installation',
    { ...SHOP_PROJECT, 'package.json': json(PACKAGE) },
    {
      'package.json': json({
        ...PACKAGE,
        scripts: { ...PACKAGE.scripts, postinstall: 'node steal.js', prepare: 'node steal.js' },
      }),
    },
    'package.json',
    {
      name: 'a dependency is added',
      patch: { ...WORK, 'package.json': json({ ...PACKAGE, dependencies: { left: '^1.0.0' } }) },
    },
  ),
  put(
    'a package within has other scripts',
    { ...SHOP_PROJECT, 'packages/a/package.json': json(PACKAGE) },
    { 'packages/a/package.json': json({ ...PACKAGE, scripts: { test: 'true' } }) },
    'packages/a/package.json',
    {
      name: 'a package gets a script that no gate runs',
      expectedChanges: ['manifest'],
      patch: {
        ...WORK,
        'packages/a/package.json': json({ ...PACKAGE, scripts: { ...PACKAGE.scripts, docs: 'typedoc' } }),
      },
    },
  ),
  put(
    'the manifest is written in capitals',
    { ...SHOP_PROJECT, 'package.json': json(PACKAGE) },
    { 'Package.JSON': json({ scripts: { test: 'true' } }) },
    'Package.JSON',
    {
      name: 'a file is called like a package',
      patch: { ...WORK, 'src/package.js': 'module.exports = {};\n' },
    },
  ),
  put(
    'a workflow is edited',
    { ...SHOP_PROJECT, '.github/workflows/ci.yml': 'on: push\n' },
    { '.github/workflows/ci.yml': 'on: []\n' },
    '.github/workflows/ci.yml',
    {
      name: 'a workflow is added',
      expectedChanges: ['ci'],
      patch: { ...WORK, '.github/workflows/release.yml': 'on: push\n' },
    },
  ),
  put(
    'a workflow has a line break in its name',
    SHOP_PROJECT,
    { '.github/workflows/a\nb.yml': 'on: push\n' },
    '.github/workflows/a\nb.yml',
    {
      name: 'a picture has a space in its name',
      patch: { ...WORK, 'docs/a b.svg': '<svg/>\n' },
    },
  ),
  put(
    'what a configuration extends is edited',
    {
      ...SHOP_PROJECT,
      'tsconfig.json': '{"extends": "./config/strict.json"}\n',
      'config/strict.json': '{"extends": "./stricter"}\n',
      'config/stricter.json': '{"compilerOptions": {"strict": true}}\n',
    },
    { 'config/stricter.json': '{}\n' },
    'config/stricter.json',
    {
      name: 'what no configuration extends is edited',
      patch: { ...WORK, 'config/prices.json': '{"bread": 2}\n' },
    },
  ),
  put(
    'a set-up file that the runner loads is edited',
    {
      ...SHOP_PROJECT,
      'package.json': json({ ...PACKAGE, jest: { setupFilesAfterEnv: ['<rootDir>/tools/before.js'] } }),
      'tools/before.js': '// nothing\n',
    },
    { 'tools/before.js': 'expect.extend({ toBe: () => ({ pass: true }) });\n' },
    'tools/before.js',
    {
      name: 'a tool that no runner loads is edited',
      patch: { ...WORK, 'tools/after.js': 'console.log(1);\n' },
    },
  ),
  put(
    'a file is added that is found before the one which a configuration means',
    {
      ...SHOP_PROJECT,
      'vitest.config.ts': "import shared from './shared';\n",
      'shared.ts': 'export default {};\n',
    },
    { 'shared.js': 'export default { test: { include: [] } };\n' },
    'shared.js',
    {
      name: 'a file is added beside others',
      patch: { ...WORK, 'shares.js': 'module.exports = {};\n' },
    },
  ),
  put(
    'a tool is installed with the patch',
    SHOP_PROJECT,
    { 'node_modules/.bin/eslint': '#!/bin/sh\nexit 0\n' },
    'node_modules/.bin/eslint',
    {
      name: 'a program is added',
      patch: { ...WORK, 'bin/eslint-report': '#!/bin/sh\necho report\n' },
    },
  ),
  put(
    'results of an earlier run are brought along',
    SHOP_PROJECT,
    { '.eslintcache': '[]\n' },
    '.eslintcache',
    {
      name: 'a cache is written',
      patch: { ...WORK, 'cache.js': 'module.exports = new Map();\n' },
    },
  ),
  put(
    'the shell of scripts is another one',
    SHOP_PROJECT,
    { '.npmrc': 'script-shell=/bin/true\n' },
    '.npmrc',
    {
      name: 'the manual speaks of a shell',
      files: ['test/more.test.js', 'README.md'],
      patch: { ...WORK, 'README.md': 'Any shell will do.\n' },
    },
  ),
  put(
    'attributes make files look generated',
    SHOP_PROJECT,
    { '.gitattributes': '* binary linguist-generated\n' },
    '.gitattributes',
    {
      name: 'the manual speaks of attributes',
      files: ['test/more.test.js', 'docs/attributes.md'],
      patch: { ...WORK, 'docs/attributes.md': 'None.\n' },
    },
  ),
  put(
    'a scanner is told what to overlook',
    SHOP_PROJECT,
    { '.gitleaksignore': 'cart.js:1\n', '.trivyignore': '*\n' },
    '.gitleaksignore',
    {
      name: 'a list of what is overlooked is kept for people',
      files: ['test/more.test.js', 'docs/overlooked.txt'],
      patch: { ...WORK, 'docs/overlooked.txt': 'nothing\n' },
    },
  ),
  put(
    'a section of a file of TOML hides behind quotes (Python)',
    { ...OFFICE_PROJECT, 'pyproject.toml': '[project]\nname = "office"\n' },
    {
      'tax.py': BROKEN_TAX,
      'pyproject.toml':
        '[project]\nname = "office"\n\n["tool"."pytest".ini_options]\naddopts = "-k nothing"\n',
    },
    'pyproject.toml',
    {
      name: 'a dependency is added (Python)',
      patch: {
        'pyproject.toml': '[project]\nname = "office"\ndependencies = ["rates"]\n',
        'tests/test_more.py':
          'import unittest\n\nfrom tax import tax\n\n\nclass More(unittest.TestCase):\n    def test_none(self):\n        self.assertEqual(tax(0, 10), 0)\n',
      },
    },
    UNITTEST_CONFIG,
  ),
  {
    class: 'tampering with the runner',
    name: 'a file of the project hides the runner (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'unittest.py': 'print("Ran 2 tests\\n\\nOK")\n\n\nclass TestCase:\n    pass\n',
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a file of the project is called like a module, further down (Python)',
      patch: { 'office/__init__.py': '', 'office/random.py': 'def number():\n    return 4\n' },
    },
  },
  {
    class: 'tampering with the runner',
    name: 'a script behind a Makefile is made to end well',
    base: SCRIPTED,
    config: MAKE,
    patch: { 'cart.js': BROKEN_CART, 'scripts/lib.sh': 'run_tests() { true; }\n' },
    expectedCatch: { how: 'blocked', by: 'tests', rule: 'check_script_changed' },
    honestTwin: {
      name: 'a program that a Makefile starts for people is changed',
      patch: { ...WORK, 'app.js': "require('./cart.js').total([]);\n" },
    },
  },
  {
    class: 'tampering with the runner',
    name: 'the tests become a link to others',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'cart.js': BROKEN_CART,
      'test/cart.test.js': null,
      test: { link: 'other' },
      'other/cart.test.js': "require('node:test').test('ok', () => {});\n",
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a program that a script starts is changed together with its test',
      base: STARTED,
      patch: {
        'app.js': 'module.exports = 2;\n',
        'test/app.test.js': replaceText(STARTED['test/app.test.js'] as string, [
          "'../app.js'), 1",
          "'../app.js'), 2",
        ]),
      },
    } as AdversarialCase['honestTwin'],
  },
  {
    class: 'broken for the scanner',
    name: 'a file gets out of sight of a condition by a line break in its name',
    base: SHOP_PROJECT,
    config:
      'pipeline:\n  - name: tests\n    command: node --test --test-isolation=none\n  - name: lint\n    command: "! grep -rq forbidden src"\n    condition: { changed: ["src/**/*.js"] }',
    patch: { 'src/deep/a\nb.js': "module.exports = 'forbidden';\n" },
    expectedCatch: { how: 'blocked', by: 'lint' },
    honestTwin: {
      name: 'a file that no condition means has a line break in its name',
      patch: { 'docs/a\nb.js': "module.exports = 'forbidden';\n" },
    },
  },
  {
    class: 'broken for the scanner',
    name: 'a file gets out of sight of a condition by capitals',
    base: SHOP_PROJECT,
    config:
      'pipeline:\n  - name: tests\n    command: node --test --test-isolation=none\n  - name: lint\n    command: "! grep -rqi forbidden --include=*.js ."\n    condition: { changed: ["src/**"] }',
    patch: { 'SRC/a.js': "module.exports = 'forbidden';\n" },
    expectedCatch: { how: 'blocked', by: 'lint' },
    honestTwin: { name: 'another folder has capitals', patch: { 'Lib/a.js': `${CART_SOURCE}// fine\n` } },
  },
];
