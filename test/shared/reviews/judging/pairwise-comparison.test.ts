import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparePairInBothOrders,
  type PairwiseComparison,
  type PairwiseOptionLetter,
} from '../../../../shared/reviews/engine/both-orders.ts';
import {
  buildReviewerQuestion,
  createJudgementOnAnswer,
  createJudgementWithoutOpinion,
  formOpinionOnAnswer,
  NO_MODEL_CALL_RECEIPT,
  type ReviewerReply,
} from '../../../../shared/reviews/engine/engine.ts';
import { addMissingJudgements } from '../../../../shared/reviews/reviewers/expected-judgements.ts';
import { REQUIREMENTS_REVIEWER } from '../../../../shared/reviews/reviewers/requirements-review.ts';
import {
  findChangedExpectations,
  TEST_EXPECTATION_REVIEWER,
} from '../../../../shared/reviews/reviewers/test-expectations.ts';
import { task, verdict } from '../../../support/builders.ts';

const INPUT = { expectations: { before: '', after: '' }, isSwapped: false };
const asked = {
  receipt: {
    ...NO_MODEL_CALL_RECEIPT,
    calls: 1,
    tokens: { input: 10, output: 1 },
    cost_usd: 1,
    duration_ms: 5,
  },
  injections: [],
};
const says = (letter: PairwiseOptionLetter, confidence = 0.9) => ({
  ...asked,
  answer: { answer: letter, confidence, reasons: ['r'] },
});
const opinion = (compared: ReviewerReply<PairwiseComparison>, injections: readonly string[] = []) =>
  formOpinionOnAnswer(TEST_EXPECTATION_REVIEWER, INPUT, { ...compared, injections });
const both = (plain: PairwiseOptionLetter, swapped: PairwiseOptionLetter, confidence = 0.9) =>
  comparePairInBothOrders(async (isSwapped) =>
    says(isSwapped ? swapped : plain, isSwapped ? confidence : 0.95),
  );

describe('two things that are compared', () => {
  it.each([
    ['A', 'B', 'first'],
    ['B', 'A', 'second'],
    ['either', 'either', 'either'],
  ] as const)('with the answers %s and %s, agree on %s', async (plain, swapped, agreed) => {
    expect(await both(plain, swapped, 0.8)).toMatchObject({
      answer: { agreed, confidence: 0.8 },
      receipt: { calls: 2, cost_usd: 2 },
    });
  });

  it('are asked about in both orders, and who prefers a place has no preference', async () => {
    const orders: boolean[] = [];
    for (const place of ['A', 'B'] as const) {
      const compared = await comparePairInBothOrders(async (isSwapped) => {
        orders.push(isSwapped);
        return says(place);
      });
      expect(compared).toHaveProperty('answer.disagreed');
      expect(opinion(compared)).toMatchObject({ verdict: 'refer', outcome: 'failed' });
    }
    expect(orders).toEqual([false, true, false, true]);
  });

  it('let work on only where both answers agree that the patch is not the worse, surely and unasked', async () => {
    const letter = fc.constantFrom<PairwiseOptionLetter>('A', 'B', 'either');
    await fc.assert(
      fc.asyncProperty(
        letter,
        letter,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (a, b, sure, tricked) => {
          const made = opinion(await both(a, b, sure), tricked ? ['a mark'] : []);
          const agrees = (a === 'B' && b === 'A') || (a === 'either' && b === 'either');
          expect(made.verdict).toBe(agrees && Math.min(sure, 0.95) >= 0.7 && !tricked ? 'pass' : 'refer');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are not compared where one answer is missing, and what was used is still counted', async () => {
    const compared = await comparePairInBothOrders(async (isSwapped) =>
      isSwapped ? { ...asked, absence: { code: 'no_answer', outcome: 'timed_out', why: 'slow' } } : says('B'),
    );
    expect(compared).toMatchObject({
      absence: { outcome: 'timed_out' },
      receipt: { calls: 2, tokens: { input: 20, output: 2 } },
    });
    expect(opinion(compared)).toMatchObject({ outcome: 'timed_out', verdict: 'refer' });
  });
});

const DIFF = `diff --git a/src/a.js b/src/a.js
--- a/src/a.js
+++ b/src/a.js
@@ -1 +1 @@
-return 1
+return 2
diff --git a/test/a.test.js b/test/a.test.js
--- a/test/a.test.js
+++ b/test/a.test.js
@@ -1,2 +1,2 @@
 test('a', () => {
-  expect(a()).toBe(1)
+  expect(a()).toBe(2)
`;

describe('expectations that a patch changes', () => {
  it('are the two sides of the tests that were there, and nothing of the code', () => {
    const found = findChangedExpectations(DIFF);
    expect(found?.before).toBe("test/a.test.js\n…\ntest('a', () => {\n  expect(a()).toBe(1)\n");
    expect(found?.after).toContain('toBe(2)');
    expect(JSON.stringify(found)).not.toContain('return');
  });

  it.each([
    ['code only', DIFF.slice(0, DIFF.indexOf('diff --git a/test'))],
    ['a test that is new', '--- /dev/null\n+++ b/test/b.test.js\n@@ -0,0 +1 @@\n+expect(b()).toBe(1)\n'],
    ['a test that is added to', '--- a/test/b.test.js\n+++ b/test/b.test.js\n@@ -1 +1,2 @@\n a\n+b\n'],
    ['nothing', ''],
  ])('are none in %s', (_, diff) => {
    expect(findChangedExpectations(diff)).toBeNull();
  });

  it('are there when a test is deleted', () => {
    const gone = '--- a/test/b.test.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-expect(b()).toBe(1)\n';
    expect(findChangedExpectations(gone)?.before).toContain('toBe(1)');
  });

  it('are shown under letters that say nothing of who wrote them', () => {
    const found = findChangedExpectations(DIFF);
    if (!found) throw new Error('none');
    const [plain, swapped] = [false, true].map(
      (isSwapped) =>
        buildReviewerQuestion(TEST_EXPECTATION_REVIEWER, { expectations: found, isSwapped }, { pieces: [] })
          .fencedText,
    );
    expect(plain?.indexOf('toBe(1)')).toBeLessThan(plain?.indexOf('toBe(2)') ?? 0);
    expect(swapped?.indexOf('toBe(2)')).toBeLessThan(swapped?.indexOf('toBe(1)') ?? 0);
    expect(plain).not.toMatch(/base|patch|before|after/);
  });

  it('count beside a second look that was made, and only there', async () => {
    const look = { outcome: 'asked', reason: 'b' } as const;
    const absent = createJudgementWithoutOpinion(REQUIREMENTS_REVIEWER, undefined, { code: 'not_returned' });
    const made = { ...absent, outcome: 'passed', verdict: 'pass' } as const;
    const compared = createJudgementOnAnswer(TEST_EXPECTATION_REVIEWER, INPUT, await both('A', 'B'));
    expect(addMissingJudgements(task(), verdict(), [made, compared], look)).toEqual([made, compared]);
    expect(addMissingJudgements(task(), verdict(), [compared], look)).toMatchObject([
      { outcome: 'infra_failed' },
    ]);
    expect(
      addMissingJudgements(task(), verdict(), [made, compared], { outcome: 'skipped', reason: 'b' }),
    ).toHaveLength(1);
  });
});
