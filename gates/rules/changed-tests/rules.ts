import type { Rule } from '../framework/rule.ts';
import { CHANGED_EXPECTATION_RULE, REMOVED_TEST_RULE } from './changed-expectation.ts';
import { findInTestPairs } from './test-case-pairs.ts';
import { WEAKENED_TEST_RULE } from './weakened-test.ts';

const TEST = 'a_test.go';
const SOURCE = {
  'go.mod': 'module a\n\ngo 1.21\n',
  'a.go': 'package a\n\nfunc Twice(n int) int { return 2 * n }\n',
};
const text = (line: string): string =>
  `package a\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n${line}\tif Twice(2) != 4 {\n\t\tt.Error("wrong")\n\t}\n}\n`;

/** A test that is marked to be left out, or to fail. */
const SKIPPED_TEST_RULE: Rule = {
  id: 'test_skipped',
  default: 'info',
  languages: ['python', 'javascript', 'go', 'rust'],
  summary: 'a test that was there is marked to be left out, or to fail',
  rationale:
    'A mark may hold on another system only. What is really left out here is told by the run, which compares test by test with the base.',
  find: (patch) =>
    findInTestPairs(patch, (then, now) =>
      now.isSkipped && !then.isSkipped ? 'is marked to be left out, or to fail' : null,
    ),
  invalidExamples: [
    {
      name: 'a test is skipped',
      before: { ...SOURCE, [TEST]: text('') },
      after: { [TEST]: text('\tt.Skip("later")\n') },
    },
  ],
  validExamples: [
    {
      name: 'a test asks for more',
      before: { ...SOURCE, [TEST]: text('') },
      after: { [TEST]: text('\tif Twice(0) != 0 {\n\t\tt.Error("zero")\n\t}\n') },
    },
  ],
};

/** Rules of the gate `test_integrity`: what the changed tests look like. */
export const TEST_INTEGRITY_RULES: readonly Rule[] = [
  SKIPPED_TEST_RULE,
  WEAKENED_TEST_RULE,
  CHANGED_EXPECTATION_RULE,
  REMOVED_TEST_RULE,
];

/** Those of them that say that a test asks for less than it did. */
export const WEAKENED_TEST_RULES: readonly Rule[] = [SKIPPED_TEST_RULE, WEAKENED_TEST_RULE];
