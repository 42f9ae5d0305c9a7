import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buildDemoTasks,
  buildHardCodedAnswerTask,
  buildVerificationStageTask,
} from '../../../../cli/demo/demo-tasks.ts';
import {
  type ClarificationSettings,
  DEFAULT_CLARIFICATION_SETTINGS,
  unclearCriteriaReasons,
} from '../../../../shared/control/coordination/clarification.ts';

const SEARCH: ClarificationSettings = { ...DEFAULT_CLARIFICATION_SETTINGS, match_mode: 'search' };

/** Of the seeds, their reference, our own documents and our demo. */
const HONEST = [
  'Login form works with MFA',
  'completed within 2 s',
  'Discounts are never applied twice',
  '2.5 becomes 2',
  '0.125 becomes 0.12',
  'The number is worked out from the weight',
  'What weighs nothing takes one parcel',
  'Half goes to even',
  'Apples can be bought',
  'A finished order cannot be changed',
  'The export is complete: every row of the table is in it',
  'It works without a network',
  'Nothing is done when the flag is off',
  'All tests of the parser pass',
  'No visual defects on the checkout page',
  'The header is blue on every page',
  'Users receive an e-mail when the job is finished',
  'Fertig heißt: jede Zeile ist gerundet',
  '割引は二重に適用されることがない',
];

describe('a criterion', () => {
  test.each(HONEST)('that is honest is clear, where the seed would search it for a word: %s', (criterion) => {
    expect(unclearCriteriaReasons([criterion])).toEqual([]);
  });

  const url = 'https://example.org/shop.git';
  const ofDemo = [
    ...buildDemoTasks(url),
    buildHardCodedAnswerTask(url),
    buildVerificationStageTask(url),
  ].flatMap(({ task }) => task.acceptance_criteria ?? []);
  test.each(ofDemo)('of the demo is clear: %s', (criterion) => {
    expect(unclearCriteriaReasons([criterion])).toEqual([]);
  });

  test.each([
    'It is done now.',
    'Everything works!',
    'The task is completed',
    'The feature is finished.',
    'All is working correctly',
    'it should be working',
    '  This must be done  ',
    'The code works as expected.',
  ])('that says nothing of the work is none: %s', (criterion) => {
    expect(unclearCriteriaReasons([criterion])).toEqual([expect.stringMatching(/says nothing of this work/)]);
  });

  test.each([
    ['done.', 2],
    ['It works', 2],
    ['a'.repeat(9), 1],
    ['a'.repeat(10), 0],
    ['é'.repeat(10), 0],
    [' '.repeat(20), 1],
  ])('"%s" has %i faults: both are named, and length is in characters', (criterion, faults) => {
    expect(unclearCriteriaReasons([criterion])).toHaveLength(faults);
  });

  test.each(['Login form works with MFA', 'completed within 2 s', 'A FINISHED order'])(
    'is searched as the seed does where that is asked for: %s',
    (criterion) => {
      expect(unclearCriteriaReasons([criterion], 0, SEARCH)).toEqual([expect.stringMatching(/says nothing/)]);
    },
  );

  test('with a word of its own beside a generic one is clear', () => {
    const generic = fc.constantFrom('done', 'complete', 'works', 'finished');
    const own = fc
      .stringMatching(/^[a-z]{5,12}$/)
      .filter(
        (word) =>
          !/^(?:correctly|properly|working|expected|should|everything|completed?|finished|feature)$/.test(
            word,
          ),
      );
    fc.assert(
      fc.property(generic, own, own, (word, subject, object) => {
        expect(unclearCriteriaReasons([`${subject} ${word} with ${object}`])).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('criteria', () => {
  test('are all looked at', () => {
    expect(unclearCriteriaReasons(['short', 'It is done now', 'Half goes to even'])).toHaveLength(2);
  });

  test('that are none are unclear, unless signals say what must be true, which the seed does not know', () => {
    expect(unclearCriteriaReasons([])).toEqual([expect.stringMatching(/nothing says what must be true/)]);
    expect(unclearCriteriaReasons([], 1)).toEqual([]);
  });

  test('are let through where the gate is off', () => {
    expect(unclearCriteriaReasons([], 0, { ...DEFAULT_CLARIFICATION_SETTINGS, enabled: false })).toEqual([]);
  });
});
