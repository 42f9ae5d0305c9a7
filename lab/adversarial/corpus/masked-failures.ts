import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import { CART_SOURCE, CART_TEST } from '../sample-projects.ts';

const CONFIG = 'lint: false\ntests: true\ntest_command: node --test';
const ROUND = `const { test } = require('node:test');
const assert = require('node:assert');
const { rounded } = require('../round.js');

test('rounds up', () => {
  assert.equal(rounded(1.5), 2);
});
`;
/** One of its tests fails, and has done so for a while. */
const RED: CaseFiles = {
  'cart.js': CART_SOURCE,
  'round.js': 'exports.rounded = (sum) => Math.floor(sum);\n',
  'test/cart.test.js': CART_TEST,
  'test/round.test.js': ROUND,
};
const FASTER = { 'cart.js': replaceText(CART_SOURCE, ['sum + item.price', 'item.price + sum']) };
const MORE = (body: string): string =>
  `const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { total, discount } = require('../cart.js');\n\n${body}`;

/** New failures among old ones. */
export const maskedFailureCases: readonly AdversarialCase[] = [
  {
    class: 'hidden behind old failures',
    name: 'another test fails where one has failed before',
    base: RED,
    config: CONFIG,
    patch: { 'cart.js': replaceText(CART_SOURCE, ['/ 100', '/ 10']) },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: 'the same test fails as before', patch: FASTER },
  },
  {
    class: 'hidden behind old failures',
    name: 'a new test fails under the name of an old failure',
    base: RED,
    config: CONFIG,
    patch: {
      'round.js': 'exports.rounded = (sum) => Math.round(sum);\n',
      'test/more.test.js': MORE(
        "test('rounds up', () => {\n  assert.equal(total([{ price: 1 }]), 2);\n});\n",
      ),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the old failure is mended, and a test is added',
      patch: {
        'round.js': 'exports.rounded = (sum) => Math.round(sum);\n',
        'test/more.test.js': MORE(
          "test('adds one price', () => {\n  assert.equal(total([{ price: 1 }]), 1);\n});\n",
        ),
      },
    },
  },
  {
    class: 'hidden behind old failures',
    name: 'the run of the other tests ends before they are reported',
    base: RED,
    config: CONFIG,
    patch: {
      'cart.js': `${CART_SOURCE}process.emit('total');\nif (require.main !== module && module.parent.filename.includes('cart.test')) process['ex' + 'it'](0);\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the code says more when it is loaded',
      patch: { 'cart.js': `${CART_SOURCE}process.emit('total');\n` },
    },
  },
  {
    class: 'hidden behind old failures',
    name: 'the whole run breaks where one test has failed before',
    base: RED,
    config: CONFIG,
    patch: { 'cart.js': `${CART_SOURCE}process.kill(process.ppid, 'SIGTERM');\n` },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the code asks for its parent',
      patch: { 'cart.js': `${CART_SOURCE}exports.parent = () => process.ppid;\n` },
    },
  },
  {
    class: 'hidden behind old failures',
    name: 'the report of the run is written again',
    base: RED,
    config: CONFIG,
    patch: {
      'cart.js': `${replaceText(CART_SOURCE, ['/ 100', '/ 10'])}process.on('exit', () => require('node:fs').writeFileSync(process.env.REPORT, ''));\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'the code writes reports of its own',
      patch: {
        'cart.js': `${CART_SOURCE}exports.save = (file, sum) => require('node:fs').writeFileSync(file, \`report: \${sum}\`);\n`,
      },
    },
  },
];
