import type { Found, Rule } from '../rule.ts';
import { testPairs } from './pairs.ts';

const TEST = 'test/price.test.js';
const SOURCE = { 'price.js': 'exports.price = (n) => n * 2;\n' };
const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";

/** A new test without an assertion. */
export const testAsksNothing: Rule = {
  id: 'test_asserts_nothing',
  default: 'report',
  languages: ['python', 'javascript', 'go', 'rust'],
  says: 'a new test has no assertion of its own',
  why: 'It may ask through a helper, or only that nothing goes wrong. Mutants of the added lines tell whether it notices anything.',
  find: async (patch): Promise<Found[]> =>
    (await testPairs(patch)).added.flatMap(({ path, line, name, assertions, skipped }) =>
      assertions === 0 && !skipped && !/^(?:Example|Benchmark|Fuzz)/.test(name)
        ? [{ file: path, line, message: `the new test "${name}" asserts nothing` }]
        : [],
    ),
  caught: [
    {
      name: 'a test that only calls',
      before: SOURCE,
      after: { [TEST]: `${HEAD}test('doubles', () => {\n  price(2);\n});\n` },
    },
  ],
  honest: [
    {
      name: 'a test that asks',
      before: SOURCE,
      after: { [TEST]: `${HEAD}test('doubles', () => {\n  assert.equal(price(2), 4);\n});\n` },
    },
  ],
};
