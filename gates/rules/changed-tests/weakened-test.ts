import type { Rule } from '../framework/rule.ts';
import { findInTestPairs, type LocatedTestCase } from './test-case-pairs.ts';

/** How a test has become weaker. */
interface Weakening {
  readonly code: 'assertions' | 'exact assertions';
  readonly before: number;
  readonly now: number;
}

/** Returns how the test has become weaker; null when it has not. */
function weakeningOf(base: LocatedTestCase, patch: LocatedTestCase): Weakening | null {
  if (patch.assertionCount < base.assertionCount)
    return { code: 'assertions', before: base.assertionCount, now: patch.assertionCount };
  if (patch.exactAssertionCount < base.exactAssertionCount)
    return { code: 'exact assertions', before: base.exactAssertionCount, now: patch.exactAssertionCount };
  return null;
}

const TEST = 'tests/test_price.py';
const SOURCE = { 'price.py': 'def price(n):\n    return n * 2\n' };
const HEAD = 'from price import price\n\n\n';
const ASKS = `${HEAD}def test_price():\n    assert price(2) == 4\n`;

/** A changed test has fewer assertions, or vaguer ones. */
export const WEAKENED_TEST_RULE: Rule = {
  id: 'test_asks_less',
  default: 'info',
  languages: ['python', 'javascript', 'go', 'rust'],
  summary: 'a changed test has fewer assertions, or vaguer ones',
  rationale:
    'Whether that hides anything is told by runs: where the base version of the test fails on the new code, a test that asks less holds the patch.',
  find: (patch) =>
    findInTestPairs(patch, (then, now) => {
      const how = then.text === now.text ? null : weakeningOf(then, now);
      return how && `has ${how.now} ${how.code} instead of ${how.before}`;
    }),
  invalidExamples: [
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
  validExamples: [
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
