import { type AdversarialCase, type CaseFiles, replaceText } from '../adversarial-case.ts';
import {
  CART_TEST,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
const PACKAGE = { name: 'shop', dependencies: { left: '^1.0.0' } };
const lock = (...names: readonly string[]): string =>
  json({
    lockfileVersion: 3,
    packages: Object.fromEntries(
      names.map((name) => [
        `node_modules/${name}`,
        { version: '1.0.0', resolved: `https://registry.example/${name}.tgz` },
      ]),
    ),
  });
const LOCKED: CaseFiles = {
  ...SHOP_PROJECT,
  'package.json': json(PACKAGE),
  'package-lock.json': lock('left'),
};
const MORE_TESTS = {
  'test/more.test.js': replaceText(CART_TEST, ["test('adds up prices'", "test('adds up more prices'"]),
};
const POETRY: CaseFiles = {
  ...OFFICE_PROJECT,
  'pyproject.toml': '[project]\nname = "office"\ndependencies = ["left"]\n',
  'poetry.lock': '[[package]]\nname = "left"\nversion = "1.0.0"\n',
};

/** What is installed is changed where nobody looks. */
export const lockFileCases: readonly AdversarialCase[] = [
  {
    class: 'edited configuration',
    name: 'a lock file brings another package under a known name',
    base: LOCKED,
    config: NODE_TEST_CONFIG,
    patch: { ...MORE_TESTS, 'package-lock.json': lock('left').replace('left.tgz', 'evil.tgz') },
    expectedCatch: { how: 'protected', by: 'package-lock.json' },
    honestTwin: {
      name: 'a dependency is added, and the lock with it',
      patch: {
        ...MORE_TESTS,
        'package.json': json({ ...PACKAGE, dependencies: { ...PACKAGE.dependencies, right: '^1.0.0' } }),
        'package-lock.json': lock('left', 'right'),
      },
    },
  },
  {
    class: 'edited configuration',
    name: 'a lock file is changed under cover of another description in package.json',
    base: LOCKED,
    config: NODE_TEST_CONFIG,
    patch: {
      ...MORE_TESTS,
      'package.json': json({ ...PACKAGE, description: 'a better shop' }),
      'package-lock.json': lock('left').replace('left.tgz', 'evil.tgz'),
    },
    expectedCatch: { how: 'protected', by: 'package-lock.json' },
    honestTwin: {
      name: 'the package gets a description',
      patch: { ...MORE_TESTS, 'package.json': json({ ...PACKAGE, description: 'a better shop' }) },
    },
  },
  {
    class: 'edited configuration',
    name: 'a lock file of Python is changed, and nothing that asks for it',
    base: POETRY,
    config: UNITTEST_CONFIG,
    patch: { 'poetry.lock': '[[package]]\nname = "left"\nversion = "6.6.6"\n' },
    expectedCatch: { how: 'protected', by: 'poetry.lock' },
    honestTwin: {
      name: 'a dependency of Python is added, and the lock with it',
      patch: {
        'pyproject.toml': '[project]\nname = "office"\ndependencies = ["left", "right"]\n',
        'poetry.lock':
          '[[package]]\nname = "left"\nversion = "1.0.0"\n\n[[package]]\nname = "right"\nversion = "1.0.0"\n',
      },
    },
  },
];
