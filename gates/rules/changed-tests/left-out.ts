import type { Found, Rule } from '../framework/rule.ts';
import { testPairs } from './pairs.ts';

const TEST = 'a_test.go';
const SOURCE = {
  'go.mod': 'module a\n\ngo 1.21\n',
  'a.go': 'package a\n\nfunc Twice(n int) int { return 2 * n }\n',
};
const text = (line: string): string =>
  `package a\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n${line}\tif Twice(2) != 4 {\n\t\tt.Error("wrong")\n\t}\n}\n`;

/** A test that is marked to be left out, or to fail. */
export const testLeftOut: Rule = {
  id: 'test_skipped',
  default: 'report',
  languages: ['python', 'javascript', 'go', 'rust'],
  says: 'a test that was there is marked to be left out, or to fail',
  why: 'A mark may hold on another system only. What is really left out here is told by the run, which compares test by test with the base.',
  find: async (patch): Promise<Found[]> =>
    (await testPairs(patch)).kept.flatMap(([then, now]) =>
      now.skipped && !then.skipped
        ? [
            {
              file: now.path,
              line: now.line,
              test: now.name,
              message: `the test "${now.name}" is marked to be left out, or to fail`,
            },
          ]
        : [],
    ),
  caught: [
    {
      name: 'a test is skipped',
      before: { ...SOURCE, [TEST]: text('') },
      after: { [TEST]: text('\tt.Skip("later")\n') },
    },
  ],
  honest: [
    {
      name: 'a test asks for more',
      before: { ...SOURCE, [TEST]: text('') },
      after: { [TEST]: text('\tif Twice(0) != 0 {\n\t\tt.Error("zero")\n\t}\n') },
    },
  ],
};
