import type { Rule, RuleFinding } from '../framework/rule.ts';
import { findInTestPairs, readTestCasePairs } from './test-case-pairs.ts';

const ASSERTION = /\b(?:assert\w*|expect|should|require|verify|check\w*)\b|[!=]=/i;
/** The value at the end of an assertion, with what closes it. */
const LAST_VALUE = /(?:[\w.+-]{1,200}|"[^"\n]{0,500}"|'[^'\n]{0,500}')[\s)\]};,]{0,50}$/;
/** Longest line that is compared, and longest text that is shown of one. */
const MAX_LINE = 1_000;
const MAX_SHOWN = 120;

interface ExpectationPair {
  readonly before: string;
  readonly now: string;
}

/** Assertions that differ in the value at their end only. */
function changedExpectations(before: string, after: string): ExpectationPair[] {
  const lines = (text: string): string[] =>
    text
      .split('\n')
      .map((line) => line.trim().slice(0, MAX_LINE))
      .filter((line) => ASSERTION.test(line));
  const [then, now] = [lines(before), lines(after)];
  const added = now.filter((line) => !then.includes(line));
  return then
    .filter((line) => !now.includes(line))
    .flatMap((line) => {
      const subject = line.replace(LAST_VALUE, '');
      const at = added.findIndex((each) => each.replace(LAST_VALUE, '') === subject);
      const [found] = at < 0 ? [] : added.splice(at, 1);
      return found === undefined ? [] : [{ before: line, now: found }];
    });
}

const TEST = 'tests/test_price.py';
const SOURCE = { 'price.py': 'def price(n):\n    return None\n' };
const ASKS = 'from price import price\n\n\ndef test_price():\n    assert price(2) is None\n';

/** An assertion of a test that was there expects another value. */
export const CHANGED_EXPECTATION_RULE: Rule = {
  id: 'expectation_edited',
  default: 'info',
  languages: ['python', 'javascript', 'go', 'rust'],
  summary: 'an assertion of a test that was there expects another value',
  rationale:
    'The test now demands what the patch does. Whether the task demands it too is for a reviewer or a judge to say.',
  find: (patch) =>
    findInTestPairs(patch, (then, now) => {
      const pairs = then.text === now.text ? [] : changedExpectations(then.text, now.text);
      const [first] = pairs;
      if (first === undefined) return null;
      const count = pairs.length === 1 ? 'one expectation' : `${pairs.length} expectations`;
      return `has ${count} changed; before: ${first.before.slice(0, MAX_SHOWN)}; now: ${first.now.slice(0, MAX_SHOWN)}`;
    }),
  invalidExamples: [
    {
      name: 'None becomes False',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { 'price.py': 'def price(n):\n    return False\n', [TEST]: ASKS.replace('is None', 'is False') },
    },
  ],
  validExamples: [
    {
      name: 'another value is tested too',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { [TEST]: `${ASKS}    assert price(3) is None\n` },
    },
  ],
};

/** A test case that the base has is not there any more. */
export const REMOVED_TEST_RULE: Rule = {
  id: 'test_removed',
  default: 'info',
  languages: ['python', 'javascript', 'go', 'rust'],
  summary: 'a test that was there is gone',
  rationale:
    'It may have been renamed, or its subject may be gone. Whether its behaviour is still tested is told by the run, which compares test by test with the base.',
  find: async (patch): Promise<RuleFinding[]> =>
    (await readTestCasePairs(patch)).removed.map(({ path, name }) => ({
      file: path,
      line: null,
      test: name,
      message: `the test "${name}" is gone`,
    })),
  invalidExamples: [
    {
      name: 'a test is deleted',
      before: { ...SOURCE, [TEST]: `${ASKS}\n\ndef test_other():\n    assert price(1) is None\n` },
      after: { [TEST]: ASKS },
    },
  ],
  validExamples: [
    {
      name: 'a test moves to another file',
      before: { ...SOURCE, [TEST]: ASKS },
      after: { [TEST]: null, 'tests/test_all.py': ASKS },
    },
  ],
};
