import type { Found, Rule } from '../framework/rule.ts';
import { type Placed, testPairs } from './pairs.ts';

/** How a test asks less than it did; null when it does not. */
function lessThan(then: Placed, now: Placed): string | null {
  if (now.assertions < then.assertions) return `${now.assertions} assertions instead of ${then.assertions}`;
  if (now.exact < then.exact) return `${now.exact} exact assertions instead of ${then.exact}`;
  return null;
}

const TEST = 'tests/test_price.py';
const SOURCE = { 'price.py': 'def price(n):\n    return n * 2\n' };
const HEAD = 'from price import price\n\n\n';
const ASKS = `${HEAD}def test_price():\n    assert price(2) == 4\n`;

/** A changed test has fewer assertions, or vaguer ones. */
export const testAsksLess: Rule = {
  id: 'test_asks_less',
  default: 'report',
  languages: ['python', 'javascript', 'go', 'rust'],
  says: 'a changed test has fewer assertions, or vaguer ones',
  why: 'Whether that hides anything is told by runs: where the base version of the test fails on the new code, a test that asks less holds the patch.',
  find: async (patch): Promise<Found[]> =>
    (await testPairs(patch)).kept.flatMap(([then, now]) => {
      const how = then.text === now.text ? null : lessThan(then, now);
      return how === null
        ? []
        : [{ file: now.path, line: now.line, message: `the test "${now.name}" has ${how}` }];
    }),
  caught: [
    {
      name: 'an exact result becomes any result',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { [TEST]: ASKS.replace('price(2) == 4', 'price(2)') },
    },
    {
      name: 'an assertion goes',
      before: { ...SOURCE, [TEST]: `${ASKS}    assert price(3) == 6\n` },
      after: { [TEST]: ASKS },
    },
  ],
  honest: [
    {
      name: 'another value is expected',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { 'price.py': 'def price(n):\n    return n * 3\n', [TEST]: ASKS.replace('== 4', '== 6') },
    },
    {
      name: 'a test moves to another file',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { [TEST]: null, 'tests/test_all.py': ASKS },
    },
  ],
};
